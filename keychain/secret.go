package keychain

import (
	"fmt"
	"log/slog"
)

// Mask is what a Secret shows itself as.
const Mask = "••••"

// Secret is a value that prints, logs and marshals as a mask. Reveal is the one
// way to open it. The zero Secret is empty.
//
// It is a struct around a pointer, so that a formatter that walks fields by
// reflection finds an address and no text.
type Secret struct{ value *string }

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal opens the secret. What it returns goes to a process about to be
// started, to a keychain or to the redactor, and nowhere else.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.value == nil || *s.value == "" }

// Equal compares two values without opening either to the caller.
func (s Secret) Equal(t Secret) bool { return s.Reveal() == t.Reveal() }

// Format writes the mask for every verb, with flags and without.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, Mask) }

func (s Secret) String() string { return Mask }

// GoString is for %#v where Format isn't asked.
func (s Secret) GoString() string { return Mask }

// LogValue is what slog writes.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Mask) }

// MarshalText covers JSON, XML, and keys of maps.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Mask), nil }

// MarshalBinary keeps gob and its like from reaching in.
func (s Secret) MarshalBinary() ([]byte, error) { return []byte(Mask), nil }
