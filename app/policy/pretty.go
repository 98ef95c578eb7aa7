package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How a definition is written for a person.
const (
	lineWidth  = 120 // longer texts are broken, so that one changed word isn't a changed page
	maxIndent  = 40  // levels that are indented; what is deeper has its level in front
	indentStep = "  "
)

// firstKeys are the members of a tool in the order that people read them; others
// follow by name.
var firstKeys = map[string]int{"name": -9, "title": -8, "description": -7, "inputSchema": -6, "outputSchema": -5, "annotations": -4}

// pretty writes a definition as lines: members in an order of their own,
// texts of several lines or sentences as such, hidden characters made visible. What can't
// be read as JSON is written as it is.
func pretty(raw []byte) []string {
	n, err := parse(raw)
	if err != nil {
		p := printer{}
		p.block("", string(raw))
		return p.lines
	}
	p := printer{}
	p.value("", "", n, 0)
	return p.lines
}

type printer struct{ lines []string }

func (p *printer) line(s string) { p.lines = append(p.lines, s) }

// value writes n behind label, which is a key with its colon, or a dash.
func (p *printer) value(indent, label string, n node, depth int) {
	inner := indent
	switch {
	case depth >= maxIndent:
		inner = strings.Repeat(indentStep, maxIndent-1) + fmt.Sprintf("(%d) ", depth)
	case depth > 0:
		inner += indentStep
	}
	head := indent + strings.TrimRight(label, " ")
	switch n.kind {
	case kindString:
		if strings.ContainsAny(n.text, "\n\r") || utf8.RuneCountInString(n.text)+len(head) > lineWidth {
			p.line(head)
			p.block(inner, n.text)
			return
		}
		p.line(indent + label + quote(n.text))
	case kindObject:
		if len(n.keys) == 0 {
			p.line(indent + label + "{}")
			return
		}
		if label != "" {
			p.line(head)
		}
		for _, i := range order(n.keys, depth == 0) {
			p.value(inner, key(n.keys[i])+": ", n.kids[i], depth+1)
		}
	case kindArray:
		if flat := short(n); flat != "" && len(head)+len(flat) < lineWidth {
			p.line(indent + label + flat)
			return
		}
		p.line(head)
		for _, kid := range n.kids {
			p.value(inner, "- ", kid, depth+1)
		}
	default:
		p.line(indent + label + string(n.raw))
	}
}

// order sorts members by name, those of a tool as people read them. Members that stand
// twice stay in their order.
func order(keys []string, tool bool) []int {
	all := indices(len(keys))
	slices.SortStableFunc(all, func(a, b int) int {
		if tool {
			if c := cmp.Compare(firstKeys[keys[a]], firstKeys[keys[b]]); c != 0 {
				return c
			}
		}
		return strings.Compare(keys[a], keys[b])
	})
	return all
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// short is a list of plain values on one line, or "".
func short(n node) string {
	parts := make([]string, 0, len(n.kids))
	for _, kid := range n.kids {
		switch {
		case kid.kind == kindScalar:
			parts = append(parts, string(kid.raw))
		case kid.kind == kindString && len(kid.text) < lineWidth:
			parts = append(parts, quote(kid.text))
		default:
			return ""
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// key is a member's name: bare when it is a plain word.
func key(k string) string {
	plain := k != "" && !strings.ContainsFunc(k, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$' || r == '.' || r == '/')
	})
	if plain {
		return k
	}
	return quote(k)
}

// quote writes a text in quotes, so that where it begins and ends is seen.
func quote(s string) string {
	return `"` + visible(s, func(b *strings.Builder, _ string, r rune) bool {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		default:
			return false
		}
		return true
	}) + `"`
}

// block writes a long text behind bars, one sentence a line where it can be. A
// line that goes on with the one above has a broken bar: every difference
// is to be seen, of line ends too.
func (p *printer) block(indent, s string) {
	for part := range strings.SplitSeq(s, "\n") {
		bar := "| "
		for _, l := range sentences(part) {
			p.line(indent + bar + Visible(l))
			bar = "¦ "
		}
	}
}

// sentences breaks one line behind its sentences, and where one is too long
// between words or, at last, anywhere.
func sentences(s string) (out []string) {
	for utf8.RuneCountInString(s) > lineWidth {
		head := runes(s, lineWidth)
		at := -1
		for _, end := range []string{". ", "! ", "? ", "; ", ": "} {
			if i := strings.Index(head, end); i >= 0 && (at < 0 || i+len(end) < at) {
				at = i + len(end)
			}
		}
		if at < 0 {
			if at = strings.LastIndexByte(head, ' ') + 1; at == 0 {
				at = len(head)
			}
		}
		out = append(out, s[:at])
		s = s[at:]
	}
	return append(out, s)
}

// runes are the first n characters of s.
func runes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// shown is a short piece of a text for a sentence.
func shown(s string) string {
	const most = 60 // characters: enough to find the place
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > most {
		s = runes(s, most) + "…"
	}
	return strconv.Quote(s)
}
