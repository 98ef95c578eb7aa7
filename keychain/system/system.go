// Package system keeps secrets in the keychain that the operating system brings:
// Keychain on macOS, Credential Manager on Windows, and whatever serves
// org.freedesktop.secrets on Linux (GNOME Keyring, KWallet, KeePassXC).
//
// It owns a connection to the session bus on Linux and nothing else. It never
// starts a bus, never makes a dialog appear except in Unlock, and never keeps a
// value. The keychain's Store calls it, one call at a time.
package system

import (
	"context"
	"errors"
	"runtime"

	"github.com/zalando/go-keyring"

	"bridgekeeper/keychain"
)

// DefaultService is the name under which the system's own tool shows our items.
const DefaultService = "bridgekeeper"

// maxService: Windows and macOS count it towards what an item may hold.
const maxService = 64

// System is the backend.
type System struct {
	service string
	look    looker
	probe   bool // macOS: whether there is an item to try the lock with
}

// looker finds out on each system whether items can be read.
type looker interface {
	state(ctx context.Context) keychain.Status
	unlock(ctx context.Context) error
	watch(ctx context.Context, changed func()) error
}

// New returns the backend. Items are kept apart by service, so that another home
// of ours has its own; "" is DefaultService, and only 64 bytes of it count.
func New(service string) *System {
	if service == "" {
		service = DefaultService
	}
	s := &System{service: service[:min(len(service), maxService)]}
	s.look = newLooker(s)
	return s
}

func (s *System) About() keychain.About {
	return keychain.About{Name: "system", ItemLimit: itemLimit(runtime.GOOS)}
}

// State never opens a dialog on Linux and Windows. macOS may show its own when
// the keychain is locked, for it gives no other way to find out.
func (s *System) State(ctx context.Context) keychain.Status { return s.look.state(ctx) }

// Unlock lets the system ask the person for the password; what is passed is not
// used.
func (s *System) Unlock(ctx context.Context, _ keychain.Secret) error { return s.look.unlock(ctx) }

// Watch hears the bus on Linux; elsewhere there is nothing to hear.
func (s *System) Watch(ctx context.Context, changed func()) error { return s.look.watch(ctx, changed) }

func (s *System) Get(ctx context.Context, key string) (keychain.Secret, error) {
	if err := s.ready(ctx); err != nil {
		return keychain.Secret{}, err
	}
	v, err := keyring.Get(s.service, key)
	if err != nil {
		return keychain.Secret{}, s.explain(ctx, err)
	}
	return keychain.NewSecret(v), nil
}

func (s *System) Set(ctx context.Context, key string, value keychain.Secret) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := keyring.Set(s.service, key, value.Reveal()); err != nil {
		return s.explain(ctx, err)
	}
	return s.leaveProbe()
}

func (s *System) Delete(ctx context.Context, key string) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.explain(ctx, keyring.Delete(s.service, key))
}

// ready keeps go-keyring from what it does by itself on Linux: start a bus where
// there is none, and open a dialog and wait for it without end.
func (s *System) ready(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return nil // there a first look would be a call like any other
	}
	return s.look.state(ctx).Err()
}

// explain finds out what an error of the library means. Most have no type, so
// the state of the keychain right after it says more than the text.
func (s *System) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return keychain.ErrNotFound
	}
	st := classify(runtime.GOOS, err)
	if st.State == keychain.Available && runtime.GOOS == "linux" {
		st = s.look.state(ctx)
	}
	if serr := st.Err(); serr != nil {
		return serr
	}
	return err
}
