package activity

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"bridgekeeper/app/wire"
)

// maxBreaks bounds the places that are told one by one.
const maxBreaks = 100

// Verify looks at every line of the record and at its anchor. The error is one of
// reading; what is wrong with the record is in the check.
func (l *Log) Verify(ctx context.Context) (*wire.ActivityCheck, error) {
	m, err := l.moment(nil)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	defer closeAll(m.files)
	v := verifier{ctx: ctx, check: &wire.ActivityCheck{Files: len(m.files)}, now: m.head, open: m.torn}
	if l.anchor.path != "" {
		if v.anchor, err = l.anchor.read(); err != nil {
			v.anchor = anchor{}
			v.broken(place{}, "%s", anchorTrouble(err))
		} else {
			v.sum, _ = digestOf([]byte(v.anchor.Digest))
		}
	}
	for _, s := range slices.Backward(m.files) {
		if err := v.file(s); err != nil {
			return nil, fmt.Errorf("read record: %w", err)
		}
	}
	v.finish()
	return v.check, nil
}

func anchorTrouble(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "The anchor, the file that holds number and digest of the newest line, is gone: an end that was cut off can't be noticed."
	}
	return fmt.Sprintf("The anchor, the file that holds number and digest of the newest line, can't be read (%v): an end that was cut off can't be noticed.", err)
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// strange is a line that is not ours, until the next one explains it or doesn't.
type strange struct {
	place
	sum digest
}

// verifier goes through the lines, oldest first.
type verifier struct {
	ctx    context.Context
	check  *wire.ActivityCheck
	anchor anchor
	sum    digest // of the anchor
	now    head   // what the writer wrote last
	open   bool   // the end is a piece that the next line will explain

	last     head // the newest line of the chain so far; n is 0 before the first
	at       place
	before   *digest // of the newest line without a chain
	odd      []strange
	anchored bool // the anchor's line was met
}

func (v *verifier) broken(at place, format string, args ...any) {
	if len(v.check.Breaks) >= maxBreaks {
		v.check.More++
		return
	}
	v.check.Breaks = append(v.check.Breaks, wire.Broken{File: at.file, Line: at.line, Text: fmt.Sprintf(format, args...)})
}

func (v *verifier) note(at place, format string, args ...any) {
	if len(v.check.Notes) < maxBreaks {
		v.check.Notes = append(v.check.Notes, wire.Broken{File: at.file, Line: at.line, Text: fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) file(s source) error {
	r := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, s.size), maxLine)
	for at := (place{s.name, 1}); ; at.line++ {
		line, sum, err := nextLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if at.line%1024 == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		v.line(at, line, sum)
	}
}

// nextLine returns a line without its newline, and its digest; of one that is too
// long to be ours the digest alone. The line is good until the next call.
func nextLine(r *bufio.Reader) (line []byte, sum digest, err error) {
	line, err = r.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) && len(line) > 0 {
		line = bytes.TrimSuffix(line, []byte("\n"))
		return line, sumOf(line), nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, sum, err
	}
	h := sha256.New()
	for errors.Is(err, bufio.ErrBufferFull) {
		h.Write(line)
		line, err = r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, sum, err
	}
	h.Write(bytes.TrimSuffix(line, []byte("\n")))
	return nil, digest(h.Sum(nil)[:16]), nil
}

func (v *verifier) line(at place, line []byte, sum digest) {
	v.check.Lines++
	r, ok := parse(line)
	if !ok || !r.whole() {
		if len(v.odd) < maxBreaks {
			v.odd = append(v.odd, strange{at, sum})
		} else {
			v.check.More++
		}
		return
	}
	if v.check.Oldest == "" {
		v.check.Oldest = string(r.time)
	}
	if r.n == 0 {
		v.unchained(at, sum)
		return
	}
	v.explain(&r)
	if v.last.n == 0 {
		v.begin(at, &r)
	} else if !v.follows(at, &r) {
		return
	}
	v.last, v.at = head{r.n, sum}, at
	if r.n == v.anchor.Number {
		v.anchored = true
		if sum != v.sum {
			v.broken(at, "Line %d of the record is not what was written: the anchor has another digest of it.", r.n)
		}
	}
	if a, ok := r.entry(words{}); ok && a.Kind == KindRecord {
		v.note(at, "%s", a.Text)
	}
}

