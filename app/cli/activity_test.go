package cli

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

func TestActivityFollow(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a console's Ctrl-C can't be sent to one process there")
	}
	t.Setenv(home.Env, t.TempDir())
	d, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := sock.Listen(d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	fake := localapitest.New()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- localapi.Serve(ctx, ln, fake, slog.New(slog.DiscardHandler)) }()
	defer func() {
		cancel()
		<-served
	}()
	call := wire.Activity{ID: "1", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kind: wire.ActivityCall, Host: "cursor", Server: "rooms", Tool: "x", Decision: "allow", By: "policy", Rule: "read-only tool"}
	fake.Record(call)

	cmd := exec.Command(os.Args[0], "activity", "follow")
	cmd.Env = append(os.Environ(), cliVariable+"=1", "TZ=UTC")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	expect := func(want string) {
		t.Helper()
		if line, err := out.ReadString('\n'); err != nil || strings.TrimSuffix(line, "\n") != want {
			t.Errorf("got %q, %v; want %q", line, err, want)
		}
	}
	expect("2026-01-02 03:04:05.000 cursor rooms x allow by policy (read-only tool)")
	call.Outcome, call.Ended, call.MS, call.Bytes = "tool_error", call.Time.Add(time.Second), 999.94, 7
	fake.Record(call)
	expect("2026-01-02 03:04:05.000 cursor rooms x allow by policy (read-only tool) -> tool_error after 999.9ms, 7 bytes")
	fake.Record(wire.Activity{ID: "2", Time: call.Time, Kind: wire.ActivityChange, By: "window", Text: "everything is held"})
	expect("2026-01-02 03:04:05.000 by window (everything is held)")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"2h":                        now.Add(-2 * time.Hour),
		"1h30m":                     now.Add(-90 * time.Minute),
		"7d":                        now.AddDate(0, 0, -7),
		"2026-01-31T15:04:05+01:00": time.Date(2026, 1, 31, 14, 4, 5, 0, time.UTC),
	} {
		if got, err := moment("--since", text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"-2h", "-3d", "d", "2", "1.5d", "2026-01-31", "99999d", "2h!"} {
		if got, err := moment("--since", text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
