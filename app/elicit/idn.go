package elicit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// asciiName is a host's name as it would be asked for, in ASCII; what letters
// beyond ASCII in it might hide is noted.
func (p *page) asciiName(host string) (string, error) {
	name, err := idna.Lookup.ToASCII(host)
	if err != nil || name == "" || len(name) > maxHost || strings.Contains(name, "..") || strings.HasPrefix(name, ".") {
		// Underscores are no letters of names, but some have them.
		if name = strings.ToLower(host); err == nil || !ascii(name) || !loose(name) {
			return "", errors.New("its host's name is none")
		}
	}
	if !loose(name) {
		return "", errors.New("its host's name is none")
	}
	shown, err := idna.Display.ToUnicode(name)
	if err != nil {
		if strings.Contains(name, "xn--") {
			return "", errors.New("its host's name is none")
		}
		return name, nil
	}
	if shown == name {
		return name, nil
	}
	p.note("The host's name has letters beyond a to z: %s is %s.", name, shown)
	for label := range strings.SplitSeq(shown, ".") {
		if used := scripts(label); len(used) > 1 && !together(used) {
			p.note("The part %q mixes scripts (%s): it may imitate another name.", label, strings.Join(used, ", "))
		}
		if like := skeleton(label); like != "" {
			p.note("The part %q looks like %q, and is another name.", label, like)
		}
	}
	return name, nil
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// loose reports whether a name has only letters, digits, hyphens, underscores,
// and labels of a size that DNS takes.
func loose(name string) bool {
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || label[0] == '-' {
			return false
		}
	}
	return true
}

// known are the scripts that names are mixed from; others count as themselves.
var known = []string{"Latin", "Cyrillic", "Greek", "Armenian", "Hebrew", "Arabic", "Cherokee", "Georgian", "Thai", "Devanagari", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}

// scripts names the scripts of a label's letters.
func scripts(label string) []string {
	var used []string
	for _, r := range label {
		if unicode.In(r, unicode.Common, unicode.Inherited) {
			continue
		}
		name := "another"
		for _, s := range known {
			if unicode.Is(unicode.Scripts[s], r) {
				name = s
				break
			}
		}
		if !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	return used
}

// together reports whether scripts are written side by side in one language.
func together(used []string) bool {
	for _, language := range [][]string{{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Hangul"}, {"Latin", "Han", "Bopomofo"}} {
		if !slices.ContainsFunc(used, func(s string) bool { return !slices.Contains(language, s) }) {
			return true
		}
	}
	return false
}

// twins are letters that look like a to z: small letters only, names have no
// others. Accents are not here: a person sees those.
var twins = map[rune]string{
	'а': "a", 'ɑ': "a", 'α': "a", 'в': "b", 'ь': "b", 'с': "c", 'ϲ': "c", 'ԁ': "d", 'ɗ': "d", 'е': "e", 'ҽ': "e", 'є': "e", 'ɡ': "g", 'ց': "g",
	'һ': "h", 'հ': "h", 'і': "i", 'ı': "i", 'ι': "i", 'ɩ': "i", 'ј': "j", 'ϳ': "j", 'к': "k", 'κ': "k", 'ӏ': "l", 'ⅼ': "l", 'ǀ': "l", 'м': "m", 'н': "h",
	'ո': "n", 'п': "n", 'о': "o", 'ο': "o", 'օ': "o", 'σ': "o", 'р': "p", 'ρ': "p", 'ԛ': "q", 'գ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'τ': "t",
	'ս': "u", 'υ': "u", 'ц': "u", 'ѵ': "v", 'ν': "v", 'ԝ': "w", 'ѡ': "w", 'ω': "w", 'х': "x", 'χ': "x", 'у': "y", 'ү': "y", 'γ': "y", 'ᴢ': "z", 'ʐ': "z",
}

// skeleton is what a label looks like in a to z, if every letter of it is or
// resembles one and at least one only resembles it; else "".
func skeleton(label string) string {
	var b strings.Builder
	foreign := false
	for _, r := range label {
		if r <= unicode.MaxASCII {
			b.WriteRune(r)
			continue
		}
		twin, ok := twins[r]
		if !ok {
			return ""
		}
		foreign = true
		fmt.Fprint(&b, twin)
	}
	if !foreign {
		return ""
	}
	return b.String()
}