// unchained is a line from before there was a chain.
func (v *verifier) unchained(at place, sum digest) {
	if v.last.n > 0 {
		v.broken(at, "A line without number and digest stands behind lines that have them: it was added.")
		return
	}
	v.check.Older++
	v.before = &sum
	for _, o := range v.odd { // torn, when nothing was explained yet
		v.note(o.place, "An older line can't be read; it was written before there was a chain.")
	}
	v.odd = nil
}

// explain settles the lines before r that are not ours.
func (v *verifier) explain(r *record) {
	for i, o := range v.odd {
		switch {
		case r.explains && i == len(v.odd)-1 && o.sum.is(r.torn):
			v.note(o.place, "A piece of a line: writing it was cut short, by a crash, a power cut or a full disk. What it began to say is lost.")
			r.explains = false
		case v.last.n == 0 && v.check.Older > 0:
			v.note(o.place, "An older line can't be read; it was written before there was a chain.")
		default:
			v.broken(o.place, "This is no line of the record: it was changed or added.")
		}
	}
	v.odd = nil
	if r.explains {
		v.broken(v.at, "The piece of a line that stood behind this line was changed or taken away.")
	}
}

// begin is the first line of the chain.
func (v *verifier) begin(at place, r *record) {
	switch {
	case v.anchor.First > 0 && r.n > v.anchor.First:
		v.broken(at, "%s missing before this one: the oldest file or its beginning was deleted.", span(v.anchor.First, r.n-1))
	case r.n == 1 && v.before != nil && !v.before.is(r.prev):
		v.broken(at, "The older line before this one is not what was there when the chain began.")
	case r.n > 1 && v.check.Older > 0:
		v.broken(at, "%s missing before this one.", span(1, r.n-1))
	}
}

// follows compares a line with the one before it. It reports whether the chain
// goes on with it.
func (v *verifier) follows(at place, r *record) bool {
	next := r.n == v.last.n+1
	switch {
	case next && v.last.sum.is(r.prev):
	case next:
		v.broken(v.at, "Line %d of the record is not what was written: the line after it has another digest of it.", v.last.n)
	case r.n > v.last.n && at.file != v.at.file && at.line == 1:
		v.broken(at, "%s missing between %s and %s: a file, or a part of one, was taken away.", span(v.last.n+1, r.n-1), v.at.file, at.file)
	case r.n > v.last.n:
		v.broken(at, "%s missing before this one: cut out, or moved.", span(v.last.n+1, r.n-1))
	default:
		v.broken(at, "Line %d of the record stands behind line %d: it was added, or moved.", r.n, v.last.n)
		return false
	}
	return true
}

// span names lines, with the verb that they take.
func span(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("Line %d is", from)
	}
	return fmt.Sprintf("Lines %d to %d are", from, to)
}

// finish compares the end with what was written last.
func (v *verifier) finish() {
	for i, o := range v.odd {
		if v.open && i == len(v.odd)-1 {
			v.note(o.place, "A piece of a line: writing it was cut short, by a crash, a power cut or a full disk. What it began to say is lost.")
			continue
		}
		v.broken(o.place, "This is no line of the record: it was changed or added.")
	}
	end := max(v.anchor.Number, v.now.n)
	switch {
	case v.last.n < end && v.last.n == 0:
		v.broken(place{file: FileName}, "Lines up to %d were written, and none is there: the record was deleted.", end)
	case v.last.n < end:
		v.broken(v.at, "The record ends here with line %d, but line %d was written: its end was cut off.", v.last.n, end)
	case v.last.n > v.now.n:
		v.broken(v.at, "The record ends with line %d, but only %d were written: lines were added.", v.last.n, v.now.n)
	case v.last.n > 0 && v.last.sum != v.now.sum:
		v.broken(v.at, "The last line is not what was written.")
	case !v.anchored && v.anchor.Number > 0 && v.anchor.Number >= v.anchor.First:
		v.broken(place{file: FileName}, "Line %d of the record, which the anchor holds on to, is missing.", v.anchor.Number)
	}
	v.check.Number = v.last.n
	if v.last.n > 0 {
		v.check.Digest = v.last.sum.String()
	}
	v.check.OK = len(v.check.Breaks) == 0 && v.check.More == 0
}
