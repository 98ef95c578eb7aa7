package main

import (
	"bytes"
	"encoding/binary"
)

// ico joins PNG pictures of these sizes to one ICO file. Windows reads PNG in it
// since Vista.
func ico(sizes []int, pictures [][]byte) []byte {
	const header, entry = 6, 16
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			binary.Write(&b, binary.LittleEndian, v) // into memory: it can't fail
		}
	}
	put(uint16(0), uint16(1), uint16(len(sizes)))
	at := header + entry*len(sizes)
	for i, size := range sizes {
		side := uint8(size) // 256 is written as 0
		put(side, side, uint8(0), uint8(0), uint16(1), uint16(32), uint32(len(pictures[i])), uint32(at))
		at += len(pictures[i])
	}
	for _, p := range pictures {
		b.Write(p)
	}
	return b.Bytes()
}
