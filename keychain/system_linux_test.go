package keychain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"bridgekeeper/keychain"
	"bridgekeeper/keychain/system"
)

const password = "the login password"

// soon bounds what must not hang. The machine may be busy with other tests.
const soon = 30 * time.Second

func openSystem(t *testing.T, service string) *keychain.Store {
	t.Helper()
	s, err := keychain.Open(system.New(service), keychain.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantState(t *testing.T, s *keychain.Store, state keychain.State) {
	t.Helper()
	st := s.State(t.Context())
	if st.State != state {
		t.Fatalf("state is %+v, want %s", st, state)
	}
	if state != keychain.Available && (st.Reason == "" || st.Hint == "") {
		t.Errorf("a person is told nothing: %+v", st)
	}
}

func TestSystemUnlocked(t *testing.T) {
	startSession(t).startKeyring(password)
	wantState(t, openSystem(t, ""), keychain.Available)
	suite(t, func() keychain.Backend { return system.New("") })
}

// Two homes of ours are two sets of secrets.
func TestSystemServicesAreApart(t *testing.T) {
	startSession(t).startKeyring(password)
	one, two := openSystem(t, "one"), openSystem(t, "two")
	set(t, one, "NAME", "first")
	set(t, two, "NAME", "second")
	want(t, one, "NAME", "first")
	want(t, two, "NAME", "second")
}

// libsecret's own tool must read what we store, as a person with a backup does.
func TestSystemOthersReadIt(t *testing.T) {
	tool, err := exec.LookPath("secret-tool")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("secret-tool is missing; packaging/setup.sh test installs it")
		}
		t.Skip("SKIPPED: secret-tool is missing (apt-get install libsecret-tools)")
	}
	startSession(t).startKeyring(password)
	set(t, openSystem(t, ""), "TOKEN", "a value")
	out, err := exec.Command(tool, "lookup", "service", "bridgekeeper", "username", "TOKEN").Output()
	if err != nil || string(out) != "a value" {
		t.Errorf("secret-tool: %q, %v", out, err)
	}
}

// A keychain that was locked at login held up every start for as long as nobody
// typed its password.
func TestSystemLocked(t *testing.T) {
	session := startSession(t)
	session.startKeyring(password)
	set(t, openSystem(t, ""), "TOKEN", "a value")
	session.stopKeyring()
	session.startKeyring("") // as after a login without a password
	s := openSystem(t, "")
	wantState(t, s, keychain.Locked)

	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	_, err := s.Resolve(ctx, "TOKEN")
	wantCode(t, err, keychain.CodeLocked)
	wantCode(t, s.Set(ctx, "TOKEN", keychain.NewSecret("other")), keychain.CodeLocked)
	wantCode(t, s.Delete(ctx, "TOKEN"), keychain.CodeLocked)
	// Without a display its dialog can't be shown.
	wantCode(t, s.Unlock(ctx, keychain.Secret{}), keychain.CodeLocked)

	var waiting sync.WaitGroup
	for range 20 {
		waiting.Go(func() {
			if err := s.Wait(ctx); err != nil {
				t.Errorf("wait: %v", err)
				return
			}
			got, err := s.Resolve(ctx, "TOKEN")
			if err != nil || got["TOKEN"].Reveal() != "a value" {
				t.Errorf("after unlocking: %v", err)
			}
		})
	}
	session.unlockKeyring(password)
	waiting.Wait()

	session.lockKeyring()
	wantState(t, s, keychain.Locked)
	session.unlockKeyring(password)
	wantState(t, s, keychain.Available)
}

// The signal must come, not only the poll.
func TestSystemTellsOfUnlocking(t *testing.T) {
	session := startSession(t)
	session.startKeyring(password)
	session.lockKeyring()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	heard := make(chan struct{}, 100)
	listening := make(chan error, 1)
	go func() { listening <- system.New("").Watch(ctx, func() { heard <- struct{}{} }) }()
	for {
		session.unlockKeyring(password)
		select {
		case <-heard:
			cancel()
			if err := <-listening; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		case <-time.After(100 * time.Millisecond): // it wasn't listening yet
			session.lockKeyring()
		case <-ctx.Done():
			t.Fatal("nothing was heard")
		}
	}
}

func TestSystemRestartedInBetween(t *testing.T) {
	session := startSession(t)
	session.startKeyring(password)
	s := openSystem(t, "")
	set(t, s, "TOKEN", "a value")
	session.stopKeyring()
	wantState(t, s, keychain.Missing)
	_, err := s.Resolve(t.Context(), "TOKEN")
	wantCode(t, err, keychain.CodeMissing)

	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	waited := make(chan error, 1)
	go func() { waited <- s.Wait(ctx) }()
	session.startKeyring(password)
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	want(t, s, "TOKEN", "a value")
}

