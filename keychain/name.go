package keychain

import (
	"fmt"
	"strings"
)

// MaxName bounds a name: it is part of an item's name in every keychain, shown
// in one line of a list, and Windows and macOS count it towards their limits.
const MaxName = 64

// ValidName reports whether s can be the name of a secret: a letter, digit or
// underscore, then also dots and dashes, MaxName bytes at most.
func ValidName(s string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		case (c == '-' || c == '.') && i > 0:
		default:
			return false
		}
	}
	return true
}

const (
	refStart = "${secret:"
	refEnd   = "}"
)

// Ref is how a config names a secret: ${secret:NAME}.
func Ref(name string) string { return refStart + name + refEnd }

// ParseName returns the name in s, which is a name or a Ref.
func ParseName(s string) (string, error) {
	name := s
	if inner, ok := strings.CutPrefix(s, refStart); ok && strings.HasSuffix(inner, refEnd) {
		name = strings.TrimSuffix(inner, refEnd)
	}
	if !ValidName(name) {
		return "", badName(name)
	}
	return name, nil
}

func badName(name string) *Error {
	return &Error{
		Code:    CodeSecretName,
		Message: fmt.Sprintf("%.80q can't be the name of a secret", name),
		Hint:    fmt.Sprintf("Use letters, digits, _, - and ., at most %d, as in GITHUB_TOKEN.", MaxName),
	}
}

// UpperName is text as the name of a variable or a secret: upper case, runs of
// everything else as one _.
func UpperName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(s) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	return strings.TrimSuffix(b.String(), "_")
}
