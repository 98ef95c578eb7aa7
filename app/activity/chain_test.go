package activity

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/wire"
)

// site is a record in a folder with its anchor in another.
type site struct {
	testing.TB
	dir, anchor string
	opts        Options
}

func newSite(t testing.TB, opts Options) *site {
	s := &site{TB: t, dir: filepath.Join(t.TempDir(), "activity")}
	s.anchor = filepath.Join(t.TempDir(), "anchor")
	s.opts = opts
	s.opts.Anchor = s.anchor
	return s
}

func (s *site) file(number int) string {
	if number == 0 {
		return filepath.Join(s.dir, FileName)
	}
	return filepath.Join(s.dir, fmt.Sprintf("%s.%d", FileName, number))
}

func (s *site) open() *Log { return open(s.TB, s.dir, s.opts) }

// fill records calls that end, in one run.
func (s *site) fill(calls int) {
	s.Helper()
	l := s.open()
	for i := range calls {
		l.End(begin(s.TB, l, Entry{Host: "h", Server: "s", Tool: fmt.Sprint("t", i), Decision: Allow}), "ok", i, time.Millisecond)
	}
	if err := l.Close(); err != nil {
		s.Fatal(err)
	}
}

func verify(t testing.TB, l *Log) *wire.ActivityCheck {
	t.Helper()
	c, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check looks at the record as the next run finds it.
func (s *site) check() *wire.ActivityCheck {
	s.Helper()
	l := s.open()
	defer l.Close()
	return verify(s.TB, l)
}

func (s *site) read(number int) []string {
	s.Helper()
	data, err := os.ReadFile(s.file(number))
	if err != nil {
		s.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n")+"\n", "\n")
}

func (s *site) write(number int, lines []string) {
	s.Helper()
	if err := os.WriteFile(s.file(number), []byte(strings.Join(lines, "")), 0o600); err != nil {
		s.Fatal(err)
	}
}

func TestChainOverRotationAndRestart(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 2000, Keep: 50})
	for range 4 {
		s.fill(20)
	}
	c := s.check()
	if !c.OK || c.Lines != 160 || c.Files < 5 || c.Number != 160 || len(c.Notes) > 0 {
		t.Errorf("%+v", c)
	}
	if lines := s.read(0); !strings.HasPrefix(lines[0], `{"n":`) || strings.Contains(lines[0], `"n":1,`) {
		t.Errorf("a new file begins anew: %s", lines[0])
	}
	// Files that were rotated away are no loss.
	s.opts.Keep = 3
	s.fill(20)
	s.fill(20)
	if c := s.check(); !c.OK || c.Files > 3 || c.Number != 240 || c.Lines >= 240 {
		t.Errorf("%+v", c)
	}
}

func TestSetKeep(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 1000, Keep: 20})
	s.fill(60)
	l := s.open()
	defer l.Close()
	l.SetKeep(500, 2)
	for range 10 {
		begin(t, l, Entry{Tool: "x", Decision: Deny})
	}
	files, err := os.ReadDir(s.dir)
	if c := verify(t, l); err != nil || len(files) != 2 || !c.OK {
		t.Errorf("%v, %+v", files, c)
	}
}

// A rotation that was cut short let the oldest file go at the next one, too early.
func TestRotationFillsAGap(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 1000, Keep: 4})
	s.fill(60)
	oldest := s.read(3)[0]
	if err := os.Rename(s.file(2), s.file(2)+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.file(1), s.file(2)); err != nil {
		t.Fatal(err)
	}
	s.fill(3)
	if got := s.read(3)[0]; got != oldest {
		t.Errorf("the oldest file is gone: %s", got)
	}
}

