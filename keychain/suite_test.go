package keychain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bridgekeeper/keychain"
	"bridgekeeper/keychain/agefile"
	"bridgekeeper/keychain/memory"
)

// suite is what every backend must do. start returns the backend as a new
// process would find it, with what was stored before.
func suite(t *testing.T, start func() keychain.Backend) {
	dir := t.TempDir()
	open := func() *keychain.Store {
		s, err := keychain.Open(start(), keychain.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("values", func(t *testing.T) { testValues(t, open) })
	t.Run("missing", func(t *testing.T) { testMissing(t, open()) })
	t.Run("rename", func(t *testing.T) { testRename(t, open()) })
	t.Run("parallel", func(t *testing.T) { testParallel(t, open()) })
	t.Run("index lost", func(t *testing.T) { testIndexLost(t, open(), start) })
}

func set(t *testing.T, s *keychain.Store, name, value string) {
	t.Helper()
	if err := s.Set(t.Context(), name, keychain.NewSecret(value)); err != nil {
		t.Fatalf("set %s: %v", name, err)
	}
}

func want(t *testing.T, s *keychain.Store, name, value string) {
	t.Helper()
	got, err := s.Resolve(t.Context(), name)
	if err != nil {
		t.Errorf("resolve %s: %v", name, err)
	} else if got[name].Reveal() != value {
		t.Errorf("%s came back as %.60q (%d bytes), want %.60q (%d bytes)", name, got[name].Reveal(), len(got[name].Reveal()), value, len(value))
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if keychain.CodeOf(err) != code {
		t.Errorf("got %v (%q), want %s", err, keychain.CodeOf(err), code)
	}
}

func names(s *keychain.Store) (list []string) {
	for _, e := range s.List() {
		list = append(list, e.Name)
	}
	return list
}

var values = map[string]string{
	"PLAIN":      "sk-abcdef0123456789",
	"UNICODE":    "grün ✓ 密码",
	"SPACES":     "  spaces around\t",
	"LINES":      "-----BEGIN KEY-----\nabc\r\ndef\n-----END KEY-----\n",
	"QUOTES":     `a"b'c\d$e` + "`f`; rm -rf %s",
	"ONE":        "x",
	"LONG":       strings.Repeat("0123456789", 700),
	"LONG_WIDE":  strings.Repeat("ü", 3000),
	"LONGEST":    strings.Repeat("z", keychain.MaxValue),
	"like-parts": "bridgekeeper-parts:1:abc:2:20",
	"dots.and-x": "another",
}

func testValues(t *testing.T, open func() *keychain.Store) {
	s := open()
	for name, v := range values {
		set(t, s, name, v)
	}
	for _, s := range []*keychain.Store{s, open()} { // now, and after a restart
		for name, v := range values {
			want(t, s, name, v)
		}
		if got := names(s); len(got) != len(values) || !slices.IsSorted(got) {
			t.Errorf("listed %v", got)
		}
	}
	s = open()
	set(t, s, "LONG", "short now")
	set(t, s, "PLAIN", strings.Repeat("long now ", 900))
	want(t, s, "LONG", "short now")
	want(t, s, "PLAIN", strings.Repeat("long now ", 900))
	for name := range values {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Errorf("delete %s: %v", name, err)
		}
	}
	if got := names(open()); len(got) != 0 {
		t.Errorf("after deleting all: %v", got)
	}
}

func testMissing(t *testing.T, s *keychain.Store) {
	ctx := t.Context()
	set(t, s, "HERE", "value")
	_, err := s.Resolve(ctx, "HERE", "GONE", "LOST", "GONE")
	if !errors.Is(err, keychain.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	var e *keychain.Error
	if !errors.As(err, &e) || !slices.Equal(e.Names, []string{"GONE", "LOST"}) || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
	wantCode(t, s.Delete(ctx, "GONE"), keychain.CodeSecretMissing)
	got, err := s.Check(ctx, "HERE", "GONE")
	if err != nil || !slices.Equal(got, []keychain.Checked{{Name: "HERE", Stored: true, Listed: true}, {Name: "GONE"}}) {
		t.Errorf("check: %v, %v", got, err)
	}
	if got, err = s.Check(ctx); err != nil || len(got) != 1 {
		t.Errorf("check all: %v, %v", got, err)
	}
	if err := s.Delete(ctx, "HERE"); err != nil {
		t.Error(err)
	}
}

func testRename(t *testing.T, s *keychain.Store) {
	ctx := t.Context()
	long := strings.Repeat("long ", 1000)
	set(t, s, "OLD", long)
	set(t, s, "OTHER", "other")
	wantCode(t, s.Rename(ctx, "OLD", "OTHER"), keychain.CodeSecretExists)
	wantCode(t, s.Rename(ctx, "OLD", "old"), keychain.CodeSecretExists)
	wantCode(t, s.Rename(ctx, "GONE", "NEW"), keychain.CodeSecretMissing)
	wantCode(t, s.Rename(ctx, "OLD", "bad name"), keychain.CodeSecretName)
	if err := s.Rename(ctx, "OLD", "NEW"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "NEW", long)
	want(t, s, "OTHER", "other")
	_, err := s.Resolve(ctx, "OLD")
	wantCode(t, err, keychain.CodeSecretMissing)
	for _, name := range []string{"NEW", "OTHER"} {
		if err := s.Delete(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if got := names(s); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func testParallel(t *testing.T, s *keychain.Store) {
	set(t, s, "SHARED", "shared value")
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			name := fmt.Sprintf("N%d", i)
			ctx := context.Background()
			if err := s.Set(ctx, name, keychain.NewSecret("value of "+name)); err != nil {
				t.Errorf("set: %v", err)
			}
			got, err := s.Resolve(ctx, "SHARED", name)
			if err != nil || got[name].Reveal() != "value of "+name || got["SHARED"].Reveal() != "shared value" {
				t.Errorf("resolve %s: %v", name, err)
			}
			if err := s.Delete(ctx, name); err != nil {
				t.Errorf("delete: %v", err)
			}
		})
	}
	all.Wait()
	if got := names(s); !slices.Equal(got, []string{"SHARED"}) {
		t.Errorf("left: %v", got)
	}
	if err := s.Delete(t.Context(), "SHARED"); err != nil {
		t.Error(err)
	}
}

// A person whose state folder was lost found that secrets still worked but
// could be neither listed nor wholly removed.
func testIndexLost(t *testing.T, s *keychain.Store, start func() keychain.Backend) {
	long := strings.Repeat("0123456789", 1000)
	set(t, s, "KEPT", long)
	fresh, err := keychain.Open(start(), keychain.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	want(t, fresh, "KEPT", long)
	if got := names(fresh); !slices.Equal(got, []string{"KEPT"}) {
		t.Errorf("listed %v", got)
	}
	if err := fresh.Delete(t.Context(), "KEPT"); err != nil {
		t.Error(err)
	}
	// The old list still has the name.
	if err := s.Delete(t.Context(), "KEPT"); err != nil {
		t.Error(err)
	}
}

func TestMemory(t *testing.T) {
	for _, limit := range []int{0, 2560, 100} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			m := &memory.Memory{ItemLimit: limit}
			suite(t, func() keychain.Backend { return m })
			if left := m.Keys(); len(left) != 0 {
				t.Errorf("items left behind: %v", left)
			}
		})
	}
}

func TestFileUnderPassphrase(t *testing.T) {
	dir := t.TempDir()
	phrase := keychain.NewSecret("four random words here")
	f, err := agefile.Create(dir, phrase)
	if err != nil {
		t.Fatal(err)
	}
	suite(t, func() keychain.Backend { return f })
	again := agefile.Open(dir, "")
	if st := again.State(t.Context()); st.State != keychain.Locked {
		t.Errorf("after a restart: %+v", st)
	}
	if err := again.Unlock(t.Context(), phrase); err != nil {
		t.Error(err)
	}
}

func TestFileWithKey(t *testing.T) {
	dir := t.TempDir()
	if _, err := agefile.CreateWithKey(dir, ""); err != nil {
		t.Fatal(err)
	}
	suite(t, func() keychain.Backend { return agefile.Open(dir, "") })
}
