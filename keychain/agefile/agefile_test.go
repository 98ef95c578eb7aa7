package agefile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridgekeeper/keychain"
)

func TestMain(m *testing.M) {
	workFactor = 10
	os.Exit(m.Run())
}

var phrase = keychain.NewSecret("four random words here")

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	e, ok := errors.AsType[*keychain.Error](err)
	if !ok || e.Code != code || e.Message == "" {
		t.Errorf("got %v (%q), want %s", err, keychain.CodeOf(err), code)
	}
}

func store(t *testing.T, f *File) {
	t.Helper()
	if err := f.Set(t.Context(), "TOKEN", keychain.NewSecret("hunter2")); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, f *File) {
	t.Helper()
	got, err := f.Get(t.Context(), "TOKEN")
	if err != nil || got.Reveal() != "hunter2" {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
}

func TestPassphrase(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	_, err := Create(dir, keychain.NewSecret("short"))
	wantCode(t, err, keychain.CodePassphrase)
	f, err := Create(dir, phrase)
	if err != nil {
		t.Fatal(err)
	}
	store(t, f)
	check(t, f)

	f = Open(dir, "")
	if st := f.State(ctx); st.State != keychain.Locked || st.Hint == "" || !f.Phrase() {
		t.Errorf("state %+v", st)
	}
	_, err = f.Get(ctx, "TOKEN")
	wantCode(t, err, keychain.CodeLocked)
	wantCode(t, f.Set(ctx, "TOKEN", phrase), keychain.CodeLocked)
	wantCode(t, f.Delete(ctx, "TOKEN"), keychain.CodeLocked)
	for _, wrong := range []string{"", "four random words", "Four random words here"} {
		wantCode(t, f.Unlock(ctx, keychain.NewSecret(wrong)), keychain.CodePassphrase)
	}
	if err := f.Unlock(ctx, phrase); err != nil {
		t.Fatal(err)
	}
	check(t, f)
	f.Lock()
	if st := f.State(ctx); st.State != keychain.Locked {
		t.Errorf("state %+v", st)
	}

	other := keychain.NewSecret("quite another one")
	wantCode(t, f.Change(other, other), keychain.CodePassphrase)
	wantCode(t, f.Change(phrase, keychain.NewSecret("short")), keychain.CodePassphrase)
	if err := f.Change(phrase, other); err != nil {
		t.Fatal(err)
	}
	wantCode(t, f.Unlock(ctx, phrase), keychain.CodePassphrase)
	if err := f.Unlock(ctx, other); err != nil {
		t.Fatal(err)
	}
	check(t, f)
}

func TestKeyFile(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "bk.key")
	f, err := CreateWithKey(dir, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	store(t, f)
	check(t, Open(dir, elsewhere))
	if err := Open(dir, elsewhere).Unlock(ctx, keychain.Secret{}); err != nil {
		t.Error(err)
	}
	wantCode(t, f.Change(phrase, phrase), keychain.CodePassphrase)
	// The mounted key isn't there yet.
	st := Open(dir, elsewhere+"x").State(ctx)
	if st.State != keychain.Missing || st.Hint == "" || !strings.Contains(st.Reason, "bk.keyx") {
		t.Errorf("state %+v", st)
	}
	for text, sentence := range map[string]string{"": "no age key", "rubbish\n": "no age key", "AGE-SECRET-KEY-1XYZ": "no age key", strings.Repeat("#\n", maxKey): "more than"} {
		if err := os.WriteFile(elsewhere, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, elsewhere).Get(ctx, "TOKEN")
		wantCode(t, err, keychain.CodeKeyFile)
		if !strings.Contains(err.Error(), sentence) || strings.Contains(err.Error(), "1XYZ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A key file that other users could read was taken without a word.
func TestKeyFileOthersMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not used there")
	}
	dir := t.TempDir()
	f, err := CreateWithKey(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	store(t, f)
	for _, name := range []string{plainName, valuesName} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, plainName), 0o640); err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, "").Get(t.Context(), "TOKEN")
	wantCode(t, err, keychain.CodeKeyFile)
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	if _, err := CreateWithKey(dir, ""); err != nil {
		t.Fatal(err)
	}
	_, err := CreateWithKey(dir, "")
	wantCode(t, err, keychain.CodeKeyFile)
	_, err = Create(dir, phrase)
	wantCode(t, err, keychain.CodeKeyFile)
	_, err = CreateWithKey(dir, filepath.Join(t.TempDir(), "other"))
	wantCode(t, err, keychain.CodeKeyFile)
}

// A damaged file must neither be taken for an empty one nor written over.
func TestDamaged(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	f, err := CreateWithKey(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	store(t, f)
	path := filepath.Join(dir, valuesName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, data := range map[string][]byte{"empty": {}, "cut": whole[:len(whole)-5], "flipped": flipped, "rubbish": []byte("{}")} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := f.Get(ctx, "TOKEN")
		if err == nil || keychain.CodeOf(err) == keychain.CodeSecretMissing {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Set(ctx, "OTHER", keychain.NewSecret("x")); err == nil {
			t.Errorf("%s: written over", name)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	// With another's key it doesn't open, either.
	other := t.TempDir()
	if _, err := CreateWithKey(other, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, valuesName), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(other, "").Get(ctx, "TOKEN")
	wantCode(t, err, keychain.CodeFailed)
}

func TestNothingIsPlain(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, phrase)
	if err != nil {
		t.Fatal(err)
	}
	store(t, f)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"hunter2", "TOKEN", "AGE-SECRET", "random"} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s holds %q", e.Name(), word)
			}
		}
	}
}
