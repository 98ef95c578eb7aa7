package stdio

import (
	"math/bits"
	"sync"
)

// Line buffers are pooled by size class, powers of two. Larger ones are left to
// the collector: one huge result must not stay with us.
const (
	minClassBits = 10 // 1 KiB
	maxClassBits = 22 // 4 MiB
)

// box carries a slice through a sync.Pool without allocating its header anew.
type box struct{ b []byte }

var (
	classes [maxClassBits - minClassBits + 1]sync.Pool // of *box with a buffer
	boxes   sync.Pool                                  // of *box without
)

// getBuffer returns an empty slice with room for n bytes.
func getBuffer(n int) []byte {
	if n > 1<<maxClassBits {
		return make([]byte, 0, n)
	}
	class := 0
	if n > 1<<minClassBits {
		class = bits.Len(uint(n-1)) - minClassBits
	}
	if x, ok := classes[class].Get().(*box); ok {
		b := x.b
		x.b = nil
		boxes.Put(x)
		return b
	}
	return make([]byte, 0, 1<<(class+minClassBits))
}

// putBuffer gives a buffer back to the largest class it can serve.
func putBuffer(b []byte) {
	n := cap(b)
	if n < 1<<minClassBits || n > 1<<maxClassBits {
		return
	}
	x, ok := boxes.Get().(*box)
	if !ok {
		x = new(box)
	}
	x.b = b[:0]
	classes[bits.Len(uint(n))-1-minClassBits].Put(x)
}
