package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"bridgekeeper/supervisor/proc"
	"bridgekeeper/supervisor/stdio"
)

// attempt is one start of an instance, from looking the command up to the end
// of the last process of its tree. It runs on one goroutine, live, and tells the
// loop what happens; the loop only ever tells it to stop.
type attempt struct {
	inst *instance
	gen  uint64
	spec Spec
	t    *Timings
	ctx  context.Context // ended by stop, with the cause
	stop context.CancelCauseFunc

	strays atomic.Uint64
	stray  tail // last stdout lines that were not MCP
	stderr tail

	// Of live:
	proc      *proc.Process
	conn      *stdio.Conn
	drain     *drain
	pipes     []*os.File // read end of stderr
	release   []func()   // gives the enlarged pipes back
	container *proc.Container
	answered  bool // the handshake succeeded
	firstByte chan struct{}
}

func newAttempt(i *instance, gen uint64, spec Spec) *attempt {
	a := &attempt{inst: i, gen: gen, spec: spec, t: &i.sup.opts.Timings, firstByte: make(chan struct{})}
	a.stray.max, a.stderr.max = strayLines, tailLines
	a.ctx, a.stop = context.WithCancelCause(context.Background())
	return a
}

func (a *attempt) tell(n news) {
	n.gen = a.gen
	a.inst.news <- n
}

// live is the attempt's whole life.
func (a *attempt) live() {
	defer a.stop(nil)
	select {
	case <-a.inst.sup.ready:
	case <-a.ctx.Done():
		a.tell(news{kind: newsEnded})
		return
	}
	if err, again := a.spawn(); err != nil {
		a.tell(news{kind: newsEnded, exit: &Exit{At: time.Now(), Code: -1, Reason: err.Error()}, barred: !again})
		return
	}
	a.tell(news{kind: newsStarted, pid: a.proc.PID})
	session, cause := a.handshake()
	if session != nil {
		a.answered = true
		a.tell(news{kind: newsReady, session: session})
		cause = a.serve(session)
	}
	a.tell(news{kind: newsDown, exit: a.exit(cause)})
	a.windDown(cause)
	a.tell(news{kind: newsEnded, exit: a.exit(cause)})
}

// spawn starts the process. The error is a sentence; again means that the
// machine was short of something.
func (a *attempt) spawn() (err error, again bool) {
	program, err := find(&a.spec)
	if err != nil {
		return err, false
	}
	sup := a.inst.sup
	c := proc.Command{
		Path: program.path,
		Argv: append([]string{a.spec.Command}, a.spec.Args...),
		Env:  a.spec.Env,
		Dir:  program.dir,
		Mark: proc.Mark(sup.keeper.run, a.inst.key.Server, a.inst.key.Scope, a.gen),
	}
	args, container := proc.ContainerOf(c, sup.opts.StateDir)
	c.Argv = append(c.Argv[:1:1], args...)
	var stdin, stdout, stderr pipe
	for _, p := range []*pipe{&stdin, &stdout, &stderr} {
		if err := p.open(); err != nil {
			closeAll(stdin, stdout, stderr)
			return fmt.Errorf("make its pipes: %w", err), true
		}
	}
	a.release = []func(){proc.Enlarge(stdin.write), proc.Enlarge(stdout.read)}
	c.Stdin, c.Stdout, c.Stderr = stdin.read, stdout.write, stderr.write
	sup.keeper.ready()
	a.proc, err = proc.Start(c)
	if err != nil {
		closeAll(stdin, stdout, stderr)
		a.giveBack()
		return spawnProblem(a.spec.Command, err)
	}
	sup.keeper.began(a.proc.Entry)
	stdin.read.Close()
	stdout.write.Close()
	stderr.write.Close()
	a.container = container
	a.pipes = []*os.File{stderr.read}
	a.drain = newDrain(stderr.read, func(text []byte, cut bool) {
		a.stderr.add(text)
		a.inst.lines.append(FromStderr, text, cut)
	})
	go a.drain.run() // windDown waits for it
	a.conn = stdio.New(stdin.write, stdout.read, stdio.Options{
		MaxLine:      a.spec.MaxLine,
		WriteTimeout: a.t.WriteTimeout,
		Stray:        a.onStray,
		FirstByte:    func() { close(a.firstByte) },
	})
	return nil, false
}

func (a *attempt) onStray(line []byte, size int64) {
	a.strays.Add(1)
	a.stray.add(line)
	a.inst.lines.append(FromStdout, line, size > int64(len(line)))
}

// windDown ends what is left of the process and its tree, having read what
// stderr still holds, and gives everything back.
func (a *attempt) windDown(cause error) {
	e := a.t.Ending
	if errors.Is(cause, stdio.ErrWriteTimeout) || errors.As(cause, new(missed)) {
		e.EOF = 0 // it doesn't listen
	}
	select {
	case <-a.proc.Done():
		a.drained(a.t.Grace)
	default:
	}
	err := a.proc.End(a.conn.CloseWrite, e)
	if err != nil {
		a.inst.log.Error("end server", "pid", a.proc.PID, "gen", a.gen, "err", err)
	} else {
		a.inst.sup.keeper.ended(a.proc.Entry)
	}
	a.drained(a.t.Grace)
	a.conn.Close()
	for _, f := range a.pipes {
		f.Close()
	}
	<-a.drain.done
	a.giveBack()
	if a.container != nil {
		if err := a.container.Remove(context.Background()); err != nil {
			a.inst.log.Info("end container", "gen", a.gen, "err", err)
		}
	}
}

func (a *attempt) drained(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.drain.done:
	case <-timer.C:
	}
}

func (a *attempt) giveBack() {
	for _, f := range a.release {
		f()
	}
	a.release = nil
}

// exit describes the end with the evidence there is by now.
func (a *attempt) exit(cause error) *Exit {
	x := &Exit{At: time.Now(), Code: -1, Stderr: a.stderr.get(), Stray: a.stray.get()}
	select {
	case <-a.proc.Done():
		how := a.proc.Exit()
		x.Code, x.Signal = how.Code, how.Signal
	default:
	}
	if errors.Is(cause, errDied) {
		x.Reason = sentence(a.proc.Exit(), !a.answered)
	} else {
		x.Reason = cause.Error()
	}
	return x
}

// pipe is one os.Pipe.
type pipe struct{ read, write *os.File }

func (p *pipe) open() (err error) {
	p.read, p.write, err = os.Pipe()
	return err
}

func closeAll(pipes ...pipe) {
	for _, p := range pipes {
		if p.read != nil {
			p.read.Close()
			p.write.Close()
		}
	}
}
