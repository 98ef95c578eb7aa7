package agefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"filippo.io/age"

	"bridgekeeper/keychain"
)

const (
	maxKey = 64 << 10 // a key has 75 bytes; comments are welcome
	// minPhrase: each try costs a second, yet below this all of them are tried
	// within the life of a token.
	minPhrase = 8
	// maxWorkFactor bounds what a file that somebody put there can make us do.
	maxWorkFactor = 20
)

// workFactor is about a second of work, with 256 MiB. Tests lower it.
var workFactor = 18

// key is where the file's key lies, and how.
type key struct {
	path   string
	phrase bool
}

func (k key) write(identity *age.X25519Identity, passphrase keychain.Secret) error {
	text := "# The key of Bridgekeeper's secrets. Whoever has it and secrets.age has them.\n" + identity.String() + "\n"
	data := []byte(text)
	if k.phrase {
		if len(passphrase.Reveal()) < minPhrase {
			return &keychain.Error{
				Code:    keychain.CodePassphrase,
				Message: fmt.Sprintf("the passphrase is too short: at least %d characters are needed", minPhrase),
				Hint:    "Four random words are easy to keep in mind and hard to guess.",
			}
		}
		recipient, err := age.NewScryptRecipient(passphrase.Reveal())
		if err != nil {
			return fmt.Errorf("use the passphrase: %w", err)
		}
		recipient.SetWorkFactor(workFactor)
		var sealed bytes.Buffer
		w, err := age.Encrypt(&sealed, recipient)
		if err == nil {
			_, err = io.WriteString(w, identity.String())
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return fmt.Errorf("encrypt the key: %w", err)
		}
		data = sealed.Bytes()
	}
	if err := keychain.Replace(k.path, data); err != nil {
		return k.broken(err, "Check that the folder exists, its permissions and free space.")
	}
	return nil
}

func (k key) read(passphrase keychain.Secret) (*age.X25519Identity, error) {
	data, err := k.load()
	if err != nil {
		return nil, err
	}
	if k.phrase {
		if data, err = k.decrypt(data, passphrase); err != nil {
			return nil, err
		}
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		identity, err := age.ParseX25519Identity(line)
		if err != nil {
			break // its text may quote the key
		}
		return identity, nil
	}
	return nil, k.broken(errors.New("it holds no age key"), "It must have one line that begins with AGE-SECRET-KEY-1.")
}

// load reads the key's file, and refuses one that others may read.
func (k key) load() ([]byte, error) {
	file, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &keychain.Error{
			Code:    keychain.CodeMissing,
			Message: "the key of the file of secrets is not there: " + k.path,
			Hint:    "Choose in the settings where secrets are kept, or put the key file in its place.",
		}
	}
	if err != nil {
		return nil, k.broken(err, "")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, k.broken(err, "")
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, k.broken(fmt.Errorf("others may read it (mode %04o)", mode), "Run: chmod 600 "+k.path)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKey+1))
	if err == nil && len(data) > maxKey {
		err = fmt.Errorf("more than %d bytes", maxKey)
	}
	if err != nil {
		return nil, k.broken(err, "")
	}
	return data, nil
}

func (k key) decrypt(data []byte, passphrase keychain.Secret) ([]byte, error) {
	wrong := &keychain.Error{Code: keychain.CodePassphrase, Message: "the passphrase of the file of secrets is wrong", Hint: "Try again; capital letters count."}
	if passphrase.IsZero() {
		return nil, wrong
	}
	identity, err := age.NewScryptIdentity(passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("use the passphrase: %w", err)
	}
	identity.SetMaxWorkFactor(maxWorkFactor)
	text, err := age.Decrypt(bytes.NewReader(data), identity)
	if err != nil {
		if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
			return nil, wrong
		}
		return nil, k.broken(err, "Put a backup in its place.")
	}
	plain, err := io.ReadAll(io.LimitReader(text, maxKey))
	if err != nil {
		return nil, k.broken(err, "Put a backup in its place.")
	}
	return plain, nil
}

func (k key) broken(err error, hint string) error {
	return (&keychain.Error{Code: keychain.CodeKeyFile, Message: fmt.Sprintf("the key of the file of secrets %s: %v", k.path, err), Hint: hint}).Because(err)
}
