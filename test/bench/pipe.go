package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// pipe is the floor below every bridge: the echo server as our own child, lines
// written and read without anything between.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPipe(self string) (*pipe, error) {
	p := &pipe{cmd: exec.Command(self, "echo-stdio")}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the echo server: %w", err)
	}
	return p, nil
}

func (p *pipe) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// readLine skips over one line and returns its length.
func (p *pipe) readLine() (n int, err error) {
	for {
		part, err := p.out.ReadSlice('\n')
		n += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}

// measure keeps n requests in the pipe. The server answers in order, so the
// oldest request's time is the one that ends with each line.
func (p *pipe) measure(ctx context.Context, size, n int, d time.Duration) (sample, error) {
	req := newRequest("echo", size, false)
	line := append(req.body, '\n')
	if n == 1 {
		return p.oneByOne(ctx, line, d)
	}
	sent := make(chan time.Time, n)
	room := make(chan struct{}, n)
	failed := make(chan error, 1)
	go func() { // ends when room is closed; waited for below
		defer close(sent)
		for range room {
			sent <- time.Now()
			if _, err := p.in.Write(line); err != nil {
				failed <- err
				return
			}
		}
	}()
	for range n {
		room <- struct{}{}
	}
	var took []time.Duration
	begin := time.Now()
	for at := range sent {
		if _, err := p.readLine(); err != nil {
			return sample{}, err
		}
		now := time.Now()
		took = append(took, now.Sub(at))
		switch {
		case room == nil:
		case now.Sub(begin) < d && ctx.Err() == nil:
			room <- struct{}{}
		default:
			close(room)
			room = nil
		}
	}
	select {
	case err := <-failed:
		return sample{}, err
	default:
		return summarize(took, time.Since(begin)), context.Cause(ctx)
	}
}

func (p *pipe) oneByOne(ctx context.Context, line []byte, d time.Duration) (sample, error) {
	var took []time.Duration
	begin := time.Now()
	for now := begin; now.Sub(begin) < d; {
		if _, err := p.in.Write(line); err != nil {
			return sample{}, err
		}
		if _, err := p.readLine(); err != nil {
			return sample{}, err
		}
		after := time.Now()
		took = append(took, after.Sub(now))
		now = after
	}
	return summarize(took, time.Since(begin)), context.Cause(ctx)
}