func TestEveryKindOfTampering(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(*site)
		says  string
		where int // line, 0 for any
	}{
		"a changed line": {func(s *site) {
			lines := s.read(1)
			lines[2] = strings.Replace(lines[2], `"time":"2`, `"time":"3`, 1)
			s.write(1, lines)
		}, "is not what was written", 3},
		"a changed line at the end of a file": {func(s *site) {
			lines := s.read(1)
			last := len(lines) - 2
			lines[last] = strings.Replace(lines[last], `"time":"2`, `"time":"3`, 1)
			s.write(1, lines)
		}, "is not what was written", 0},
		"the last line changed": {func(s *site) {
			lines := s.read(0)
			last := len(lines) - 2
			lines[last] = strings.Replace(lines[last], `"time":"2`, `"time":"3`, 1)
			s.write(0, lines)
		}, "is not what was written", 0},
		"a line cut out": {func(s *site) {
			lines := s.read(1)
			s.write(1, append(lines[:2:2], lines[3:]...))
		}, "is missing before this one", 3},
		"a line written twice": {func(s *site) {
			lines := s.read(1)
			s.write(1, append(lines[:3:3], lines[2:]...))
		}, "added, or moved", 4},
		"two lines exchanged": {func(s *site) {
			lines := s.read(1)
			lines[2], lines[3] = lines[3], lines[2]
			s.write(1, lines)
		}, "added, or moved", 4},
		"a line of another kind": {func(s *site) {
			lines := s.read(1)
			s.write(1, append(append(lines[:2:2], "Hello!\n"), lines[2:]...))
		}, "no line of the record", 3},
		"a line of the older form": {func(s *site) {
			lines := s.read(1)
			old := `{"time":"2026-01-02T03:04:05.678Z","call":"1","host":"h","server":"s","tool":"t","decision":"allow","rule":"r"}` + "\n"
			s.write(1, append(append(lines[:2:2], old), lines[2:]...))
		}, "without number and digest", 3},
		"a line that is far too long": {func(s *site) {
			lines := s.read(1)
			s.write(1, append(append(lines[:2:2], strings.Repeat("x", 3*maxLine)+"\n"), lines[2:]...))
		}, "no line of the record", 3},
		"a file in the middle gone": {func(s *site) {
			if err := os.Remove(s.file(2)); err != nil {
				s.Fatal(err)
			}
		}, "a file, or a part of one, was taken away", 1},
		"the oldest file gone": {func(s *site) {
			if err := os.Remove(s.file(3)); err != nil {
				s.Fatal(err)
			}
		}, "the oldest file or its beginning was deleted", 0},
		"the end cut off": {func(s *site) {
			lines := s.read(0)
			s.write(0, lines[:len(lines)-2])
		}, "missing before this one|is not what was written", 0},
		"the newest file gone": {func(s *site) {
			if err := os.Remove(s.file(0)); err != nil {
				s.Fatal(err)
			}
		}, "was taken away", 0},
		"all gone": {func(s *site) {
			if err := os.RemoveAll(s.dir); err != nil {
				s.Fatal(err)
			}
		}, "the oldest file or its beginning was deleted", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, Options{MaxBytes: 2000, Keep: 4})
			s.fill(40)
			if c := s.check(); !c.OK || c.Files != 4 {
				t.Fatalf("before: %+v", c)
			}
			c.do(s)
			// Twice: opening the record must not heal the wound.
			s.check()
			s.fill(2)
			got := s.check()
			said := false
			for _, b := range got.Breaks {
				for says := range strings.SplitSeq(c.says, "|") {
					said = said || strings.Contains(b.Text, says) && (c.where == 0 || c.where == b.Line)
				}
			}
			if got.OK || !said || len(got.Breaks) > 2 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// While the core runs it knows its newest line by heart.
func TestTamperingUnderARunningCore(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*site)
		says string
	}{
		"nothing":       {func(*site) {}, ""},
		"the end":       {func(s *site) { lines := s.read(0); s.write(0, lines[:len(lines)-2]) }, "its end was cut off"},
		"all of it":     {func(s *site) { os.RemoveAll(s.dir) }, "the record was deleted"},
		"the anchor":    {func(s *site) { os.Remove(s.anchor) }, "is gone"},
		"a bad anchor":  {func(s *site) { os.WriteFile(s.anchor, []byte("{}"), 0o600) }, "can't be read"},
		"a line is new": {func(s *site) { lines := s.read(0); s.write(0, append(lines, added(lines))) }, "lines were added"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, Options{})
			s.fill(3)
			l := s.open()
			defer l.Close()
			begin(t, l, Entry{Tool: "x", Decision: Allow})
			c.do(s)
			l.mu.Lock()
			if info, err := os.Stat(s.file(0)); err == nil {
				l.size = info.Size() // as if the added line had come by our own handle
			}
			l.mu.Unlock()
			got := verify(t, l)
			if c.says == "" {
				if !got.OK {
					t.Errorf("%+v", got)
				}
				return
			}
			if got.OK || !strings.Contains(fmt.Sprint(got.Breaks), c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// added is a line that goes on with the chain as a forger would.
func added(lines []string) string {
	last := strings.TrimSuffix(lines[len(lines)-2], "\n")
	r, _ := parse([]byte(last))
	b, _ := head{r.n, sumOf([]byte(last))}.link(nil, []byte(`"time":"2026-01-02T03:04:05.678Z","call":"1","tool":"x"}`+"\n"), nil)
	return string(b)
}

func TestARewrittenRecordShowsByItsAnchor(t *testing.T) {
	s := newSite(t, Options{})
	s.fill(5)
	var forged []byte
	var h head
	for _, line := range s.read(0) {
		if line == "" {
			continue
		}
		body := strings.Replace(line[strings.Index(line, `"time"`):], `"server":"s"`, `"server":"y"`, 1)
		forged, h = h.link(forged, []byte(body), nil)
	}
	s.write(0, []string{string(forged)})
	if c := s.check(); c.OK || !strings.Contains(fmt.Sprint(c.Breaks), "is not what was written") || !strings.Contains(fmt.Sprint(c.Notes), "was changed") {
		t.Errorf("%+v", c)
	}
}

// A crash between a line and its anchor is no tampering.
func TestTheRecordMayBeAheadOfItsAnchor(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 1500, Keep: 3})
	s.fill(1)
	old, err := os.ReadFile(s.anchor)
	if err != nil {
		t.Fatal(err)
	}
	s.opts.Keep = 30
	s.fill(20)
	if err := os.WriteFile(s.anchor, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := s.check(); !c.OK || len(c.Notes) > 0 {
		t.Errorf("%+v", c)
	}
}

func TestAnAnchorThatIsGone(t *testing.T) {
	s := newSite(t, Options{})
	s.fill(3)
	if err := os.Remove(s.anchor); err != nil {
		t.Fatal(err)
	}
	if c := s.check(); !c.OK || len(c.Notes) != 1 || !strings.Contains(c.Notes[0].Text, "anchor was gone") {
		t.Errorf("%+v", c)
	}
	if c := s.check(); !c.OK || len(c.Notes) != 1 {
		t.Errorf("the next time: %+v", c)
	}
}

// A power cut in the middle of a line is kept, explained, and no false alarm.
func TestTornLines(t *testing.T) {
	s := newSite(t, Options{})
	s.fill(2)
	whole := strings.TrimSuffix(s.read(0)[3], "\n")
	for _, piece := range []string{"{", whole[:20], whole[:len(whole)-1], strings.Repeat("\x00", 2*maxLine)} {
		s.write(0, append(s.read(0), piece))
		l := s.open()
		if c := verify(t, l); !c.OK || !strings.Contains(fmt.Sprint(c.Notes), "cut short") {
			t.Errorf("%.20q: %+v", piece, c)
		}
		begin(t, l, Entry{Tool: "x", Decision: Deny})
		l.Close()
	}
	if c := s.check(); !c.OK || len(c.Notes) != 4 {
		t.Errorf("%+v", c)
	}
	// It is protected like the lines.
	lines := s.read(0)
	for i, line := range lines {
		if line == "{\n" {
			lines[i] = "[\n"
		}
	}
	s.write(0, lines)
	if c := s.check(); c.OK || len(c.Breaks) != 2 {
		t.Errorf("%+v", c)
	}
}

// A line that lacks only its newline is a whole one.
func TestALineWithoutItsNewline(t *testing.T) {
	s := newSite(t, Options{})
	s.fill(2)
	data, err := os.ReadFile(s.file(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(0), bytes.TrimSuffix(data, []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	s.fill(1)
	if c := s.check(); !c.OK || c.Number != 6 || len(c.Notes) > 0 {
		t.Errorf("%+v", c)
	}
}

const olderLines = `{"time":"2025-01-02T03:04:05.678Z","call":"17a","host":"h","server":"s","tool":"old","decision":"allow","rule":"read-only tool"}
{"time":"2025-01-02T03:04:05.679Z","call":"17a","outcome":"ok","bytes":7,"ms":1.5}
{"time":"20
{"time":"2025-01-02T03:04:06.678Z","call":"17b","host":"","server":"","tool":"odd","decision":"deny","rule":""}
`

func TestOlderLines(t *testing.T) {
	s := newSite(t, Options{})
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(0, []string{olderLines})
	if c := s.check(); !c.OK || c.Older != 3 || c.Lines != 4 || len(c.Notes) != 1 {
		t.Errorf("alone: %+v", c)
	}
	s.fill(2)
	if c := s.check(); !c.OK || c.Older != 3 || c.Number != 4 {
		t.Errorf("%+v", c)
	}
	l := s.open()
	defer l.Close()
	all, skipped, err := l.List(t.Context(), wire.ActivityQuery{})
	if err != nil || skipped != 1 || len(all) != 4 || all[0].Tool != "old" || all[0].Outcome != "ok" || all[0].MS != 1.5 || all[1].Decision != "deny" {
		t.Errorf("%d, %v: %+v", skipped, err, all)
	}
}

// disk is a file that takes only so many bytes more.
type disk struct {
	appender
	room    *int
	noTrunc bool
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(p []byte) (int, error) {
	if len(p) <= *d.room {
		*d.room -= len(p)
		return d.appender.Write(p)
	}
	n, _ := d.appender.Write(p[:*d.room])
	*d.room = 0
	return n, errFull
}

func (d *disk) Truncate(size int64) error {
	if d.noTrunc {
		return errFull
	}
	return d.appender.Truncate(size)
}

func TestFullDisk(t *testing.T) {
	for _, noTrunc := range []bool{false, true} {
		for _, room := range []int{0, 1, 50, 130, 131, 200, 500} {
			t.Run(fmt.Sprint(room, noTrunc), func(t *testing.T) {
				s := newSite(t, Options{})
				left := 1 << 20
				l := newLog(s.dir, s.opts)
				l.create = func(path string) (appender, error) {
					f, err := create(path)
					return &disk{f, &left, noTrunc}, err
				}
				if _, err := l.begin(); err != nil {
					t.Fatal(err)
				}
				go l.flusher()
				id := begin(t, l, Entry{Tool: "before", Decision: Allow})
				left = room
				denied := 0
				for i := range 5 {
					if i == 2 {
						l.End(id, "ok", 1, time.Second)
					}
					if _, err := l.Begin(Entry{Tool: "while it is full", Decision: Allow}); errors.Is(err, errFull) {
						denied++
					} else if err != nil {
						t.Error(err)
					}
				}
				if denied < 2 {
					t.Errorf("%d calls were denied", denied)
				}
				left = 1 << 20
				begin(t, l, Entry{Tool: "after", Decision: Allow})
				if c := verify(t, l); !c.OK {
					t.Errorf("%+v", c)
				}
				all, _, err := l.List(t.Context(), wire.ActivityQuery{})
				if err != nil || all[0].Outcome != "ok" || all[len(all)-1].Tool != "after" {
					t.Errorf("%v %+v", err, all)
				}
				if !noTrunc && len(all) != 2+5-denied {
					t.Errorf("%d denied, %d entries", denied, len(all))
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				if c := s.check(); !c.OK {
					t.Errorf("the next run: %+v", c)
				}
			})
		}
	}
}

func TestAnchorIsWrittenOnceASecond(t *testing.T) {
	s := newSite(t, Options{})
	synctest.Test(t, func(t *testing.T) {
		l := s.open()
		defer l.Close()
		anchored := func() uint64 {
			a, err := l.anchor.read()
			if err != nil {
				t.Fatal(err)
			}
			return a.Number
		}
		begin(t, l, Entry{Tool: "x", Decision: Allow})
		synctest.Wait()
		if n := anchored(); n != 0 {
			t.Errorf("at once: %d", n)
		}
		seen := map[uint64]bool{}
		for range 30 {
			time.Sleep(100 * time.Millisecond)
			begin(t, l, Entry{Tool: "x", Decision: Allow})
			synctest.Wait()
			seen[anchored()] = true
		}
		if len(seen) < 3 || len(seen) > 4 {
			t.Errorf("in three seconds %d anchors", len(seen))
		}
		time.Sleep(2 * anchorAfter)
		synctest.Wait()
		if n := anchored(); n != 31 {
			t.Errorf("in the end %d", n)
		}
	})
}
