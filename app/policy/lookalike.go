package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// looksLike maps letters to the Latin ones that people take them for. It is
// small on purpose: what names of tools are made of.
var looksLike = map[rune]rune{
	// Cyrillic
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p', 'ԛ': 'q',
	'г': 'r', 'ѕ': 's', 'т': 't', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'у': 'y', 'ӏ': 'l',
	'А': 'A', 'В': 'B', 'С': 'C', 'Е': 'E', 'Н': 'H', 'І': 'I', 'Ј': 'J', 'К': 'K', 'М': 'M', 'О': 'O', 'Р': 'P', 'Ѕ': 'S', 'Т': 'T', 'Х': 'X', 'У': 'Y',
	// Greek
	'α': 'a', 'γ': 'y', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ω': 'w', 'ϲ': 'c', 'ϳ': 'j',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
	// Others
	'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ɩ': 'i', 'ʟ': 'l', 'ℓ': 'l', 'ⅼ': 'l', 'ⅰ': 'i', 'ⅽ': 'c', 'ⅾ': 'd', 'ⅿ': 'm', 'օ': 'o', 'ս': 'u', 'հ': 'h', 'ո': 'n', '‐': '-', '‑': '-', '–': '-', '＿': '_',
}

// latin is the Latin letter that r looks like, or r.
func latin(r rune) rune {
	if r < 0x80 {
		return r
	}
	if l, ok := looksLike[r]; ok {
		return l
	}
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		return r - 0xfee0
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical alphabets, one behind the other
		if i := (r - 0x1d400) % 52; i < 26 {
			return 'A' + i
		} else {
			return 'a' + i - 26
		}
	}
	return r
}

// fold makes small Latin letters of a name and one separator of all.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(latin(r))
		switch {
		case r == '-', r == '.', r == ' ', r == '/':
			return '_'
		case hiddenKind(r) != "":
			return -1
		}
		return r
	}, name)
}

// alike are letters and digits that people don't tell apart.
var alike = strings.NewReplacer("0", "o", "1", "l", "i", "l", "|", "l", "5", "s", "rn", "m", "vv", "w")

// skeleton is what is left of a name when what people don't tell apart is made equal.
func skeleton(name string) string { return alike.Replace(fold(name)) }

// Named is a tool of some server.
type Named struct{ Server, Name string }

// Names are the tools of all servers, made ready for comparing names. They
// don't change.
type Names struct {
	byName     map[string][]string // servers by tool's name
	bySkeleton map[string][]Named
	byLength   map[int][]folded
}

// folded is a name and what fold makes of it.
type folded struct {
	Named
	text string
}

func NewNames(all []Named) *Names {
	n := &Names{byName: make(map[string][]string), bySkeleton: make(map[string][]Named), byLength: make(map[int][]folded)}
	for _, t := range all {
		n.byName[t.Name] = append(n.byName[t.Name], t.Server)
		k := skeleton(t.Name)
		n.bySkeleton[k] = append(n.bySkeleton[k], t)
		text := fold(t.Name)
		n.byLength[len(text)] = append(n.byLength[len(text)], folded{t, text})
	}
	return n
}

// minTypo is the length from which one letter's difference is a likeness: below
// it, honest names are as near (get and set).
const minTypo = 8

// like finds names of other servers' tools that could be mistaken for this one.
func (n *Names) like(server, name string) (out []string) {
	if n == nil {
		return nil
	}
	var same []string
	for _, s := range n.byName[name] {
		if s != server {
			same = append(same, s)
		}
	}
	if len(same) > 0 {
		out = append(out, fmt.Sprintf("A tool of this name is at %s, too: a model may take one for the other.", list(same, "server ")))
	}
	k := skeleton(name)
	var like, near []string
	for _, t := range n.bySkeleton[k] {
		if t.Server != server && t.Name != name {
			like = append(like, t.label())
		}
	}
	if text := fold(name); len(text) >= minTypo {
		for l := len(text) - 1; l <= len(text)+1; l++ {
			for _, t := range n.byLength[l] {
				if t.Server != server && oneApart(text, t.text) && skeleton(t.Name) != k {
					near = append(near, t.label())
				}
			}
		}
	}
	if len(like) > 0 {
		out = append(out, "The name looks like "+list(like, "")+".")
	}
	if len(near) > 0 {
		out = append(out, "The name is one letter away from "+list(near, "")+".")
	}
	return out
}

func (t Named) label() string { return fmt.Sprintf("%.80q of server %q", t.Name, t.Server) }

// list joins a few and counts the rest; with a prefix the parts are quoted.
func list(parts []string, prefix string) string {
	const most = 3
	slices.Sort(parts)
	parts = slices.Compact(parts)
	more := 0
	if len(parts) > most {
		parts, more = parts[:most], len(parts)-most
	}
	shown := slices.Clone(parts)
	if prefix != "" {
		for i, p := range shown {
			shown[i] = prefix + strconv.Quote(p)
		}
	}
	if more > 0 {
		return strings.Join(shown, ", ") + fmt.Sprintf(" and %d more", more)
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " and " + shown[len(shown)-1]
}

// oneApart reports whether a becomes b by one letter that is added, left out or
// another, or by two neighbours that change places. Numbers that differ are two versions, no likeness.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:] && !digit(b[i])
	}
	if a[i+1:] == b[i+1:] {
		return !digit(a[i]) && !digit(b[i])
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// speaksOf finds tools of other servers that a text names: a tool has no
// business to say how others are used.
func (n *Names) speaksOf(server, text string) (out []string) {
	if n == nil {
		return nil
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		at := n.byName[w]
		if len(w) < 6 || len(at) == 0 || slices.Contains(at, server) || !compound(w) {
			continue
		}
		out = append(out, Named{at[0], w}.label())
	}
	return out
}

// compound reports whether a word is made like a name, so that prose doesn't have it by chance.
func compound(w string) bool {
	return strings.ContainsAny(w, "_-") || strings.ContainsFunc(w[1:], unicode.IsUpper)
}
