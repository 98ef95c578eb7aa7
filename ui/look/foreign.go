package look

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Piece is a part of foreign text: ordinary, or the name of a character that
// can't be seen or that turns the order of others.
type Piece struct {
	Text   string
	Hidden bool
}

// Pieces cuts one line of foreign text so that what hides can be told from what
// only looks like a name of it.
func Pieces(s string) []Piece {
	var out []Piece
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && n == 1
		if !broken && !Hides(r, before(s, i)) {
			i += n
			continue
		}
		if start < i {
			out = append(out, Piece{Text: s[start:i]})
		}
		name := "byte " + hex(rune(s[i]), 2)
		if !broken {
			name = nameOf(r)
		}
		same := 1 // of the same beside each other
		for strings.HasPrefix(s[i+same*n:], s[i:i+n]) {
			same++
		}
		if same > 1 {
			name += " ×" + strconv.Itoa(same)
		}
		out = append(out, Piece{"‹" + name + "›", true})
		i += same * n
		start = i
	}
	if start < len(s) {
		out = append(out, Piece{Text: s[start:]})
	}
	return out
}

func before(s string, i int) rune {
	r, n := utf8.DecodeLastRuneInString(s[:i])
	if n <= 1 && r == utf8.RuneError {
		return 0 // not a letter: a broken byte, or the beginning
	}
	return r
}

func nameOf(r rune) string {
	switch r {
	case '\n':
		return "line break"
	case '\t':
		return "tab"
	}
	return "U+" + hex(r, 4)
}

// hex is a number in at least so many hexadecimal digits.
func hex(r rune, digits int) string {
	s := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	return strings.Repeat("0", max(0, digits-len(s))) + s
}

// Hides reports whether a character can't be seen, or changes how others are
// seen: controls, marks of direction, zero widths, tags, blank letters. Joiners
// count only where no letter or sign that they could join stands before them.
func Hides(r, before rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return before < 0x80 || !joins(before)
	case r == '\ufe0e', r == '\ufe0f': // text or picture
		return before < 0x80 && !strings.ContainsRune("#*0123456789", before) || unicode.IsControl(before)
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u17b4', r == '\u17b5', r == '\u3164', r == '\uffa0', r == '\u2800':
		return true
	case unicode.Is(unicode.Variation_Selector, r), r == utf8.RuneError:
		return true
	case r == '\u2028', r == '\u2029':
		return true
	case unicode.Is(unicode.Zs, r):
		return r != ' ' && r != '\u00a0' && r != '\u3000' && r != '\u202f' && r != '\u2009'
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// joins reports whether a joiner after the character means something: a script
// that needs it, or a picture made of several.
func joins(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) ||
		unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r)
}

// Show is foreign text as one line in which what hides has a name.
func Show(s string) string {
	if !hides(s) {
		return s
	}
	var b strings.Builder
	for _, p := range Pieces(s) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// ShowLines is Show for text of several lines.
func ShowLines(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !hides(s) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Show(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// hides reports whether anything in a text does.
func hides(s string) bool {
	before := rune(0)
	for _, r := range s {
		if r == utf8.RuneError || Hides(r, before) {

			return true
		}
		before = r
	}
	return false
}

// HasHidden reports whether text has characters that hide something, other than
// line breaks and tabs.
func HasHidden(s string) bool {
	return hides(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(s))
}
