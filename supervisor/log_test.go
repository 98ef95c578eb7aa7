package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLogKeepsTheNewestLines(t *testing.T) {
	l := newLog("", 0)
	for n := range maxLogLines + 10 {
		l.append(FromStderr, fmt.Append(nil, n), false)
	}
	all := l.Tail(0)
	if len(all) != maxLogLines || all[0].Text != "10" || all[0].Seq != 11 {
		t.Errorf("%d lines from %+v", len(all), all[0])
	}
	if last := l.Tail(2); len(last) != 2 || last[1].Text != fmt.Sprint(maxLogLines+9) {
		t.Errorf("tail %+v", last)
	}
	big := make([]byte, maxLogLine+1)
	for range 1000 {
		l.append(FromStderr, big, false)
	}
	all = l.Tail(0)
	if len(all) > maxLogBytes/maxLogLine+1 || !all[0].Cut || len(all[0].Text) != maxLogLine {
		t.Errorf("%d big lines", len(all))
	}
	l.append(FromStdout, []byte("a\xffb"), false)
	if got := l.Tail(1)[0].Text; !utf8.ValidString(got) || got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}

// A window that could not keep up with a chatty server stopped the server, or
// silently showed only some of its lines.
func TestSlowFollowerIsResynced(t *testing.T) {
	l := newLog("", 0)
	l.append(FromStderr, []byte("first"), false)
	l.append(FromStderr, []byte("second"), false)
	var got []Line
	enough := errors.New("enough")
	err := l.Follow(t.Context(), 1, func(line Line) error {
		got = append(got, line)
		if len(got) == 1 {
			for n := range maxLogLines + 7 {
				l.append(FromStderr, fmt.Append(nil, n), false)
			}
		}
		if len(got) == 4 {
			return enough
		}
		return nil
	})
	if err != enough || got[0].Text != "second" {
		t.Fatalf("%v %+v", err, got)
	}
	if got[1].Source != FromUs || !strings.HasPrefix(got[1].Text, "7 lines are missing") || got[2].Text != "7" ||
		got[1].Seq != got[2].Seq-1 {
		t.Errorf("%+v", got[1:])
	}
}

func TestFollowEnds(t *testing.T) {
	l := newLog("", 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("left")
	done := make(chan error)
	go func() { done <- l.Follow(ctx, 0, func(Line) error { return nil }) }()
	cancel(cause)
	if err := <-done; err != cause {
		t.Error(err)
	}
	go func() { done <- l.Follow(t.Context(), 0, func(Line) error { return nil }) }()
	l.close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLogFileRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "a.log")
	f := newLogFile(path, func(note string) { t.Error(note) })
	f.max = 1000
	line := &Line{Time: time.Now(), Source: FromStderr, Text: strings.Repeat("x", 300)}
	for range 30 {
		f.put(line)
		f.writer.Wait() // one write a line
	}
	f.close()
	files, _ := filepath.Glob(path + "*")
	if len(files) != logFiles {
		t.Errorf("files %v", files)
	}
	for _, name := range files {
		if info, _ := os.Stat(name); info.Size() > f.max || info.Size() == 0 {
			t.Errorf("%s: %d bytes", name, info.Size())
		}
	}
}

// A full disk stopped the server, which blocked on its own stderr.
func TestDiskErrorIsNotedOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "logs"), nil, 0o600); err != nil { // a file where a folder should be
		t.Fatal(err)
	}
	l := newLog(filepath.Join(dir, "logs", "a.log"), 0)
	for range 3 {
		l.append(FromStderr, []byte("x"), false)
		l.file.writer.Wait()
	}
	notes := 0
	for _, line := range l.Tail(0) {
		if line.Source == FromUs {
			notes++
		}
	}
	if notes != 1 {
		t.Errorf("%d notes: %+v", notes, l.Tail(0))
	}
	l.close()
}

