package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// pipes returns a Conn and the child's ends.
func pipes(tb testing.TB, opts Options) (c *Conn, stdin, stdout *os.File) {
	tb.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	c = New(inW, outR, opts)
	tb.Cleanup(func() {
		outW.Close()
		c.Close()
		inR.Close()
	})
	return c, inR, outW
}

func readAll(tb testing.TB, r *reader) (lines []string) {
	tb.Helper()
	for {
		line, err := r.next()
		if long, ok := err.(*TooLongError); ok {
			lines = append(lines, fmt.Sprintf("too long: %d", long.Size))
			continue
		}
		if err == io.EOF {
			return lines
		}
		if err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, string(line))
		putBuffer(line)
	}
}

func read(tb testing.TB, in string, max, base int, wrap func(io.Reader) io.Reader) []string {
	r := newReader(nil, max, base)
	r.src = wrap(strings.NewReader(in))
	return readAll(tb, r)
}

func whole(r io.Reader) io.Reader { return r }

// A banner, a BOM, Windows line ends or an unfinished last line ended the session.
func TestTolerance(t *testing.T) {
	in := "\xef\xbb\xbf{\"a\":1}\r\n\r\n \t\n  {} \t\r\nbanner\nlast"
	want := []string{`{"a":1}`, "{}", "banner", "last"}
	for _, wrap := range []func(io.Reader) io.Reader{whole, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
		if got := read(t, in, 100, 16, wrap); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	}
}

// A screenshot of a few megabytes was "token too long" and the session's end.
func TestLongLines(t *testing.T) {
	var want []string
	for _, n := range []int{1, 100, 32 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000, 10, 5 << 20, 3, 1 << 20, 1 << 20, 100} {
		want = append(want, strings.Repeat(string(rune('a'+len(want))), n))
	}
	for _, wrap := range []func(io.Reader) io.Reader{whole, iotest.HalfReader} {
		got := read(t, strings.Join(want, "\n"), 8<<20, baseBuffer, wrap)
		if !slices.Equal(got, want) {
			t.Error("lines differ")
		}
	}
	r := newReader(nil, 8<<20, baseBuffer)
	r.src = strings.NewReader(strings.Join(want, "\n") + "\n")
	readAll(t, r)
	if len(r.buf) > baseBuffer {
		t.Errorf("a buffer of %d bytes was kept", len(r.buf))
	}
}

// One line over the cap killed the session; now it fails one request.
func TestLineOverTheCap(t *testing.T) {
	long := "HEAD" + strings.Repeat("x", 100_000) + "TAIL"
	var strays []int64
	c, _, out := pipes(t, Options{MaxLine: 50_000, Stray: func(b []byte, n int64) { strays = append(strays, n) }})
	go func() {
		io.WriteString(out, "one\n"+long+"\ntwo\n"+strings.Repeat("y", 50_000)+"\n"+strings.Repeat("z", 50_001))
		out.Close()
	}()
	var got []string
	for {
		line, err := c.ReadLine()
		if err == io.EOF {
			break
		}
		if e, ok := errors.AsType[*TooLongError](err); ok {
			if e.Size == int64(len(long)) && (string(e.Head) != long[:headTail] || string(e.Tail) != long[len(long)-headTail:]) {
				t.Error("head or tail differ")
			}
			got = append(got, fmt.Sprint(e.Size))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%.3s %d", line, len(line)))
		c.Free(line)
	}
	if want := []string{"one 3", "100008", "two 3", "yyy 50000", "50001"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.Strays() != 2 || !slices.Equal(strays, []int64{100008, 50001}) {
		t.Errorf("strays %d %v", c.Strays(), strays)
	}
}

func TestFirstByte(t *testing.T) {
	n := 0
	c, _, out := pipes(t, Options{FirstByte: func() { n++ }})
	io.WriteString(out, "a\nb\n")
	for range 2 {
		if _, err := c.ReadLine(); err != nil {
			t.Fatal(err)
		}
	}
	if n != 1 {
		t.Errorf("called %d times", n)
	}
}

// Lines of many callers were torn apart.
func TestConcurrentWriters(t *testing.T) {
	c, in, _ := pipes(t, Options{QueueBytes: 200_000})
	const writers, each = 16, 200
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				size := 1 + (w*each+n)*7919%3000
				if n%50 == 0 {
					size = 100_000
				}
				line := fmt.Appendf(nil, "%d %d %s", w, n, strings.Repeat("x", size))
				if err := c.WriteLine(t.Context(), line); err != nil {
					t.Error(err)
				}
				clear(line)
			}
		})
	}
	go func() {
		all.Wait()
		c.CloseWrite()
	}()
	r := newReader(in, 1<<20, baseBuffer)
	next := make([]int, writers)
	for {
		line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var w, n int
		var text string
		if _, err := fmt.Sscan(string(line), &w, &n, &text); err != nil || strings.Trim(text, "x") != "" || next[w] != n {
			t.Fatalf("line %.40q, %v", line, err)
		}
		next[w]++
	}
	for w, n := range next {
		if n != each {
			t.Errorf("writer %d: %d lines", w, n)
		}
	}
}

