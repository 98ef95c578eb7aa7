package hostcfg

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	// diffContext is what is shown around a change.
	diffContext = 3
	// maxCells bounds the comparison of what lies between the first and the last
	// difference; beyond it all of that is shown as replaced.
	maxCells = 4 << 20
)

// unified is the exact difference between two texts. A file that isn't there is nil.
func unified(path string, before, after []byte) string {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return ""
	}
	a, b := lines(before), lines(after)
	var out strings.Builder
	name := func(there bool) string {
		if there {
			return path
		}
		return "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name(before != nil), name(after != nil))
	for _, h := range hunks(compare(a, b)) {
		h.write(&out)
	}
	return out.String()
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	list := strings.SplitAfter(string(text), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// step is one line of a difference.
type step struct {
	mark byte // ' ', '-' or '+'
	text string
}

// compare lists the lines of both texts in one row.
func compare(a, b []string) []step {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []step
	add := func(mark byte, list []string) {
		for _, text := range list {
			out = append(out, step{mark, text})
		}
	}
	add(' ', a[:head])
	out = append(out, between(a[head:len(a)-tail], b[head:len(b)-tail])...)
	add(' ', a[len(a)-tail:])
	return out
}

// between finds the longest row of lines that both have.
func between(a, b []string) (out []step) {
	if len(a)*len(b) > maxCells {
		for _, text := range a {
			out = append(out, step{'-', text})
		}
		for _, text := range b {
			out = append(out, step{'+', text})
		}
		return out
	}
	long := make([][]int32, len(a)+1) // of a[i:] and b[j:]
	for i := range long {
		long[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, step{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && long[i+1][j] >= long[i][j+1]:
			out = append(out, step{'-', a[i]})
			i++
		default:
			out = append(out, step{'+', b[j]})
			j++
		}
	}
	return out
}

// hunk is a piece of a difference with what is around it.
type hunk struct {
	fromA, fromB int // first line, from 1
	steps        []step
}

func hunks(steps []step) (list []hunk) {
	lineA, lineB := 1, 1
	last := -1 // the last change of the open hunk
	start := -1
	var startA, startB int
	flush := func() {
		if start >= 0 {
			list = append(list, hunk{startA, startB, steps[start:min(last+1+diffContext, len(steps))]})
			start = -1
		}
	}
	for i, s := range steps {
		if start >= 0 && i > last+2*diffContext {
			flush()
		}
		if s.mark != ' ' {
			if start < 0 {
				back := min(diffContext, i)
				start, startA, startB = i-back, lineA-back, lineB-back
			}
			last = i
		}
		if s.mark != '+' {
			lineA++
		}
		if s.mark != '-' {
			lineB++
		}
	}
	flush()
	return list
}

func (h hunk) write(out *strings.Builder) {
	countA, countB := 0, 0
	for _, s := range h.steps {
		if s.mark != '+' {
			countA++
		}
		if s.mark != '-' {
			countB++
		}
	}
	at := func(from, count int) string {
		if count == 0 {
			from--
		}
		return fmt.Sprintf("%d,%d", from, count)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", at(h.fromA, countA), at(h.fromB, countB))
	for _, s := range h.steps {
		out.WriteByte(s.mark)
		out.WriteString(s.text)
		if !strings.HasSuffix(s.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