func TestLogPath(t *testing.T) {
	seen := make(map[string]string)
	for _, name := range []string{"a", "A", "../a", "a/b", "a_b", "a b", "con", "CON", "nul", "com1", "", ".", "..", strings.Repeat("x", 300), strings.Repeat("x", 301), "é"} {
		path := logPath("dir", name)
		if filepath.Dir(path) != "dir" || len(filepath.Base(path)) > 120 {
			t.Errorf("%q: %s", name, path)
		}
		folded := strings.ToLower(path)
		if other, ok := seen[folded]; ok {
			t.Errorf("%q and %q share %s", name, other, path)
		}
		seen[folded] = name
	}
	if logPath("dir", "files") != filepath.Join("dir", "files.log") {
		t.Error("a plain name should stay plain")
	}
}

func TestDrainCutsLongLines(t *testing.T) {
	var got []string
	d := newDrain(nil, func(b []byte, cut bool) { got = append(got, fmt.Sprintf("%d %v", len(b), cut)) })
	d.feed([]byte("ab\r\ncd"))
	d.feed([]byte("ef\n"))
	for range 3 {
		d.feed(make([]byte, maxLogLine/2))
	}
	d.feed([]byte("\n\nx\n"))
	want := []string{"2 false", "4 false", fmt.Sprint(maxLogLine, " true"), "0 false", "1 false"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzDrain(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 2)
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		var got []string
		d := newDrain(nil, func(b []byte, cut bool) { got = append(got, string(b)) })
		if step <= 0 {
			step = 1
		}
		for rest := in; len(rest) > 0; rest = rest[min(step, len(rest)):] {
			d.feed(rest[:min(step, len(rest))])
		}
		if len(d.part) > 0 {
			d.emit()
		}
		want := strings.Split(string(in), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		for i := range want {
			want[i] = strings.TrimSuffix(want[i][:min(len(want[i]), maxLogLine)], "\r")
		}
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("line %d: %q, want %q", i, got[i], want[i])
			}
		}
	})
}

// A server that wrote gigabytes to stderr took the bridge's memory, or was
// stopped by a full pipe, or made every other call slow.
func TestStderrFloodIsBounded(t *testing.T) {
	for _, kind := range []string{"lines", "blob"} {
		t.Run(kind, func(t *testing.T) {
			h := start(t, Options{LogDir: t.TempDir()})
			h.Apply([]Spec{testSpec(t, "flood", "flood="+kind+",normal"), testSpec(t, "other", "normal")})
			h.reach("flood", Ready)
			h.reach("other", Ready)
			flood, other := h.session("flood"), h.session("other")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for n := range 300 {
				began := time.Now()
				if got := other.call(t, fmt.Sprint(n)); got != fmt.Sprint(n) {
					t.Fatal(got)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("a call took %v", took)
				}
				flood.call(t, "hi")
			}
			if kind == "lines" {
				h.until2(func() bool { return h.Logs("flood").lastSeq() > 3*maxLogLines })
			}
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 64<<20 {
				t.Errorf("heap grew by %d MiB", grown>>20)
			}
			if n := len(h.Logs("flood").Tail(0)); n > maxLogLines {
				t.Errorf("%d lines kept", n)
			}
			h.stop()
			files, _ := filepath.Glob(filepath.Join(h.opts.LogDir, "flood.log*"))
			var size int64
			for _, f := range files {
				info, _ := os.Stat(f)
				size += info.Size()
			}
			if size == 0 || size > logFiles*(logFileBytes+2*logQueue) {
				t.Errorf("%d bytes in %d files", size, len(files))
			}
		})
	}
}

// until2 waits for something that no status tells.
func (h *harness) until2(cond func() bool) {
	h.tb.Helper()
	for late := time.After(patience); !cond(); {
		select {
		case <-time.After(time.Millisecond):
		case <-late:
			h.tb.Fatal("never")
		}
	}
}
