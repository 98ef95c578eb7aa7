package read

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxFile is far above what a host's settings are; ~/.claude.json with its
// history has been seen with some ten MiB.
const MaxFile = 32 << 20

// Encoding is how a file's text is written.
type Encoding string

const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8 with a byte order mark"
	UTF16LE Encoding = "utf-16 (little endian)"
	UTF16BE Encoding = "utf-16 (big endian)"
)

var (
	markUTF8    = []byte{0xef, 0xbb, 0xbf}
	markUTF16LE = []byte{0xff, 0xfe}
	markUTF16BE = []byte{0xfe, 0xff}
)

// Text is a file's text in UTF-8 without a mark, and how it was written.
func Text(data []byte) ([]byte, Encoding, error) {
	if len(data) > MaxFile {
		return nil, UTF8, fmt.Errorf("the file is larger than %d MiB", MaxFile>>20)
	}
	switch {
	case bytes.HasPrefix(data, markUTF8):
		data = data[len(markUTF8):]
		if !utf8.Valid(data) {
			return nil, UTF8BOM, errors.New("the file isn't valid UTF-8")
		}
		return data, UTF8BOM, nil
	case bytes.HasPrefix(data, markUTF16LE):
		return wide(data[2:], UTF16LE, func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(data, markUTF16BE):
		return wide(data[2:], UTF16BE, func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
	}
	if !utf8.Valid(data) {
		return nil, UTF8, errors.New("the file isn't valid UTF-8")
	}
	return data, UTF8, nil
}

func wide(data []byte, e Encoding, unit func([]byte) uint16) ([]byte, Encoding, error) {
	if len(data)%2 != 0 {
		return nil, e, errors.New("the file ends in the middle of a character")
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i < len(data); i += 2 {
		units = append(units, unit(data[i:]))
	}
	return []byte(string(utf16.Decode(units))), e, nil
}
