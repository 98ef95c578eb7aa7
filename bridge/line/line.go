// Package line reads messages that are lines, one JSON text each, as on stdio
// (2025-11-25 and 2026-07-28, stdio transport).
//
// It knows nothing of what they say. The endpoint's side and the shim's use it.
package line

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong stands for one line over the cap, which was skipped; reading goes on
// with the next call.
var ErrTooLong = errors.New("the line is over the limit")

const (
	buffer = 64 << 10 // what a pipe gives at once
	keep   = 1 << 20  // of the room that a long line took
)

// Reader reads lines. It is one goroutine's.
type Reader struct {
	in   *bufio.Reader
	max  int
	long []byte // a line that doesn't fit the buffer
}

// NewReader returns a Reader whose lines have at most limit bytes.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, buffer), max: limit}
}

// Next returns the next line that isn't blank, without white space around it; it
// is good until the next call. A last line needs no end. Then comes io.EOF, or
// the error that ended the input.
func (r *Reader) Next() ([]byte, error) {
	if cap(r.long) > keep {
		r.long = nil
	}
	for {
		text, err := r.whole()
		if err == ErrTooLong {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return text, nil // an error comes again
		}
		if err != nil {
			return nil, err
		}
	}
}

// whole returns one line with its end.
func (r *Reader) whole() ([]byte, error) {
	part, err := r.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return r.fit(part), r.checked(part, err)
	}
	r.long = append(r.long[:0], part...)
	for err == bufio.ErrBufferFull {
		part, err = r.in.ReadSlice('\n')
		if len(r.long)+len(part) > r.max {
			return nil, r.skip(err)
		}
		r.long = append(r.long, part...)
	}
	return r.long, err
}

func (r *Reader) fit(part []byte) []byte {
	if len(part) > r.max {
		return nil
	}
	return part
}

func (r *Reader) checked(part []byte, err error) error {
	if len(part) > r.max {
		return ErrTooLong
	}
	return err
}

// skip reads to the end of a line that is too long.
func (r *Reader) skip(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = r.in.ReadSlice('\n')
	}
	return ErrTooLong // an error of the input comes again with the next call
}
