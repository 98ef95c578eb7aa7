package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"bridgekeeper/bridge/directory"
)

const (
	// askTime bounds one question at the terminal.
	askTime = 5 * time.Minute
	// maxWaitingAsks bounds the questions that wait behind it: more is a flood.
	maxWaitingAsks = 32
	// maxTypedAhead bounds the lines that wait to be looked at.
	maxTypedAhead = 16
	// maxShown bounds the arguments that are shown; a longer text says so.
	maxShown = 4000
)

// terminal asks the person who started `serve --answers tty`, one question at a
// time. run owns the input; ask hands questions to it.
type terminal struct {
	in        io.Reader
	out       io.Writer
	questions chan question
}

type question struct {
	ctx    context.Context // the call's: a question outlives no call
	text   string
	answer chan bool // one element
}

func newTerminal(in io.Reader, out io.Writer) *terminal {
	return &terminal{in: in, out: out, questions: make(chan question, maxWaitingAsks)}
}

// ask returns true when the person allowed the call. No answer in time, a
// withdrawn call or a full queue is a no.
func (t *terminal) ask(ctx context.Context, a *directory.Attempt) bool {
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	q := question{ctx, describe(a), make(chan bool, 1)}
	select {
	case t.questions <- q:
	default:
		return false
	}
	select {
	case yes := <-q.answer:
		return yes && ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
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

// run asks the questions until ctx ends.
func (t *terminal) run(ctx context.Context) error {
	lines := make(chan line, maxTypedAhead)
	go t.read(lines)
	for {
		select {
		case <-ctx.Done():
			return nil
		case q := <-t.questions:
			q.answer <- t.put(q, lines)
		case _, ok := <-lines:
			if !ok {
				lines = nil
			}
		}
	}
}

// put shows one question and waits for yes or no. What was typed before it was
// shown is no answer to it.
func (t *terminal) put(q question, lines <-chan line) bool {
	if q.ctx.Err() != nil {
		return false
	}
	if lines == nil {
		return false // the input has ended: nobody is there
	}
	for {
		shown := time.Now()
		fmt.Fprintf(t.out, "\n%s\nAllow this call? [y/N] ", q.text)
		for ask := true; ask; {
			select {
			case typed, ok := <-lines:
				if !ok {
					return false
				}
				if typed.at.Before(shown) {
					continue
				}
				switch strings.ToLower(strings.TrimSpace(typed.text)) {
				case "y", "yes":
					return true
				case "n", "no", "":
					return false
				}
				ask = false
			case <-q.ctx.Done():
				fmt.Fprintln(t.out, "\n(no longer needed)")
				return false
			}
		}
	}
}

// describe is the question's text. What a host or server wrote can't move the
// cursor or hide a part of itself.
func describe(a *directory.Attempt) string {
	args := printable(string(a.Arguments))
	if len(args) > maxShown {
		args = fmt.Sprintf("%s… (%d bytes in all)", strings.ToValidUTF8(args[:maxShown], ""), len(a.Arguments))
	}
	if args == "" {
		args = "{}"
	}
	return fmt.Sprintf("%s wants to run %s on the server %s\n  arguments: %s\n  why you are asked: the tool isn't marked read-only",
		printable(a.Host), printable(a.Tool), printable(a.Server), args)
}

// printable shows every character that isn't an ordinary visible one by its number.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u{%x}", r)
		}
	}
	return b.String()
}
