package activity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// digest is the first half of a line's SHA-256, without its newline: nobody finds
// two lines with the same 128 bits, and lines stay short.
type digest [16]byte

func sumOf(line []byte) digest {
	sum := sha256.Sum256(line)
	return digest(sum[:16])
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// digestOf reads what String wrote.
func digestOf(text []byte) (d digest, ok bool) {
	if len(text) != 2*len(d) {
		return d, false
	}
	_, err := hex.Decode(d[:], text)
	return d, err == nil
}

// is reports whether the digits are those of d.
func (d digest) is(digits []byte) bool {
	got, ok := digestOf(digits)
	return ok && got == d
}

// head is the newest line of the chain: the next one carries its digest. The
// first line of all carries zeros.
type head struct {
	n   uint64
	sum digest
}

// link adds bodies to b as lines of the chain, and returns its new head. The first
// of them explains a torn piece of a line before it by that piece's digest.
func (h head) link(b, bodies []byte, torn *digest) ([]byte, head) {
	for len(bodies) > 0 {
		end := bytes.IndexByte(bodies, '\n')
		from := len(b)
		b = append(b, `{"n":`...)
		b = strconv.AppendUint(b, h.n+1, 10)
		b = append(b, `,"prev":"`...)
		b = hex.AppendEncode(b, h.sum[:])
		if torn != nil {
			b = append(b, `","torn":"`...)
			b = hex.AppendEncode(b, torn[:])
			torn = nil
		}
		b = append(b, `",`...)
		b = append(b, bodies[:end]...)
		h = head{h.n + 1, sumOf(b[from:])}
		b = append(b, '\n')
		bodies = bodies[end+1:]
	}
	return b, h
}