// Calls in flight while the service is killed and started again either work or
// fail with a code; none hangs, and afterwards all is well.
func TestSystemKilledDuringCalls(t *testing.T) {
	session := startSession(t)
	session.startKeyring(password)
	s := openSystem(t, "")
	set(t, s, "TOKEN", "a value")
	ctx, cancel := context.WithTimeout(t.Context(), 2*soon)
	defer cancel()
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			name := fmt.Sprintf("N%d", i)
			if err := s.Set(ctx, name, keychain.NewSecret("value")); err != nil && keychain.CodeOf(err) == "" {
				t.Errorf("set: %v", err)
			}
			if _, err := s.Resolve(ctx, "TOKEN"); err != nil && keychain.CodeOf(err) == "" {
				t.Errorf("resolve: %v", err)
			}
		})
	}
	session.stopKeyring()
	session.startKeyring(password)
	calls.Wait()
	if err := s.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, s, "TOKEN", "a value")
	checked, err := s.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checked {
		if c.Stored {
			if err := s.Delete(ctx, c.Name); err != nil {
				t.Error(err)
			}
		}
	}
}

// The whole session ends and another begins, as at a fast user switch.
func TestSystemBusRestarts(t *testing.T) {
	s := openSystem(t, "")
	for range 2 {
		t.Run("", func(t *testing.T) {
			session := startSession(t)
			session.startKeyring(password)
			set(t, s, "TOKEN", "a value")
			want(t, s, "TOKEN", "a value")
		})
	}
}

func TestSystemNoService(t *testing.T) {
	startSession(t)
	s := openSystem(t, "")
	wantState(t, s, keychain.Missing)
	wantCode(t, s.Set(t.Context(), "TOKEN", keychain.NewSecret("v")), keychain.CodeMissing)
	_, err := s.Resolve(t.Context(), "TOKEN")
	wantCode(t, err, keychain.CodeMissing)
	wantCode(t, s.Unlock(t.Context(), keychain.Secret{}), keychain.CodeMissing)
	if got := names(s); len(got) != 0 {
		t.Errorf("a secret that was never stored is listed: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Where there was no session bus, a bus and a keyring were started that outlived
// the program. This needs no programs.
func TestSystemNoBus(t *testing.T) {
	dir := t.TempDir()
	launch := dir + "/dbus-launch"
	if err := os.WriteFile(launch, []byte("#!/bin/sh\ntouch "+dir+"/launched\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, address := range []string{"", "autolaunch:", "unix:path=" + dir + "/nobody"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		s := openSystem(t, "")
		wantState(t, s, keychain.Missing)
		wantCode(t, s.Set(t.Context(), "TOKEN", keychain.NewSecret("v")), keychain.CodeMissing)
	}
	if _, err := os.Stat(dir + "/launched"); err == nil {
		t.Error("dbus-launch was started")
	}
}

// A service that owns the name and says nothing must not hang anybody.
func TestSystemDeaf(t *testing.T) {
	session := startSession(t)
	conn := session.connect()
	defer conn.Close()
	if _, err := conn.RequestName(secretsName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	block := make(chan struct{})
	defer close(block)
	conn.ExportAll(deaf{block}, "/org/freedesktop/secrets", "org.freedesktop.DBus.Properties")
	s, err := keychain.Open(system.New(""), keychain.Options{Dir: t.TempDir(), Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, s, keychain.Locked)
	start := time.Now()
	_, err = s.Resolve(t.Context(), "TOKEN")
	wantCode(t, err, keychain.CodeLocked)
	if took := time.Since(start); took > soon/2 {
		t.Errorf("took %v", took)
	}
}

type deaf struct{ block chan struct{} }

func (d deaf) Get(face, name string) (dbus.Variant, *dbus.Error) {
	<-d.block
	return dbus.MakeVariant(""), nil
}

// Started by the bus itself, as on most desktops, it comes up locked or empty.
func TestSystemStartedByBus(t *testing.T) {
	session := startSession(t)
	service := "[D-BUS Service]\nName=" + secretsName + "\nExec=/usr/bin/env gnome-keyring-daemon --start --foreground --components=secrets\n"
	if err := os.WriteFile(session.path("services")+"/"+secretsName+".service", []byte(service), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := session.connect()
	if err := conn.BusObject().Call("org.freedesktop.DBus.ReloadConfig", 0).Err; err != nil {
		t.Fatal(err)
	}
	conn.Close()
	s := openSystem(t, "")
	st := s.State(t.Context())
	if st.State != keychain.Missing || !strings.Contains(st.Reason, "default keyring") {
		t.Errorf("a new user's state: %+v", st)
	}
	session.makeKeyring(password)
	wantState(t, s, keychain.Available)
	set(t, s, "TOKEN", "a value")
	want(t, s, "TOKEN", "a value")
}
