// Package agefile keeps secrets in one encrypted file, for systems without a
// keychain: servers and minimal desktops. A person chooses it knowingly; it
// protects less than a keychain does, and About says how.
//
// The values are encrypted with age to a key pair of their own. That key is
// either itself encrypted under a passphrase, typed once a start, or lies in a
// file that only its owner may read. The package never keeps a value in memory
// and never writes one unencrypted. The keychain's Store calls it, one call at
// a time, and the app creates it.
package agefile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"filippo.io/age"

	"bridgekeeper/keychain"
)

const (
	valuesName = "secrets.age"     // the values
	phraseName = "secrets.key.age" // the key, under a passphrase
	plainName  = "secrets.key"     // the key as it is, unless another place is given
	maxValues  = 64 << 20          // a thousand secrets of the largest size, as JSON
)

// File is the backend. The Store calls it one call at a time; mu is for State.
type File struct {
	values string // path of the values
	key    key

	mu       sync.Mutex
	identity *age.X25519Identity // nil until unlocked
}

// Create makes the key, under a passphrase, in a folder that has none, and
// returns the file unlocked.
func Create(dir string, passphrase keychain.Secret) (*File, error) {
	return create(dir, key{path: filepath.Join(dir, phraseName), phrase: true}, passphrase)
}

// CreateWithKey makes the key as a file that only its owner may read; at "" it
// lies beside the values. Somewhere else (another disk, a mounted secret) is
// better: then a copy of the folder opens nothing.
func CreateWithKey(dir, keyPath string) (*File, error) {
	if keyPath == "" {
		keyPath = filepath.Join(dir, plainName)
	}
	return create(dir, key{path: keyPath}, keychain.Secret{})
}

func create(dir string, k key, passphrase keychain.Secret) (*File, error) {
	// A key that is replaced makes every value unreadable.
	for _, path := range []string{k.path, filepath.Join(dir, phraseName), filepath.Join(dir, plainName), filepath.Join(dir, valuesName)} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, &keychain.Error{
				Code:    keychain.CodeKeyFile,
				Message: "there are secrets in a file already: " + path,
				Hint:    "Use them, or remove the file first; its secrets are lost then.",
			}
		}
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	if err := k.write(identity, passphrase); err != nil {
		return nil, err
	}
	return &File{values: filepath.Join(dir, valuesName), key: k, identity: identity}, nil
}

// Open returns the file in dir, which need not exist: State then says what is
// missing. keyPath is that of CreateWithKey, or "" for what is found in dir.
// With a key file it is unlocked at once, under a passphrase by Unlock.
func Open(dir, keyPath string) *File {
	k := key{path: filepath.Join(dir, phraseName), phrase: true}
	if _, err := os.Stat(k.path); keyPath != "" || err != nil {
		k = key{path: keyPath}
		if keyPath == "" {
			k.path = filepath.Join(dir, plainName)
		}
	}
	return &File{values: filepath.Join(dir, valuesName), key: k}
}

func (f *File) About() keychain.About {
	weaker := "secrets are in a file, opened by a key file: whoever can read both has them"
	if f.key.phrase {
		weaker = "secrets are in a file under a passphrase: whoever has a copy can try passphrases"
	}
	return keychain.About{Name: "file", Weaker: weaker}
}

// Phrase tells whether Unlock needs a passphrase.
func (f *File) Phrase() bool { return f.key.phrase }

func (f *File) State(context.Context) keychain.Status {
	_, err := f.open()
	if err == nil {
		return keychain.Status{State: keychain.Available}
	}
	st := keychain.Status{State: keychain.Missing, Reason: err.Error()}
	if e, ok := errors.AsType[*keychain.Error](err); ok {
		st.Hint = e.Hint
		if e.Code == keychain.CodeLocked {
			st.State = keychain.Locked
		}
	}
	return st
}

