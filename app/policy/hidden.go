package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joining are the scripts in which the two joiners are ordinary letters' company.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Malayalam,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Mongolian, unicode.Tibetan,
}

// hidden finds characters that a person doesn't see and a model does, one
// sentence a kind. What writing needs is let pass: joiners between emoji and in scripts
// that join, the flags made of tags, one selector behind a symbol, marks of
// direction beside Arabic or Hebrew.
func hidden(where, s string) (out []string) {
	if isPlain(s) {
		return nil
	}
	all := []rune(s)
	count := make(map[string]int)
	var order []string
	var tags, bytes []rune // what is spelled by them
	rtl := strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana)
	})
	flag := false
	for i, r := range all {
		kind := hiddenKind(r)
		flag = r == 0x1f3f4 || flag && kind == kindTag
		if kind == "" || kind == kindTag && flag || needed(all, i, rtl) {
			continue
		}
		if count[kind] == 0 {
			order = append(order, kind)
		}
		count[kind]++
		switch {
		case kind == kindTag && r >= 0xe0020:
			tags = append(tags, r-0xe0000)
		case r >= 0xfe00 && r <= 0xfe0f:
			bytes = append(bytes, r-0xfe00)
		case r >= 0xe0100 && r <= 0xe01ef:
			bytes = append(bytes, r-0xe0100+16)
		}
	}
	for _, kind := range order {
		s := fmt.Sprintf("%s has %d %s.", where, count[kind], kind)
		switch {
		case kind == kindTag && len(tags) > 0:
			s += " They spell " + shown(string(tags)) + "."
		case kind == kindVariation && spells(bytes):
			s += " They spell " + shown(string(bytes)) + "."
		}
		out = append(out, s)
	}
	return out
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// spells reports whether selectors carry text: four or more that are all ASCII.
func spells(bytes []rune) bool {
	for _, b := range bytes {
		if b < ' ' && b != '\n' || b > '~' {
			return false
		}
	}
	return len(bytes) >= 4
}

// needed reports whether writing needs the hidden character at i.
func needed(all []rune, i int, rtl bool) bool {
	var before, after rune
	if i > 0 {
		before = all[i-1]
	}
	if i+1 < len(all) {
		after = all[i+1]
	}
	switch r := all[i]; {
	case r == 0xfeff:
		return i == 0 // a byte order mark
	case r == 0x200e, r == 0x200f, r == 0x61c:
		return rtl
	case r == 0x200d && emoji(before) && emoji(after):
		return true
	case r == 0x200c, r == 0x200d:
		return unicode.In(before, joining...)
	case r == 0xfe0e, r == 0xfe0f:
		return emoji(before) && before != r || after == 0x20e3 && strings.ContainsRune("0123456789#*", before) || before == 0x2139
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, before)
	case r == 0x2800:
		return before > 0x2800 && before < 0x2900 || after > 0x2800 && after < 0x2900
	}
	return false
}

// emoji reports whether r can be part of one, roughly: symbols, and what stands
// behind them.
func emoji(r rune) bool {
	return r > 0xa0 && unicode.In(r, unicode.S, unicode.P) || r == 0xfe0f || r >= 0x1f000 && r < 0x1fb00
}
