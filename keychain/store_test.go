package keychain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/keychain"
	"bridgekeeper/keychain/memory"
)

func openMemory(t *testing.T, m *memory.Memory) (*keychain.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := keychain.Open(m, keychain.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func TestRefused(t *testing.T) {
	s, _ := openMemory(t, &memory.Memory{})
	ctx := t.Context()
	for value, code := range map[string]string{
		"": keychain.CodeSecretValue, "a\x00b": keychain.CodeSecretValue, "\xff\xfe": keychain.CodeSecretValue,
		strings.Repeat("x", keychain.MaxValue+1): keychain.CodeSecretTooLarge,
	} {
		err := s.Set(ctx, "NAME", keychain.NewSecret(value))
		wantCode(t, err, code)
		if value != "" && strings.Contains(fmt.Sprintf("%v %+v", err, err), value) {
			t.Errorf("the error shows the value: %v", err)
		}
	}
	err := s.Set(ctx, "NAME", keychain.NewSecret(strings.Repeat("x", keychain.MaxValue+1)))
	if !strings.Contains(err.Error(), fmt.Sprint(keychain.MaxValue)) {
		t.Errorf("the limit isn't named: %v", err)
	}
	wantCode(t, s.Set(ctx, "bad name", keychain.NewSecret("x")), keychain.CodeSecretName)
	set(t, s, "Token", "x")
	// One item on Windows, where names of credentials have no case.
	wantCode(t, s.Set(ctx, "TOKEN", keychain.NewSecret("y")), keychain.CodeSecretExists)
	_, err = s.Resolve(ctx, "bad name")
	wantCode(t, err, keychain.CodeSecretName)
	if got, err := s.Resolve(ctx); err != nil || len(got) != 0 {
		t.Errorf("nothing: %v, %v", got, err)
	}
}

// A server that needs no secret must start whatever the keychain does.
func TestNothingNeededNothingAsked(t *testing.T) {
	m := &memory.Memory{}
	m.Turn(keychain.Locked)
	s, _ := openMemory(t, m)
	if _, err := s.Resolve(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := s.Resolve(t.Context(), "X")
	wantCode(t, err, keychain.CodeLocked)
}

func TestIndexHoldsNoValues(t *testing.T) {
	s, dir := openMemory(t, &memory.Memory{ItemLimit: 10})
	set(t, s, "TOKEN", "the value that nobody may see")
	set(t, s, "PIN", "hunter2")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "secrets-memory.json" {
		t.Fatalf("files %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"hunter2", "value", "nobody"} {
		if strings.Contains(string(data), word) {
			t.Errorf("the list holds %q", word)
		}
	}
	if info, _ := os.Stat(files[0]); info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestBrokenIndex(t *testing.T) {
	m := &memory.Memory{}
	s, dir := openMemory(t, m)
	set(t, s, "TOKEN", "value")
	path := filepath.Join(dir, "secrets-memory.json")
	if err := os.WriteFile(path, []byte(`{"version":1,"secr`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := keychain.Open(m, keychain.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.List()) != 0 {
		t.Errorf("listed %v", s.List())
	}
	want(t, s, "TOKEN", "value")
	if got := names(s); !slices.Equal(got, []string{"TOKEN"}) {
		t.Errorf("it didn't come back: %v", got)
	}
	if kept, _ := filepath.Glob(path + ".broken-*"); len(kept) != 1 {
		t.Errorf("set aside: %v", kept)
	}
	if err := os.WriteFile(path, []byte(`{"version":2,"secrets":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = keychain.Open(m, keychain.Options{Dir: dir})
	wantCode(t, err, keychain.CodeIndex)
}

// A program that died while it stored a long value left pieces of it in the
// keychain for ever, and must never leave half a new value in the place of the
// old one.
func TestCrashAtEveryStep(t *testing.T) {
	old, long := strings.Repeat("old value ", 5), strings.Repeat("new value! ", 9)
	for step := 1; ; step++ {
		m := &memory.Memory{ItemLimit: 20}
		s, dir := openMemory(t, m)
		set(t, s, "TOKEN", old)
		calls := 0
		m.Hook = func(_ context.Context, op, _ string) error {
			if calls++; calls >= step && op != "get" {
				return errors.New("power cut")
			}
			return nil
		}
		err := s.Set(t.Context(), "TOKEN", keychain.NewSecret(long))
		m.Hook = nil
		after, oerr := keychain.Open(m, keychain.Options{Dir: dir})
		if oerr != nil {
			t.Fatal(oerr)
		}
		got, rerr := after.Resolve(t.Context(), "TOKEN")
		if rerr != nil || got["TOKEN"].Reveal() != old && got["TOKEN"].Reveal() != long {
			t.Fatalf("step %d: %v, %q", step, rerr, got["TOKEN"].Reveal())
		}
		if err == nil && got["TOKEN"].Reveal() != long {
			t.Fatalf("step %d: stored, and the old value is there", step)
		}
		if err := after.Delete(t.Context(), "TOKEN"); err != nil {
			t.Fatal(err)
		}
		if left := m.Keys(); len(left) != 0 {
			t.Fatalf("step %d: left behind %v", step, left)
		}
		if calls < step {
			return // the last one had no power cut
		}
		if step > 100 {
			t.Fatal("it never gets through")
		}
	}
}

func TestPartsRemovedByHand(t *testing.T) {
	m := &memory.Memory{ItemLimit: 20}
	s, _ := openMemory(t, m)
	set(t, s, "TOKEN", strings.Repeat("long value ", 5))
	if err := m.Delete(t.Context(), m.Keys()[2]); err != nil {
		t.Fatal(err)
	}
	_, err := s.Resolve(t.Context(), "TOKEN")
	wantCode(t, err, keychain.CodeSecretMissing)
	set(t, s, "TOKEN", "whole again")
	want(t, s, "TOKEN", "whole again")
	if left := m.Keys(); len(left) != 1 {
		t.Errorf("left behind %v", left)
	}
}

func TestCopyTo(t *testing.T) {
	from, _ := openMemory(t, &memory.Memory{ItemLimit: 20})
	to, _ := openMemory(t, &memory.Memory{})
	set(t, from, "A", strings.Repeat("long value ", 5))
	set(t, from, "B", "short")
	copied, err := from.CopyTo(t.Context(), to)
	if err != nil || !slices.Equal(copied, []string{"A", "B"}) {
		t.Errorf("%v, %v", copied, err)
	}
	want(t, to, "A", strings.Repeat("long value ", 5))
	want(t, from, "B", "short")
}

// A keychain that waits for its password in a dialog held up every server, one
// after the other.
func TestHangingCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		m := &memory.Memory{Hook: func(context.Context, string, string) error { <-answer; return nil }}
		s, _ := openMemory(t, m)
		start := time.Now()
		_, err := s.Resolve(t.Context(), "A")
		wantCode(t, err, keychain.CodeLocked)
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("it took %v", d)
		}
		start = time.Now()
		for range 50 {
			_, err := s.Resolve(t.Context(), "A")
			wantCode(t, err, keychain.CodeLocked)
			wantCode(t, s.Set(t.Context(), "B", keychain.NewSecret("b")), keychain.CodeLocked)
		}
		if st := s.State(t.Context()); st.State != keychain.Locked || st.Hint == "" {
			t.Errorf("state %+v", st)
		}
		s.List()
		if d := time.Since(start); d != 0 {
			t.Errorf("calls behind it took %v", d)
		}
		waited := make(chan error, 1)
		go func() { waited <- s.Wait(t.Context()) }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closed over a call: %v", err)
		}
		close(answer) // the person typed the password
		if err := <-waited; err != nil {
			t.Error(err)
		}
		set(t, s, "B", "b")
		want(t, s, "B", "b")
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// The caller's own end must not count against the keychain.
func TestCallerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		var first atomic.Bool
		m := &memory.Memory{Hook: func(context.Context, string, string) error {
			if first.CompareAndSwap(false, true) {
				<-answer
			}
			return nil
		}}
		s, _ := openMemory(t, m)
		cause := errors.New("the server was stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := s.Resolve(ctx, "A")
			gone <- err
		}()
		synctest.Wait()
		cancel(cause)
		if err := <-gone; !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		next := make(chan error, 1)
		go func() { next <- s.Set(t.Context(), "B", keychain.NewSecret("b")) }()
		synctest.Wait()
		time.Sleep(5 * time.Second)
		close(answer)
		if err := <-next; err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

func TestOneAtATime(t *testing.T) {
	var running, most atomic.Int32
	m := &memory.Memory{Hook: func(context.Context, string, string) error {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return nil
	}}
	s, _ := openMemory(t, m)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { s.Set(t.Context(), fmt.Sprint("N", i), keychain.NewSecret("v")) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at a time", most.Load())
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory.Memory{}
		m.Turn(keychain.Locked)
		s, _ := openMemory(t, m)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := s.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		gone := make(chan error, 1)
		go func() { gone <- s.Wait(ctx) }()
		time.Sleep(time.Hour)
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		start := time.Now()
		m.Turn(keychain.Available)
		all.Wait()
		if d := time.Since(start); d > time.Second {
			t.Errorf("noticed after %v, in spite of the signal", d)
		}
		m.Turn(keychain.Missing)
		go func() { gone <- s.Wait(t.Context()) }()
		synctest.Wait()
		start = time.Now()
		if err := s.Unlock(t.Context(), keychain.Secret{}); err != nil {
			t.Error(err)
		}
		if err := <-gone; err != nil || time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
