package stdio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"
)

func BenchmarkReadLine(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			line := append(bytes.Repeat([]byte("x"), size), '\n')
			r := newReader(nil, DefaultMaxLine, baseBuffer)
			r.src = &endless{line: line}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				got, err := r.next()
				if err != nil || len(got) != size {
					b.Fatal(len(got), err)
				}
				putBuffer(got)
			}
		})
	}
}

type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	p = p[:min(len(p), 64<<10)] // what a pipe gives
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	return n, nil
}

func BenchmarkWriteLine(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%d/%d", size, writers), func(b *testing.B) {
				c, in, _ := pipes(b, Options{})
				go io.Copy(io.Discard, struct{ io.Reader }{in})
				line := bytes.Repeat([]byte("x"), size)
				ctx := context.Background()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.SetParallelism(writers)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := c.WriteLine(ctx, line); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}

// BenchmarkRoundTrip is one line out and back through an echoing goroutine;
// "raw" does the same with bare files.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		line := bytes.Repeat([]byte("x"), size)
		b.Run(fmt.Sprintf("%d/conn", size), func(b *testing.B) {
			c, in, out := pipes(b, Options{})
			enlarge(c.out.file, out)
			go echo(in, out)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := c.WriteLine(ctx, line); err != nil {
					b.Fatal(err)
				}
				got, err := c.ReadLine()
				if err != nil || len(got) != size {
					b.Fatal(err)
				}
				c.Free(got)
			}
		})
		b.Run(fmt.Sprintf("%d/raw", size), func(b *testing.B) {
			inR, inW, _ := os.Pipe()
			outR, outW, _ := os.Pipe()
			enlarge(inW, outW)
			go echo(inR, outW)
			buf, all := make([]byte, 64<<10), append(bytes.Clone(line), '\n')
			b.ReportAllocs()
			for b.Loop() {
				go inW.Write(all)
				for got := 0; got < len(all); {
					n, err := outR.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					got += n
				}
			}
			inW.Close()
			outR.Close()
		})
	}
}

func echo(r, w *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return
		}
	}
}
