package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is pointed out, and of what is looked at.
const (
	maxFindings = 20        // more aren't read; the last one says how many there are
	maxLooked   = 256 << 10 // bytes of texts of one tool that are searched
	longText    = 5000      // characters; the longest descriptions of well-known servers have about 3,000
	longGap     = 100       // spaces in a row push text out of a window
	longBlank   = 15        // empty lines do the same
	longBlob    = 120       // characters that look like base64: more than any digest or key that is an example
)

// Inspect points out what a person should look at before a tool is trusted, one
// plain sentence each: characters that can't be seen, names that could be mistaken
// for others', words aimed at the model and not at people, texts too long to be
// read. It finds what is known; a tool about which it says nothing may still
// be bad. all has the tools of every server; it may be nil.
func Inspect(server string, tool Tool, all *Names) []string {
	var f findings
	f.name(tool.Name)
	f.add(all.like(server, tool.Name)...)
	n, err := parse(tool.Definition)
	if err != nil {
		f.add("The definition can't be read: " + err.Error() + ".")
		f.text("The definition", server, string(tool.Definition), all)
		return f.list()
	}
	if len(tool.Definition) > maxDefinition {
		f.add(fmt.Sprintf("The definition has %d bytes: too long to be read.", len(tool.Definition)))
	}
	f.walk(server, nil, n, all)
	return f.list()
}

// InspectText does the same for a text that a server gives to models, like its
// instructions; what names it in a sentence, like "The server's instructions".
func InspectText(what, server, s string, all *Names) []string {
	var f findings
	f.text(what, server, s, all)
	return f.list()
}

type findings struct {
	all    []string
	looked int
	cut    bool
}

func (f *findings) add(sentences ...string) { f.all = append(f.all, sentences...) }

func (f *findings) list() []string {
	if f.cut {
		f.add(fmt.Sprintf("Only the first %d bytes of its texts were looked at.", maxLooked))
	}
	if len(f.all) > maxFindings {
		more := len(f.all) - maxFindings + 1
		return append(f.all[:maxFindings-1:maxFindings-1], fmt.Sprintf("And %d more things like these.", more))
	}
	return f.all
}

func (f *findings) name(name string) {
	f.add(hidden("The name", name)...)
	for _, r := range name {
		if l := latin(r); l != r {
			f.add(fmt.Sprintf("The name has the letter %q (U+%04X), which looks like %q.", r, r, l))
			return
		}
	}
}

// walk looks at every text of a definition, members' names too.
func (f *findings) walk(server string, path []string, n node, all *Names) {
	switch n.kind {
	case kindString:
		if len(path) == 1 && path[0] == "name" || isIcon(path, n.text) {
			return // the name was looked at; a picture is no text
		}
		f.text(place(path), server, n.text, all)
	case kindObject:
		for i, k := range n.keys {
			if len(path) > 0 {
				f.add(hidden("A member's name at "+strings.Join(path, "."), k)...)
				if len(k) > longGap {
					f.text("A member's name at "+strings.Join(path, "."), server, k, all)
				}
			}
			f.walk(server, append(path, runes(Visible(k), longGap)), n.kids[i], all)
		}
	case kindArray:
		for _, kid := range n.kids {
			f.walk(server, path, kid, all)
		}
	}
}

// isIcon reports whether a text is a picture within an icon, which is base64 by right.
func isIcon(path []string, s string) bool {
	return len(path) > 0 && path[0] == "icons" && strings.HasPrefix(s, "data:image/") && isPlain(s)
}

func place(path []string) string {
	if len(path) == 1 {
		return "The " + path[0]
	}
	return "The text at " + strings.Join(path, ".")
}

func (f *findings) text(where, server, s string, all *Names) {
	if f.looked += len(s); f.looked > maxLooked {
		if over := f.looked - maxLooked; over < len(s) {
			s = s[:len(s)-over]
		} else {
			s = ""
		}
		f.cut, f.looked = true, maxLooked
	}
	f.add(hidden(where, s)...)
	f.add(aimed(where, s)...)
	f.add(mixed(where, s)...)
	if others := all.speaksOf(server, s); len(others) > 0 {
		f.add(where + " speaks of " + list(others, "") + ".")
	}
	if n := utf8.RuneCountInString(s); n > longText {
		f.add(fmt.Sprintf("%s is very long: %d characters.", where, n))
	}
	if gap(s) {
		f.add(where + " has a large gap that pushes text out of sight.")
	}
	if b := blob(s); b != "" {
		f.add(fmt.Sprintf("%s has %d characters that look like encoded data: %s.", where, len(b), shown(b)))
	}
}

// gap reports whether a text has many spaces or empty lines in a row.
func gap(s string) bool {
	spaces, lines := 0, 0
	for _, r := range s {
		switch {
		case r == '\n':
			lines++
			spaces = 0
		case unicode.IsSpace(r):
			spaces++
		default:
			spaces, lines = 0, 0
		}
		if spaces >= longGap || lines >= longBlank {
			return true
		}
	}
	return false
}

// blob is the first run of characters that looks like base64, or "".
func blob(s string) string {
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && base64ish(s[end]) {
			end++
		}
		if end-start >= longBlob && dense(s[start:end]) {
			return s[start:end]
		}
		start = end + 1
	}
	return ""
}

func base64ish(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '_' || c == '-'
}

// dense reports whether a run of letters looks like encoded data: large and
// small letters and digits in turn, as words, paths and hexadecimal numbers don't have them.
func dense(s string) bool {
	changes := 0
	class := func(c byte) int {
		switch {
		case 'a' <= c && c <= 'z':
			return 1
		case 'A' <= c && c <= 'Z':
			return 2
		case '0' <= c && c <= '9':
			return 3
		}
		return 4
	}
	upper := false
	for i := 1; i < len(s); i++ {
		upper = upper || class(s[i]) == 2
		if class(s[i]) != class(s[i-1]) {
			changes++
		}
	}
	return upper && changes*3 > len(s) // about 0.6 of all places in base64, 0.1 in paths and camel case
}

// mixed finds words in which letters of another alphabet stand for Latin ones.
func mixed(where, s string) []string {
	if isPlain(s) {
		return nil
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		ascii, foreign, letters := 0, rune(0), 0
		for _, r := range w {
			letters++
			switch {
			case r < utf8.RuneSelf:
				ascii++
			case looksLike[r] != 0 && unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian):
				foreign = r
			}
		}
		if ascii > 0 && foreign != 0 && letters >= 4 {
			return []string{fmt.Sprintf("%s has the word %s, in which %q (U+%04X) looks like %q.", where, shown(w), foreign, foreign, latin(foreign))}
		}
	}
	return nil
}
