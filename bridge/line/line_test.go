package line

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns every line, and what took the place of one.
func readAll(t *testing.T, in io.Reader, limit int) (got []string) {
	t.Helper()
	r := NewReader(in, limit)
	for range 100 {
		text, err := r.Next()
		switch {
		case err == ErrTooLong:
			got = append(got, "(too long)")
		case err == io.EOF:
			return got
		case err != nil:
			return append(got, err.Error())
		default:
			got = append(got, string(text))
		}
	}
	t.Fatal("no end")
	return nil
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*buffer)
	for _, c := range []struct {
		name, in string
		limit    int
		want     []string
	}{
		{"nothing", "", 10, nil},
		{"two", "a\nb\n", 10, []string{"a", "b"}},
		{"no end", "a\nb", 10, []string{"a", "b"}},
		{"CRLF, blanks and blank lines", "a\r\n\n \t\n  b  \n", 10, []string{"a", "b"}},
		{"too long goes alone", "a\n" + strings.Repeat("y", 20) + "\nb\n", 10, []string{"a", "(too long)", "b"}},
		{"longer than the buffer", long + "\nb\n", 4 * buffer, []string{long, "b"}},
		{"exactly the buffer", long[:buffer-1] + "\n" + long[:buffer] + "\nc\n", 4 * buffer, []string{long[:buffer-1], long[:buffer], "c"}},
		{"much too long", long + "\nb\n", 2 * buffer, []string{"(too long)", "b"}},
		{"much too long, no end", long, 2 * buffer, []string{"(too long)"}},
	} {
		for how, in := range map[string]io.Reader{"whole": strings.NewReader(c.in), "halves": iotest.HalfReader(strings.NewReader(c.in))} {
			if got := readAll(t, in, c.limit); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s, %s: got %d lines, want %d: %.100q", c.name, how, len(got), len(c.want), got)
			}
		}
	}
	broken := io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(errors.New("gone")))
	if got := readAll(t, broken, 10); strings.Join(got, "|") != "a|half|gone" {
		t.Errorf("a broken input: %q", got)
	}
}
