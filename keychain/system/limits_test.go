package system

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/zalando/go-keyring"

	"bridgekeeper/keychain"
)

// exit is what *exec.ExitError tells.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exit) ExitCode() int { return int(e) }

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		goos string
		err  error
		want keychain.State
	}{
		{"darwin", nil, keychain.Available},
		{"darwin", keyring.ErrNotFound, keychain.Available},
		{"darwin", exit(macNotAllowed), keychain.Locked},
		{"darwin", exit(macAuthFailed), keychain.Locked},
		{"darwin", exit(macCancelled), keychain.Locked},
		{"darwin", exit(macNoDefault), keychain.Missing},
		{"darwin", exit(macNoKeychain), keychain.Missing},
		{"darwin", exit(1), keychain.Available},
		{"darwin", errors.New("fork/exec /usr/bin/security: no such file"), keychain.Missing},
		{"windows", nil, keychain.Available},
		{"windows", keyring.ErrNotFound, keychain.Available},
		{"windows", fmt.Errorf("read: %w", winNoSession), keychain.Missing},
		{"windows", syscall.Errno(5), keychain.Available},
		{"linux", errors.New("failed to unlock correct collection"), keychain.Available},
		{"freebsd", keyring.ErrUnsupportedPlatform, keychain.Missing},
	} {
		got := classify(tt.goos, tt.err)
		if got.State != tt.want || (got.State != keychain.Available) != (got.Reason != "" && got.Hint != "") {
			t.Errorf("%s, %v: %+v, want %s", tt.goos, tt.err, got, tt.want)
		}
	}
}

// The exit code of macOS' security is the low byte of the framework's error.
func TestMacCodes(t *testing.T) {
	for code, status := range map[int]int32{macNotAllowed: -25308, macAuthFailed: -25293, macCancelled: -128, macNoKeychain: -25294, macNoDefault: -25307} {
		if int(uint8(status)) != code {
			t.Errorf("%d is %d", status, uint8(status))
		}
	}
}

// A value of the limit must pass the checks that go-keyring makes.
func TestItemLimits(t *testing.T) {
	if got := itemLimit("windows"); got != 2560 {
		t.Errorf("windows: %d", got)
	}
	n := itemLimit("darwin")
	service, key := strings.Repeat("s", maxService), strings.Repeat("k", keychain.MaxName)+"#0123abcd.999"
	value := "go-keyring-base64:" + base64.StdEncoding.EncodeToString(make([]byte, n))
	command := fmt.Sprintf("add-generic-password -U -s '%s' -a '%s' -w '%s'\n", service, key, value)
	if len(command) > macCommand || len(command) < macCommand-100 {
		t.Errorf("darwin: %d bytes of value make a command of %d", n, len(command))
	}
	if got := itemLimit("linux"); got != 0 {
		t.Errorf("linux: %d", got)
	}
	if got := New(strings.Repeat("x", 100)).service; len(got) != maxService {
		t.Errorf("a service of %d bytes", len(got))
	}
}
