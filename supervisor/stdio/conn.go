package stdio

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultMaxLine is the cap of one line: screenshots and file dumps of tens of
	// megabytes are real, more is a fault of the server.
	DefaultMaxLine = 64 << 20
	// DefaultWriteTimeout is how long a server may leave its stdin unread.
	DefaultWriteTimeout = 30 * time.Second
	// DefaultQueueBytes bounds what waits for a server that reads slowly.
	DefaultQueueBytes = 64 << 20
)

var (
	// ErrWriteTimeout is why a Conn broke whose other side stopped reading.
	ErrWriteTimeout = errors.New("the server stopped reading its input")
	// ErrClosed is returned by writes after Close or CloseWrite.
	ErrClosed = errors.New("the server's input is closed")
)

// Options of a Conn; zero values mean the defaults.
type Options struct {
	MaxLine      int           // bytes of a line without its LF
	WriteTimeout time.Duration // without progress
	QueueBytes   int           // lines gathered while another one is being written

	// Stray is told of every stdout line that was not MCP: those given to
	// Conn.Stray, and the head of every line over the cap (then size is larger
	// than the line). It runs on the reader's goroutine and must not keep line.
	Stray func(line []byte, size int64)
	// FirstByte is called once, on the reader's goroutine, when the first byte
	// of stdout has arrived.
	FirstByte func()
}

// Conn is the two pipes of one child. One goroutine reads; any number write.
type Conn struct {
	opts   Options
	in     *reader
	out    *writer
	strays atomic.Uint64
	closed sync.Once
}

// New takes over the write end of the child's stdin and the read end of its
// stdout. Both must be pollable (os.Pipe) where the system can do that.
func New(stdin, stdout *os.File, opts Options) *Conn {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	if opts.WriteTimeout <= 0 {
		opts.WriteTimeout = DefaultWriteTimeout
	}
	if opts.QueueBytes <= 0 {
		opts.QueueBytes = DefaultQueueBytes
	}
	c := &Conn{opts: opts, out: newWriter(stdin, opts)}
	c.in = newReader(stdout, opts.MaxLine, baseBuffer)
	c.in.first = opts.FirstByte
	return c
}

// ReadLine returns the next line that isn't blank, without its end and without
// white space around it. The slice is the caller's until it is given to Free.
// A *TooLongError stands for one line; reading goes on with the next call.
// After the last line it returns io.EOF.
func (c *Conn) ReadLine() ([]byte, error) {
	line, err := c.in.next()
	if long, ok := err.(*TooLongError); ok {
		c.stray(long.Head, long.Size)
	}
	return line, err
}

// Free takes a line of ReadLine back. Using the line afterwards is a fault.
func (c *Conn) Free(line []byte) { putBuffer(line) }

// Stray says that this line of stdout wasn't MCP. It doesn't free the line.
func (c *Conn) Stray(line []byte) { c.stray(line, int64(len(line))) }

func (c *Conn) stray(line []byte, size int64) {
	c.strays.Add(1)
	if c.opts.Stray != nil {
		c.opts.Stray(line, size)
	}
}

// Strays counts the lines that were not MCP.
func (c *Conn) Strays() uint64 { return c.strays.Load() }

// Broken is closed when no write can succeed any more: the other side is gone,
// or it didn't read for WriteTimeout. WriteErr tells which.
func (c *Conn) Broken() <-chan struct{} { return c.out.broken }

// WriteErr is why later writes fail, nil while they don't.
func (c *Conn) WriteErr() error {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	return c.out.err
}

// CloseWrite ends the child's stdin once what was accepted has been written.
func (c *Conn) CloseWrite() { c.out.finish() }

// Close closes both pipes at once, fails a blocked ReadLine and waits for the
// Conn's own goroutine. On Windows, where a blocked pipe can't be interrupted,
// the child's tree must have been ended first.
func (c *Conn) Close() {
	c.closed.Do(func() {
		c.out.abort()
		c.in.file.Close()
		c.out.flushers.Wait()
	})
}
