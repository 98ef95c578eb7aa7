package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/wire"
)

// maxTypedAhead bounds the lines that wait to be looked at.
const maxTypedAhead = 16

// terminal puts the questions of a queue to the person who started `serve
// --answers tty`, one at a time. run owns the input.
type terminal struct {
	in    io.Reader
	out   io.Writer
	queue *ask.Queue
	open  func(ctx context.Context, url string) error // a web page, in the person's browser
	lines <-chan line                                 // run's
}

func newTerminal(in io.Reader, out io.Writer, queue *ask.Queue) *terminal {
	return &terminal{in: in, out: out, queue: queue}
}

// line is what was typed, and when it came.
type line struct {
	text string
	at   time.Time
}

// read hands over lines as they are typed. It never waits for a taker: a line
// that nobody takes was the answer to no question, and must not become one. It
// can't be woken, so it ends with the input or the process.
func (t *terminal) read(lines chan<- line) {
	defer close(lines)
	from := &stamped{in: t.in}
	in := bufio.NewScanner(from)
	for in.Scan() {
		select {
		case lines <- line{in.Text(), from.at}:
		default:
		}
	}
}

// stamped remembers when the last read returned: by it, the lines taken out of
// what it brought had been typed.
type stamped struct {
	in io.Reader
	at time.Time
}

func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.at = time.Now()
	return n, err
}

// run asks the questions until ctx ends. When the input ends nobody is there any
// more, and the queue is told.
func (t *terminal) run(ctx context.Context) error {
	leave := t.queue.Attend()
	defer leave()
	lines := make(chan line, maxTypedAhead)
	t.lines = lines
	go t.read(lines)
	for {
		changed := t.queue.Changed()
		if open := t.queue.Open(); len(open) > 0 {
			if !t.put(ctx, open[0].ID) {
				break
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			continue
		case _, ok := <-t.lines:
			if ok {
				continue
			}
		}
		break
	}
	leave()
	<-ctx.Done()
	return nil
}

// errGone means that a question was settled before the person had answered it.
type errGone struct{ reason string }

func (e errGone) Error() string { return e.reason }

// put shows one question and takes its answer; false when the input or ctx ended.
func (t *terminal) put(ctx context.Context, id string) bool {
	q, gone := t.queue.Find(id)
	if gone != nil {
		return true
	}
	d := &dialog{t: t, ctx: ctx, q: &q}
	fmt.Fprintf(t.out, "\n%s", describe(&q))
	answer, err := d.answer()
	if err == nil {
		if refused := t.queue.Answer(id, answer, "terminal"); refused != nil {
			fmt.Fprintf(t.out, "(%s)\n", printable(refused.Message))
		}
		return true
	}
	if g, ok := err.(errGone); ok {
		fmt.Fprintf(t.out, "\n(no longer needed: %s)\n", printable(g.reason))
		return true
	}
	return false
}

// dialog is one question while it is on the screen.
type dialog struct {
	t   *terminal
	ctx context.Context
	q   *wire.Question
}

// prompt shows a text and returns the line typed after it was shown: what was
// typed before is no answer to it.
func (d *dialog) prompt(format string, args ...any) (string, error) {
	shown := time.Now()
	fmt.Fprintf(d.t.out, format, args...)
	for {
		changed := d.t.queue.Changed()
		if _, gone := d.t.queue.Find(d.q.ID); gone != nil {
			return "", errGone{strings.TrimPrefix(gone.Message, "The question is no longer open: ")}
		}
		select {
		case typed, ok := <-d.t.lines:
			switch {
			case !ok:
				return "", io.EOF
			case !typed.at.Before(shown):
				return strings.TrimSpace(typed.text), nil
			}
		case <-changed:
		case <-d.ctx.Done():
			return "", d.ctx.Err()
		}
	}
}

// choose asks until one of the words is typed.
func (d *dialog) choose(prompt string, words map[string]string) (string, error) {
	for {
		typed, err := d.prompt("%s", prompt)
		if err != nil {
			return "", err
		}
		if choice, ok := words[strings.ToLower(typed)]; ok {
			return choice, nil
		}
	}
}
