package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

const (
	// minValue and minWord: see Use.
	minValue = 6
	minWord  = 3
	// minPart is the shortest piece (a line of a value, a value without its first
	// bytes) that is looked for by itself: shorter ones are in innocent text.
	minPart = 12
	// indexed is how many bytes of a pattern find it.
	indexed = 4
)

// pattern is one form of a value as it may stand in text, without line breaks.
type pattern struct {
	text string
	name string
	// base64 only: whether the neighbours hold some bits of the value, too.
	before, after bool
}

// forms are the patterns for one value.
func forms(name, value string) []pattern {
	var list []pattern
	add := func(text string) {
		text = unbroken(text)
		if len(text) < minValue {
			return
		}
		list = append(list, pattern{text: text, name: name})
		// A line break within the first bytes: the rest of the value is found.
		if len(text) >= minPart+indexed {
			for cut := 1; cut < indexed; cut++ {
				list = append(list, pattern{text: text[cut:], name: name})
			}
		}
	}
	add(value)
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) >= minPart && !strings.HasPrefix(line, "-----") {
			add(line)
		}
	}
	for _, text := range escaped(value) {
		add(text)
	}
	for _, text := range percent(value) {
		add(text)
	}
	add(hex.EncodeToString([]byte(value)))
	add(strings.ToUpper(hex.EncodeToString([]byte(value))))
	return append(list, base64Forms(name, value)...)
}

var lineBreaks = strings.NewReplacer("\n", "", "\r", "")

func unbroken(s string) string { return lineBreaks.Replace(s) }

// escaped are the forms within JSON (by several writers, and within JSON again)
// and HTML.
func escaped(value string) []string {
	plain := jsonText(value, false)
	ascii := asciiJSON(plain)
	slashes := strings.ReplaceAll(plain, "/", `\/`)
	safe := jsonText(value, true)
	list := []string{plain, safe, ascii, slashes, html.EscapeString(value)}
	for _, once := range []string{plain, safe, ascii} {
		list = append(list, jsonText(once, false), jsonText(once, true))
	}
	return list
}

func jsonText(s string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if e.Encode(s) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// asciiJSON is how Python writes JSON by default.
func asciiJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
	}
	return b.String()
}

var byBrowser = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

var percentCode = regexp.MustCompile(`%[0-9A-F]{2}`)

// percent are the forms within URLs, by Go, by browsers, and with small digits.
func percent(value string) []string {
	query := url.QueryEscape(value)
	browser := byBrowser.Replace(query)
	list := []string{query, browser, url.PathEscape(value)}
	for _, s := range slices.Clone(list) {
		list = append(list, percentCode.ReplaceAllStringFunc(s, strings.ToLower))
	}
	return list
}

// base64Forms are those characters of the encoded value that depend on nothing
// else, for each of the three places in which it may begin within a longer
// encoded text. Padding follows from that, and is taken with the match.
func base64Forms(name, value string) []pattern {
	var list []pattern
	for shift := range 3 {
		padded := strings.Repeat("\x00", shift) + value
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := alphabet.EncodeToString([]byte(padded))
			first := (shift*8 + 5) / 6    // the first character that is the value's alone
			last := len(padded) * 8 / 6   // the first that isn't any more
			after := len(padded)*8%6 != 0 // a further one holds its last bits
			if text = text[first:last]; len(text) >= minValue {
				p := pattern{text: text, name: name, before: shift > 0, after: after}
				list = append(list, p)
				if len(text) >= minPart+indexed {
					for cut := 1; cut < indexed; cut++ {
						p.text, p.before = text[cut:], false
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

// set is what is looked for; immutable.
type set struct {
	filter  [1 << 16 / 64]uint64 // by hash of a pattern's first bytes
	found   map[uint32][]pattern // by the first bytes themselves, longest first
	words   []Value              // too short for patterns
	longest int
}

func newSet(values []Value) (s *set, uncovered []string) {
	s = &set{found: map[uint32][]pattern{}}
	seen := map[string]bool{}
	for _, v := range values {
		text := v.Secret.Reveal()
		switch {
		case len(strings.TrimSpace(text)) < minWord:
			uncovered = append(uncovered, v.Name)
			continue
		case len(text) < minValue:
			s.words = append(s.words, v)
			continue
		}
		for _, p := range forms(v.Name, text) {
			if seen[p.text] {
				continue
			}
			seen[p.text] = true
			key := first([]byte(p.text))
			h := hash(key)
			s.filter[h/64] |= 1 << (h % 64)
			s.found[key] = append(s.found[key], p)
			s.longest = max(s.longest, len(p.text))
		}
	}
	for _, list := range s.found {
		slices.SortStableFunc(list, func(a, b pattern) int { return len(b.text) - len(a.text) })
	}
	return s, uncovered
}
