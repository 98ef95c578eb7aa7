package policy

import (
	"fmt"

	"bridgekeeper/app/wire"
)

// Bounds of a difference.
const (
	// maxSteps bounds the search for the shortest difference, whose cost grows with
	// its square. Definitions that differ more have little in common: the old one is shown
	// as gone and the new one as added.
	maxSteps = 600
	// maxShown bounds the lines that are shown. Lines that are the same are left out
	// first, and what is left out is always said.
	maxShown = 4000
	// context is how many lines stay around a change when others are left out.
	context = 3
)

// Diff shows how a definition differs from the one before, line by line, for a
// person: members in a fixed order, texts broken into sentences, hidden
// characters made visible. Without a before everything is added.
func Diff(before, after []byte) []wire.DiffLine {
	var a, b []string
	if len(before) > 0 {
		a = pretty(before)
	}
	if len(after) > 0 {
		b = pretty(after)
	}
	return bound(compare(a, b))
}

// compare finds a difference between two lists of lines.
func compare(a, b []string) (out []wire.DiffLine) {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for _, l := range a[:start] {
		out = append(out, wire.DiffLine{Op: wire.DiffSame, Text: l})
	}
	out = append(out, shortest(a[start:len(a)-end], b[start:len(b)-end])...)
	for _, l := range a[len(a)-end:] {
		out = append(out, wire.DiffLine{Op: wire.DiffSame, Text: l})
	}
	return out
}

// shortest is Myers' algorithm: of all ways from a to b the one with the
// fewest lines gone and added. reach[k] is how far one gets in a, with the steps
// so far, on the diagonal on which b is k lines behind.
func shortest(a, b []string) []wire.DiffLine {
	most := min(len(a)+len(b), maxSteps)
	reach := make([]int, 2*most+3)
	mid := most + 1
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), reach[mid-d-1:mid+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := reach[mid+k-1] + 1
			if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
				x = reach[mid+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[mid+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walk(a, b, trace)
			}
		}
	}
	var out []wire.DiffLine
	for _, l := range a {
		out = append(out, wire.DiffLine{Op: wire.DiffGone, Text: l})
	}
	for _, l := range b {
		out = append(out, wire.DiffLine{Op: wire.DiffAdded, Text: l})
	}
	return out
}

// walk goes back the way that shortest found.
func walk(a, b []string, trace [][]int) []wire.DiffLine {
	var back []wire.DiffLine
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		reach := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		from := k - 1
		if k == -d || k != d && reach(k-1) < reach(k+1) {
			from = k + 1
		}
		toX := reach(from)
		toY := toX - from
		if d == 0 {
			toX, toY = 0, 0
		}
		for x > toX && y > toY {
			x, y = x-1, y-1
			back = append(back, wire.DiffLine{Op: wire.DiffSame, Text: a[x]})
		}
		switch {
		case d == 0:
		case from == k+1:
			y--
			back = append(back, wire.DiffLine{Op: wire.DiffAdded, Text: b[y]})
		default:
			x--
			back = append(back, wire.DiffLine{Op: wire.DiffGone, Text: a[x]})
		}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// bound leaves out lines that are the same when there are too many, and, when
// that isn't enough, says how many changed ones aren't shown.
func bound(lines []wire.DiffLine) []wire.DiffLine {
	if len(lines) <= maxShown {
		return lines
	}
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Op != wire.DiffSame {
			for j := max(0, i-context); j < min(len(lines), i+context+1); j++ {
				near[j] = true
			}
		}
	}
	var out []wire.DiffLine
	for i := 0; i < len(lines); {
		from := i
		for i < len(lines) && !near[i] {
			i++
		}
		if i > from {
			out = append(out, wire.DiffLine{Op: wire.DiffFold, Text: fmt.Sprintf("… %d lines that are the same", i-from)})
		}
		for i < len(lines) && near[i] {
			out = append(out, lines[i])
			i++
		}
	}
	if len(out) > maxShown {
		left := len(out) - maxShown
		out = append(out[:maxShown], wire.DiffLine{Op: wire.DiffFold, Text: fmt.Sprintf("… %d more lines, which are too many to be shown: don't accept what you haven't seen", left)})
	}
	return out
}
