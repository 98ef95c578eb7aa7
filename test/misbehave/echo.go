package misbehave

import (
	"bytes"
	"fmt"
	"io"
)

const (
	echoBuffer  = 64 << 10  // what one read of a pipe returns at most
	echoMaxLine = 128 << 20 // more than any product under test lets through
	echoKeep    = 4 << 20   // bytes of buffer kept between batches
)

// Echo is a server that costs as little as possible: one read loop, one write a
// batch, and of each call only the spans that the answer needs are looked at.
// Tool echo answers with the bytes of its argument "text" as a text. It returns
// when in ends.
func Echo(in io.Reader, out io.Writer) error { return echo(in, out, false) }

// EchoModern is Echo as a server of 2026-07-28.
func EchoModern(in io.Reader, out io.Writer) error { return echo(in, out, true) }

func echo(in io.Reader, out io.Writer, modern bool) error {
	buf := make([]byte, 0, echoBuffer)
	var answers []byte
	spill := &appender{}
	slow := newServer(nil, spill, io.Discard)
	slow.order, slow.tools = nil, map[string]string{}
	slow.add("echo", "answers with its text", "")
	slow.modern = modern
	kind := `"result":{`
	if modern {
		kind = `"result":{"resultType":"complete",`
	}
	for {
		if cap(buf)-len(buf) < echoBuffer/2 {
			if len(buf) > echoMaxLine {
				return fmt.Errorf("a line of more than %d bytes", echoMaxLine)
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		seen := len(buf)
		buf = buf[:seen+n]
		done := 0
		for {
			// The part before seen was searched when it was read.
			end := bytes.IndexByte(buf[max(seen, done):], '\n')
			if end < 0 {
				break
			}
			end += max(seen, done)
			var fast bool
			if answers, fast = echoLine(answers, buf[done:end], kind); !fast {
				spill.to = &answers
				slow.handle(string(buf[done:end]))
			}
			done = end + 1
		}
		buf = buf[:copy(buf, buf[done:])]
		if len(answers) > 0 {
			if _, err := out.Write(answers); err != nil {
				return nil // nobody reads any more
			}
			answers = answers[:0]
		}
		if len(buf) == 0 && cap(buf) > echoKeep {
			buf, answers = make([]byte, 0, echoBuffer), nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// echoLine appends the answer to a call. Whatever else comes takes the slow way
// through the ordinary server. kind begins the result.
func echoLine(answers, line []byte, kind string) (_ []byte, fast bool) {
	var c echoCall
	if !c.scan(line) || string(c.method) != `"tools/call"` || c.id == nil {
		return answers, false
	}
	answers = append(answers, `{"jsonrpc":"2.0","id":`...)
	answers = append(answers, c.id...)
	answers = append(append(answers, ','), kind...)
	answers = append(answers, `"content":[{"type":"text","text":`...)
	if c.text == nil {
		c.text = []byte(`""`)
	}
	answers = append(answers, c.text...)
	return append(answers, "}]}}\n"...), true
}

// appender is a writer onto a slice.
type appender struct{ to *[]byte }

func (a *appender) Write(p []byte) (int, error) {
	*a.to = append(*a.to, p...)
	return len(p), nil
}
