package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything that can't be seen, or that turns text
// around, written like \u{202e}, and bytes that are no UTF-8 like \x{ff}. Backslashes of
// text that looks like that already are doubled, so that nothing can pretend.
// Line ends stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unseen(r) || r == '\\' || r == utf8.RuneError }) {
		return s
	}
	return visible(s, func(b *strings.Builder, at string, r rune) bool {
		switch {
		case r == '\\' && looksEscaped(at):
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteByte('\n')
		default:
			return false
		}
		return true
	})
}

// looksEscaped reports whether what follows a run of backslashes could be taken
// for one of ours.
func looksEscaped(s string) bool {
	s = strings.TrimLeft(s, `\`)
	return strings.HasPrefix(s, "u{") || strings.HasPrefix(s, "x{")
}

// visible writes s; own may write a character in its own way, the rest of s in hand.
func visible(s string, own func(b *strings.Builder, at string, r rune) bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case own(&b, s[i:], r):
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x{%02x}`, s[i])
		case unseen(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// unseen reports whether a person doesn't see r, or sees it only by what it
// does to others. The plain space is seen.
func unseen(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return !unicode.IsPrint(r) || hiddenKind(r) != "" || unicode.Is(unicode.Zs, r)
}

// hiddenKind says what kind of hidden character r is, or "".
func hiddenKind(r rune) string {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return ""
	case r < ' ', r >= 0x7f && r < 0xa0:
		return kindControl
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return kindBidi
	case r >= 0xe0000 && r <= 0xe007f:
		return kindTag
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180d, r == 0x180f:
		return kindVariation
	}
	switch r {
	case 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064,
		0x206a, 0x206b, 0x206c, 0x206d, 0x206e, 0x206f, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb, 0x2800:
		return kindInvisible
	}
	return ""
}

// Kinds of hidden characters, as a sentence names them.
const (
	kindControl   = "control characters"
	kindBidi      = "characters that change the direction of text"
	kindTag       = "invisible tag characters"
	kindVariation = "variation selectors where there is nothing to vary"
	kindInvisible = "invisible characters"
)
