package policy

import (
	"bytes"
	"strings"
)

// Kinds of nodes; of any other value the raw bytes say what it is.
const (
	kindScalar = iota
	kindString
	kindObject
	kindArray
)

// node is a value of JSON text, for the readers that aren't in a hurry.
type node struct {
	kind int
	raw  []byte // of a scalar
	text string // of a string; see exactText
	keys []string
	kids []node
}

// parse reads the whole text.
func parse(raw []byte) (node, error) {
	r := reader{b: raw}
	r.space()
	n, err := r.node(0)
	r.space()
	if err == nil && r.i != len(raw) {
		err = errJSON
	}
	return n, err
}

func (r *reader) node(depth int) (n node, err error) {
	if depth > maxDepth {
		return n, errDeep
	}
	kid := func() error {
		k, err := r.node(depth + 1)
		n.kids = append(n.kids, k)
		return err
	}
	switch r.at() {
	case '"':
		n.kind = kindString
		n.text, err = r.exact()
	case '{':
		n.kind = kindObject
		err = r.object(func(key []byte) error {
			name, err := exactText(key)
			if err != nil {
				return err
			}
			n.keys = append(n.keys, name)
			return kid()
		})
	case '[':
		n.kind = kindArray
		err = r.array(kid)
	default:
		n.raw, err = r.scalar()
	}
	return n, err
}

func (r *reader) exact() (string, error) {
	raw, err := r.str()
	if err != nil {
		return "", err
	}
	return exactText(raw)
}

// exactText is what a string in quotes says, so that two strings which say
// something else never have the same: halves of surrogate pairs become three bytes, which are
// no UTF-8, as bytes that were none before stay.
func exactText(quoted []byte) (string, error) {
	c := canon{in: quoted}
	if err := c.str(); err != nil {
		return "", err
	}
	in := c.out[1 : len(c.out)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return string(in), nil
	}
	var b []byte
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' {
			b = append(b, in[i])
			continue
		}
		i++
		switch in[i] {
		case 'u': // a control character, or half a pair
			unit, _ := hex4(in, i+1)
			if i += 4; unit < ' ' {
				b = append(b, byte(unit))
			} else {
				b = append(b, 0xe0|byte(unit>>12), 0x80|byte(unit>>6&0x3f), 0x80|byte(unit&0x3f))
			}
		case '"', '\\':
			b = append(b, in[i])
		default:
			b = append(b, "\b\f\n\r\t"[strings.IndexByte("bfnrt", in[i])])
		}
	}
	return string(b), nil
}