// A server that didn't read its input blocked the caller for ever.
func TestWriteTimeout(t *testing.T) {
	c, _, _ := pipes(t, Options{WriteTimeout: 50 * time.Millisecond, QueueBytes: 1000})
	if err := c.WriteLine(t.Context(), make([]byte, 2<<20)); err != nil { // more than any pipe
		t.Fatal(err)
	}
	// The queue takes one line and then waits for room: for the caller's time only.
	if err := c.WriteLine(t.Context(), make([]byte, 2000)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("gave up")
	cancel(gaveUp)
	if err := c.WriteLine(ctx, []byte("x")); err != gaveUp && !errors.Is(err, ErrWriteTimeout) {
		t.Errorf("error %v", err)
	}
	waiting := make(chan error)
	go func() { waiting <- c.WriteLine(context.Background(), []byte("x")) }()
	<-c.Broken()
	if err := <-waiting; !errors.Is(err, ErrWriteTimeout) {
		t.Errorf("error %v", err)
	}
	if err := c.WriteLine(t.Context(), []byte("x")); !errors.Is(err, ErrWriteTimeout) {
		t.Errorf("error %v", err)
	}
	if err := c.WriteErr(); !errors.Is(err, ErrWriteTimeout) {
		t.Errorf("error %v", err)
	}
}

// A slow reader is no hung one: as long as it takes something, nothing breaks.
func TestSlowReaderIsNotBroken(t *testing.T) {
	const timeout = 100 * time.Millisecond
	c, in, _ := pipes(t, Options{WriteTimeout: timeout})
	const size = 400_000
	if err := c.WriteLine(t.Context(), bytes.Repeat([]byte("x"), size)); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(timeout / 5)
	defer tick.Stop()
	buf := make([]byte, 16<<10)
	began := time.Now()
	for got := 0; got < size+1; {
		<-tick.C
		n, err := in.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += n
	}
	if took := time.Since(began); took < 2*timeout {
		t.Skipf("too fast to tell: %v", took)
	}
	if err := c.WriteErr(); err != nil {
		t.Error(err)
	}
}

func TestWriteToTheDead(t *testing.T) {
	c, in, _ := pipes(t, Options{})
	in.Close()
	err := c.WriteLine(t.Context(), []byte("x"))
	if err == nil || !strings.HasPrefix(err.Error(), "write to the server: ") {
		t.Errorf("error %v", err)
	}
	<-c.Broken()
}

func TestClose(t *testing.T) {
	c, in, _ := pipes(t, Options{})
	if err := c.WriteLine(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	c.CloseWrite()
	if b, err := io.ReadAll(in); string(b) != "x\n" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if err := c.WriteLine(t.Context(), []byte("x")); err != ErrClosed {
		t.Errorf("error %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := c.ReadLine()
		done <- err
	}()
	c.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("error %v", err)
	}
	c.Close()
}

// Closing while a write is stuck must not wait for the child.
func TestCloseWhileStuck(t *testing.T) {
	c, _, _ := pipes(t, Options{})
	if err := c.WriteLine(t.Context(), make([]byte, 2<<20)); err != nil {
		t.Fatal(err)
	}
	c.CloseWrite()
	c.Close()
}

// The path without deadlines, which Windows takes.
func TestQueueOnly(t *testing.T) {
	c, in, _ := pipes(t, Options{WriteTimeout: 50 * time.Millisecond})
	c.out.raw = nil
	for n := range 100 {
		if err := c.WriteLine(t.Context(), fmt.Append(nil, n)); err != nil {
			t.Fatal(err)
		}
	}
	r := newReader(in, 1<<20, baseBuffer)
	for n := range 100 {
		if line, err := r.next(); err != nil || string(line) != fmt.Sprint(n) {
			t.Fatalf("%q %v", line, err)
		}
	}
	if err := c.WriteLine(t.Context(), make([]byte, 2<<20)); err != nil {
		t.Fatal(err)
	}
	<-c.Broken()
	if err := c.WriteErr(); !errors.Is(err, ErrWriteTimeout) {
		t.Error(err)
	}
}

func TestNoAllocationPerSmallLine(t *testing.T) {
	c, in, out := pipes(t, Options{})
	line := bytes.Repeat([]byte("x"), 100)
	end := append(bytes.Clone(line), '\n')
	buf := make([]byte, 1000)
	ctx := context.Background()
	n := testing.AllocsPerRun(1000, func() {
		if c.WriteLine(ctx, line) != nil {
			t.Fatal("write")
		}
		in.Read(buf)
		out.Write(end)
		got, err := c.ReadLine()
		if err != nil {
			t.Fatal(err)
		}
		c.Free(got)
	})
	if n >= 1 && !raceEnabled { // the collector may empty the pool now and then
		t.Errorf("%v allocations a line", n)
	}
}

func TestPool(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 4096, 4097, 1 << 22, 1<<22 + 1} {
		b := getBuffer(n)
		if len(b) != 0 || cap(b) < n {
			t.Errorf("%d: cap %d", n, cap(b))
		}
		putBuffer(b)
		putBuffer(b[:0:0])
	}
	for range 100 { // an odd capacity must serve the class below
		putBuffer(make([]byte, 0, 3000))
		if b := getBuffer(2000); cap(b) < 2000 {
			t.Fatalf("cap %d", cap(b))
		}
		if b := getBuffer(3000); cap(b) < 3000 {
			t.Fatalf("cap %d", cap(b))
		}
	}
}
