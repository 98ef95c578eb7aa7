package thirdparty

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

//go:embed client.mjs
var clientSource []byte

// opLimit bounds one operation of the client. The SDK's own limit is 60 s.
const opLimit = 70 * time.Second

// host is a running client.mjs. Tests use it from one goroutine.
type host struct {
	t       testing.TB
	in      io.WriteCloser
	answers chan string // closed when the client ended
	dead    *bool       // an answer is missing, so every later one would be taken for another's
}

// hosts counts them: each has a file of its own.
var hosts atomic.Int32

// newHost starts the client beside the packages that it imports.
func newHost(t testing.TB, dir string) *host {
	t.Helper()
	file := filepath.Join(dir, fmt.Sprintf("client-%d-%d.mjs", os.Getpid(), hosts.Add(1)))
	if err := os.WriteFile(file, clientSource, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node", file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, in: in, answers: make(chan string, 1), dead: new(bool)}
	go func() {
		defer close(h.answers)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			h.answers <- line
		}
	}()
	t.Cleanup(func() {
		in.Close()
		cancel()
		for range h.answers {
		}
		cmd.Wait()
		os.Remove(file)
	})
	return h
}

// with returns the host for use in a subtest.
func (h *host) with(t testing.TB) *host { return &host{t, h.in, h.answers, h.dead} }

type fields map[string]any

// do performs one operation and decodes its outcome; any error fails the test.
func (h *host) do(op string, params fields, out any) {
	h.t.Helper()
	if *h.dead {
		h.t.Fatalf("%s: the client is stuck in an earlier operation", op)
	}
	request := fields{"op": op}
	for k, v := range params {
		request[k] = v
	}
	b, err := json.Marshal(request)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.in.Write(append(b, '\n')); err != nil {
		h.t.Fatalf("%s: %v", op, err)
	}
	limit := time.NewTimer(opLimit)
	defer limit.Stop()
	select {
	case line, ok := <-h.answers:
		var answer struct {
			OK    json.RawMessage `json:"ok"`
			Error json.RawMessage `json:"error"`
		}
		if !ok {
			h.t.Fatalf("%s: the client ended", op)
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			h.t.Fatalf("%s: the client said %q", op, line)
		}
		if answer.Error != nil {
			h.t.Fatalf("%s %v: %s", op, params, answer.Error)
		}
		if out != nil {
			if err := json.Unmarshal(answer.OK, out); err != nil {
				h.t.Fatalf("%s: %v in %s", op, err, answer.OK)
			}
		}
	case <-limit.C:
		*h.dead = true
		h.t.Fatalf("%s %v: no answer in %s", op, params, opLimit)
	}
}

// called is the outcome of a tool call.
type called struct {
	Result struct {
		IsError bool
		Content []struct{ Type, Text string }
	}
	Failure  string // what the SDK threw
	Progress []struct{ Progress, Total float64 }
	MS       int
}

func (c called) text() string {
	var s string
	for _, part := range c.Result.Content {
		s += part.Text
	}
	return s
}

func (h *host) call(tool string, args fields, extra fields) called {
	h.t.Helper()
	params := fields{"name": tool, "arguments": args}
	for k, v := range extra {
		params[k] = v
	}
	var c called
	h.do("call", params, &c)
	return c
}
