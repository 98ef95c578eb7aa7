// Package memory is a keychain that ends with the process: for tests, and for a
// trial that shall leave nothing behind.
//
// It owns a map and writes nothing. Tests lock it, limit it and hold its answers
// back.
package memory

import (
	"context"
	"maps"
	"slices"
	"sync"

	"bridgekeeper/keychain"
)

// Memory is the backend. The zero value is available and empty.
type Memory struct {
	// ItemLimit is told in About; set it before use.
	ItemLimit int
	// Hook, if set before use, is called first by every Get, Set and Delete; its
	// error is theirs.
	Hook func(ctx context.Context, op, key string) error

	mu      sync.Mutex
	items   map[string]keychain.Secret
	state   keychain.State // "" is available
	changed []chan struct{}
}

func (m *Memory) About() keychain.About {
	return keychain.About{Name: "memory", ItemLimit: m.ItemLimit, Weaker: "secrets are kept in memory only and are gone after a restart"}
}

// Turn changes the state, and tells whoever watches.
func (m *Memory) Turn(state keychain.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = state
	for _, c := range m.changed {
		select {
		case c <- struct{}{}:
		default: // told already
		}
	}
}

// Keys are the keys of all items, sorted.
func (m *Memory) Keys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.items))
}

func (m *Memory) State(context.Context) keychain.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status()
}

func (m *Memory) status() keychain.Status {
	switch m.state {
	case keychain.Locked:
		return keychain.Status{State: keychain.Locked, Reason: "the keychain is locked", Hint: "Unlock it."}
	case keychain.Missing:
		return keychain.Status{State: keychain.Missing, Reason: "there is no keychain"}
	}
	return keychain.Status{State: keychain.Available}
}

// begin runs the hook and takes the lock, unless the call fails.
func (m *Memory) begin(ctx context.Context, op, key string) error {
	if m.Hook != nil {
		if err := m.Hook(ctx, op, key); err != nil {
			return err
		}
	}
	m.mu.Lock()
	if err := m.status().Err(); err != nil {
		m.mu.Unlock()
		return err
	}
	return nil
}

func (m *Memory) Get(ctx context.Context, key string) (keychain.Secret, error) {
	if err := m.begin(ctx, "get", key); err != nil {
		return keychain.Secret{}, err
	}
	defer m.mu.Unlock()
	v, ok := m.items[key]
	if !ok {
		return keychain.Secret{}, keychain.ErrNotFound
	}
	return v, nil
}

func (m *Memory) Set(ctx context.Context, key string, value keychain.Secret) error {
	if err := m.begin(ctx, "set", key); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if m.items == nil {
		m.items = map[string]keychain.Secret{}
	}
	m.items[key] = value
	return nil
}

func (m *Memory) Delete(ctx context.Context, key string) error {
	if err := m.begin(ctx, "delete", key); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if _, ok := m.items[key]; !ok {
		return keychain.ErrNotFound
	}
	delete(m.items, key)
	return nil
}

// Unlock makes it available.
func (m *Memory) Unlock(context.Context, keychain.Secret) error {
	m.Turn(keychain.Available)
	return nil
}

// Watch tells of every Turn.
func (m *Memory) Watch(ctx context.Context, changed func()) error {
	c := make(chan struct{}, 1)
	m.mu.Lock()
	m.changed = append(m.changed, c)
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed = slices.DeleteFunc(m.changed, func(other chan struct{}) bool { return other == c })
	}()
	for {
		select {
		case <-c:
			changed()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
