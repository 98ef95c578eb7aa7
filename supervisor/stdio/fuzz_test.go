package stdio

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// naive is the framer as one would write it with everything in memory.
func naive(in []byte, max int) (lines []string) {
	first := true
	parts := bytes.Split(in, []byte{'\n'})
	if len(parts[len(parts)-1]) == 0 {
		parts = parts[:len(parts)-1]
	}
	for _, raw := range parts {
		if len(raw) > max {
			lines = append(lines, fmt.Sprintf("too long: %d", len(raw)))
			first = false
			continue
		}
		if first {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
			first = false
		}
		if line := strings.Trim(string(raw), " \t\r\v\f"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// steps reads in pieces of changing size.
type steps struct {
	in    []byte
	sizes []byte
	n     int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.in) == 0 {
		return 0, io.EOF
	}
	n := len(p)
	if len(s.sizes) > 0 {
		n = min(n, int(s.sizes[s.n%len(s.sizes)])+1)
		s.n++
	}
	n = copy(p[:n], s.in)
	s.in = s.in[n:]
	return n, nil
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfa\r\n\n b \nc"), []byte{1, 200}, uint8(5), uint8(16))
	f.Add(bytes.Repeat([]byte("abcdefghij\n"), 50), []byte{}, uint8(10), uint8(8))
	f.Add(bytes.Repeat([]byte("x"), 300), []byte{0}, uint8(200), uint8(1))
	f.Add(append(bytes.Repeat([]byte("y"), 100), "\n{}\nzz"...), []byte{9, 3}, uint8(255), uint8(20))
	f.Fuzz(func(t *testing.T, in, sizes []byte, max, base uint8) {
		r := newReader(nil, int(max), int(base)+1)
		r.src = &steps{in: in, sizes: sizes}
		got := readAll(t, r)
		if want := naive(in, int(max)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
