package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// ArgsDigest recognises arguments again: the SHA-256, in hexadecimal, of their
// canonical form. Order of members, white space and the way that characters are
// escaped don't count; everything else does: numbers are compared as they are
// written, because servers may read 1 and 1.0 as two things. No arguments are
// the same as {}. What can't be read as JSON is recognised by its bytes.
func ArgsDigest(raw []byte) string {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	return digest(raw, false)
}

// fingerprintKind begins every fingerprint: one that is made in another way some day
// begins otherwise, and is then compared by the definition kept with it.
const fingerprintKind = "1:"

// Fingerprint recognises a tool's definition again. Every member counts, also
// those that we don't know, icons and _meta: nobody can say which of them a
// host shows to its model or its user, or acts on (an icon is what people know
// a tool by; _meta names the page that an app shows). Only what can't mean anything doesn't count:
// white space, the order of members, the way characters are escaped, and the
// order of lists that are sets in a schema (required, enum, type), which many
// servers write in another order at each start.
//
// It costs about what hashing costs; who needs it often keeps it.
func Fingerprint(definition []byte) string { return fingerprintKind + digest(definition, true) }

func digest(raw []byte, sets bool) string {
	c := canons.Get().(*canon)
	defer canons.Put(c)
	var sum [sha256.Size]byte
	if c.run(raw, sets) == nil {
		sum = sha256.Sum256(c.out)
	} else {
		// No canonical form begins with a zero byte.
		sum = sha256.Sum256(append([]byte{0}, raw...))
	}
	if cap(c.out) > maxKeptBuffer {
		c.out, c.scratch = nil, nil
	}
	c.in = nil
	return hex.EncodeToString(sum[:])
}

// maxKeptBuffer is what a buffer may keep between two uses: nearly all arguments
// and definitions fit, and one of many megabytes isn't held for ever.
const maxKeptBuffer = 64 << 10

var canons = sync.Pool{New: func() any { return new(canon) }}
