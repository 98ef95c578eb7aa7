package keychain

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxValue bounds a secret: Windows can't pass a longer one to a process in any
// way, for its environment is at most 32,767 characters.
const MaxValue = 32 << 10

// partsMark begins an item that holds no value but says where its parts are.
// A value that begins with it is stored in parts, too, so that none is mistaken.
const partsMark = "bridgekeeper-parts:1:"

// checkValue refuses what no process could be given.
func checkValue(name string, value Secret) error {
	v := value.Reveal()
	bad := func(code, sentence, hint string) error {
		return &Error{Code: code, Message: "the value of " + name + " " + sentence, Hint: hint, Names: []string{name}}
	}
	switch {
	case v == "":
		return bad(CodeSecretValue, "is empty", "Delete the secret if it is no longer needed.")
	case len(v) > MaxValue:
		return bad(CodeSecretTooLarge, fmt.Sprintf("has %d bytes; at most %d are possible", len(v), MaxValue), "Keep it in a file and give the server its path.")
	case strings.Contains(v, "\x00"):
		return bad(CodeSecretValue, "contains a zero byte", "Store binary values as base64.")
	case !utf8.ValidString(v):
		return bad(CodeSecretValue, "is not text (UTF-8)", "Store binary values as base64.")
	}
	return nil
}

// split cuts a value into pieces of at most limit bytes.
func split(value string, limit int) []string {
	var pieces []string
	for len(value) > limit {
		end := limit
		for end > 1 && !utf8.RuneStart(value[end]) { // keychains hold text
			end--
		}
		pieces = append(pieces, value[:end])
		value = value[end:]
	}
	return append(pieces, value)
}

// place is where a split value is: how many parts, under which generation.
type place struct {
	gen   string
	parts int
	size  int
}

func (p place) head() string {
	return fmt.Sprintf("%s%s:%d:%d", partsMark, p.gen, p.parts, p.size)
}

// keys can't clash with names: # is not allowed in one.
func (p place) keys(name string) []string {
	keys := make([]string, p.parts)
	for i := range keys {
		keys[i] = fmt.Sprintf("%s#%s.%d", name, p.gen, i+1)
	}
	return keys
}

func parseHead(head string) (p place, ok bool) {
	f := strings.Split(strings.TrimPrefix(head, partsMark), ":")
	if !strings.HasPrefix(head, partsMark) || len(f) != 3 {
		return place{}, false
	}
	p.gen = f[0]
	var err1, err2 error
	p.parts, err1 = strconv.Atoi(f[1])
	p.size, err2 = strconv.Atoi(f[2])
	ok = err1 == nil && err2 == nil && p.parts > 0 && p.parts <= MaxValue && p.size > 0 && p.size <= MaxValue
	return p, ok
}

func newGeneration() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// write stores one value. The item under its name changes last and at once, so
// that a reader finds the old value or the new one.
func (s *Store) write(ctx context.Context, name string, value Secret) error {
	text, limit := value.Reveal(), s.about.ItemLimit
	if !strings.HasPrefix(text, partsMark) && (limit == 0 || len(text) <= limit) {
		if err := s.backend.Set(ctx, name, value); err != nil {
			return err
		}
		return s.drop(ctx, name, nil)
	}
	if limit == 0 {
		limit = MaxValue
	}
	pieces := split(text, limit)
	p := place{gen: newGeneration(), parts: len(pieces), size: len(text)}
	keys := p.keys(name)
	before := len(s.index.stale)
	s.index.stale = append(s.index.stale, keys...)
	if err := s.index.save(); err != nil {
		s.index.stale = s.index.stale[:before]
		return err
	}
	for i, piece := range pieces {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := s.backend.Set(ctx, keys[i], NewSecret(piece)); err != nil {
			return err
		}
	}
	if err := s.backend.Set(ctx, name, NewSecret(p.head())); err != nil {
		return err
	}
	return s.drop(ctx, name, keys)
}

// drop makes keys the parts of name and removes those it had before, and all
// that earlier crashes left. What can't be removed now stays on the list.
func (s *Store) drop(ctx context.Context, name string, keys []string) error {
	e := s.index.entries[name]
	if len(e.Keys) == 0 && len(keys) == 0 && len(s.index.stale) == 0 {
		return nil
	}
	used := map[string]bool{}
	for _, k := range keys {
		used[k] = true
	}
	var stale []string
	for _, k := range append(s.index.stale, e.Keys...) {
		if !used[k] {
			stale = append(stale, k)
		}
	}
	if _, ok := s.index.entries[name]; ok {
		e.Keys = keys
		s.index.entries[name] = e
	}
	s.index.stale = nil
	for _, k := range stale {
		if ctx.Err() != nil || !gone(s.backend.Delete(ctx, k)) {
			s.index.stale = append(s.index.stale, k)
		}
	}
	return s.index.save()
}

func gone(err error) bool { return err == nil || errors.Is(err, ErrNotFound) }

// learn puts a name into the list that the keychain has and the list lost, with
// the parts of its value, so that those can be removed.
func (s *Store) learn(ctx context.Context, name string) error {
	if _, ok := s.index.entries[name]; ok {
		return nil
	}
	if _, ok := s.index.clash(name); ok {
		return nil // the same item on Windows
	}
	head, err := s.backend.Get(ctx, name)
	if err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	e := Entry{Name: name}
	if p, ok := parseHead(head.Reveal()); ok {
		e.Keys = p.keys(name)
	}
	s.index.entries[name] = e
	return s.index.save()
}

// read returns one value, whole.
func (s *Store) read(ctx context.Context, name string) (Secret, error) {
	head, err := s.backend.Get(ctx, name)
	if err != nil {
		return Secret{}, err
	}
	if !strings.HasPrefix(head.Reveal(), partsMark) {
		return head, nil
	}
	p, ok := parseHead(head.Reveal())
	if !ok {
		return Secret{}, damaged(name)
	}
	var whole strings.Builder
	for _, k := range p.keys(name) {
		if ctx.Err() != nil {
			return Secret{}, context.Cause(ctx)
		}
		piece, err := s.backend.Get(ctx, k)
		if errors.Is(err, ErrNotFound) {
			return Secret{}, damaged(name)
		}
		if err != nil {
			return Secret{}, err
		}
		whole.WriteString(piece.Reveal())
	}
	if whole.Len() != p.size {
		return Secret{}, damaged(name)
	}
	return NewSecret(whole.String()), nil
}

// damaged: somebody removed a part with the system's own tool. The value is
// lost, and that is what the person needs to know.
func damaged(name string) *Error {
	e := notFound(name)
	e.Message = "a part of the secret " + name + " is gone from the keychain"
	return e
}