// open returns the key: it is kept once read.
func (f *File) open() (*age.X25519Identity, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.identity != nil {
		return f.identity, nil
	}
	if f.key.phrase {
		return nil, &keychain.Error{
			Code:    keychain.CodeLocked,
			Message: "the file of secrets is locked",
			Hint:    "Unlock it with its passphrase: bridgekeeper secret unlock",
		}
	}
	identity, err := f.key.read(keychain.Secret{})
	if err == nil {
		f.identity = identity
	}
	return identity, err
}

// Unlock opens the file with its passphrase; it takes about a second, on purpose.
func (f *File) Unlock(_ context.Context, passphrase keychain.Secret) error {
	if !f.key.phrase {
		_, err := f.open()
		return err
	}
	identity, err := f.key.read(passphrase)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.identity = identity
	return nil
}

// Lock forgets the key.
func (f *File) Lock() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.identity = nil
}

// Change puts the key under another passphrase. The values stay as they are.
func (f *File) Change(old, passphrase keychain.Secret) error {
	if !f.key.phrase {
		return &keychain.Error{Code: keychain.CodePassphrase, Message: "this file of secrets has no passphrase, but a key file"}
	}
	identity, err := f.key.read(old)
	if err != nil {
		return err
	}
	return f.key.write(identity, passphrase)
}

func (f *File) Get(_ context.Context, name string) (keychain.Secret, error) {
	_, items, err := f.read()
	if err != nil {
		return keychain.Secret{}, err
	}
	v, ok := items[name]
	if !ok {
		return keychain.Secret{}, keychain.ErrNotFound
	}
	return keychain.NewSecret(v), nil
}

func (f *File) Set(_ context.Context, name string, value keychain.Secret) error {
	identity, items, err := f.read()
	if err != nil {
		return err
	}
	items[name] = value.Reveal()
	return f.write(identity, items)
}

func (f *File) Delete(_ context.Context, name string) error {
	identity, items, err := f.read()
	if err != nil {
		return err
	}
	if _, ok := items[name]; !ok {
		return keychain.ErrNotFound
	}
	delete(items, name)
	return f.write(identity, items)
}

func (f *File) read() (*age.X25519Identity, map[string]string, error) {
	identity, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	items := map[string]string{}
	file, err := os.Open(f.values)
	if errors.Is(err, fs.ErrNotExist) {
		return identity, items, nil
	}
	if err != nil {
		return nil, nil, f.broken(err)
	}
	defer file.Close()
	text, err := age.Decrypt(file, identity)
	if err != nil {
		return nil, nil, f.broken(err)
	}
	data, err := io.ReadAll(io.LimitReader(text, maxValues+1))
	if err == nil && len(data) > maxValues {
		err = fmt.Errorf("more than %d bytes", maxValues)
	}
	if err == nil && json.Unmarshal(data, &items) != nil {
		err = errors.New("not what this program writes") // a JSON error would quote values
	}
	if err != nil {
		return nil, nil, f.broken(err)
	}
	return identity, items, nil
}

func (f *File) broken(err error) error {
	return (&keychain.Error{
		Code:    keychain.CodeFailed,
		Message: fmt.Sprintf("read the file of secrets %s: %v", f.values, err),
		Hint:    "Its key may be another file's. Put a backup of both in their places.",
	}).Because(err)
}

func (f *File) write(identity *age.X25519Identity, items map[string]string) error {
	text, err := json.Marshal(items)
	if err != nil {
		return errors.New("encode the file of secrets")
	}
	if len(text) > maxValues {
		return &keychain.Error{Code: keychain.CodeSecretTooLarge, Message: fmt.Sprintf("the file of secrets would have more than %d bytes", maxValues)}
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, identity.Recipient())
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = keychain.Replace(f.values, sealed.Bytes())
	}
	if err != nil {
		return (&keychain.Error{
			Code:    keychain.CodeFailed,
			Message: fmt.Sprintf("write the file of secrets: %v", err),
			Hint:    "Check free space and the folder's permissions.",
		}).Because(err)
	}
	return nil
}
