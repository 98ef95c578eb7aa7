package activity

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"bridgekeeper/app/wire"
)

func open(t testing.TB, dir string, opts Options) *Log {
	t.Helper()
	l, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func lines(t testing.TB, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for line := range strings.Lines(string(data)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

func begin(t testing.TB, l *Log, e Entry) ID {
	t.Helper()
	id, err := l.Begin(e)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "activity")
	file := filepath.Join(dir, FileName)
	l := open(t, dir, Options{})
	id := begin(t, l, Entry{Host: "cursor", Server: "rooms", Tool: "reboot_room", Decision: Allow, Rule: "answers: allow"})
	// On the disk before the call is sent.
	got := lines(t, file)
	if len(got) != 1 || got[0]["tool"] != "reboot_room" || got[0]["decision"] != "allow" || got[0]["rule"] != "answers: allow" {
		t.Fatalf("got %v", got)
	}
	if _, err := time.Parse(time.RFC3339, got[0]["time"].(string)); err != nil {
		t.Error(err)
	}
	l.End(id, "ok", 123, 1500*time.Microsecond)
	second := begin(t, l, Entry{Decision: Deny})
	got = lines(t, file)
	if len(got) != 3 || got[1]["call"] != got[0]["call"] || got[1]["outcome"] != "ok" || got[1]["bytes"] != 123.0 || got[1]["ms"] != 1.5 {
		t.Fatalf("got %v", got)
	}
	l.End(second, "late", 0, 0)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, file); len(got) != 4 || got[3]["call"] != fmt.Sprintf("%x", uint64(second)) {
		t.Errorf("after Close: %v", got)
	}
	if _, err := l.Begin(Entry{}); err != ErrClosed {
		t.Errorf("Begin after Close: %v", err)
	}
	l.End(second, "too late", 0, 0)
	if err := l.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestEndsAreWrittenSoon(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, dir, Options{})
		defer l.Close()
		id := begin(t, l, Entry{})
		for range 10 {
			l.End(id, "ok", 0, 0)
		}
		synctest.Wait()
		if n := len(lines(t, filepath.Join(dir, FileName))); n != 1 {
			t.Errorf("%d lines at once", n)
		}
		time.Sleep(flushAfter)
		synctest.Wait()
		if n := len(lines(t, filepath.Join(dir, FileName))); n != 11 {
			t.Errorf("%d lines after %v", n, flushAfter)
		}
	})
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{MaxBytes: 1000, Keep: 3})
	const calls = 60
	for i := range calls {
		l.End(begin(t, l, Entry{Tool: fmt.Sprint(i)}), "ok", 0, 0)
	}
	l.Close()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v, %v", entries, err)
	}
	next := -1
	for _, name := range []string{".2", ".1", ""} {
		path := filepath.Join(dir, FileName+name)
		if info, err := os.Stat(path); err != nil || info.Size() > 1000 {
			t.Errorf("%s: %d bytes, %v", name, info.Size(), err)
		}
		for _, m := range lines(t, path) {
			tool, ok := m["tool"].(string)
			if !ok {
				continue
			}
			var n int
			fmt.Sscan(tool, &n)
			if next >= 0 && n != next {
				t.Fatalf("call %d after %d", n, next-1)
			}
			next = n + 1
		}
	}
	if next != calls {
		t.Errorf("the last call is %d", next-1)
	}
}

// After a power cut the first new call was glued to half a line and lost to every reader.
func TestATornLineEnds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	if err := os.WriteFile(file, []byte(`{"time":"20`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	begin(t, l, Entry{Tool: "x"})
	begin(t, l, Entry{Tool: "y"})
	l.Close()
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "\n") != 3 || !strings.HasPrefix(string(data), "{\"time\":\"20\n{") {
		t.Errorf("got %q, %v", data, err)
	}
}

// A call was carried out and nothing was on record: the disk was full.
func TestBeginFailsWhenNothingCanBeWritten(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	defer l.Close()
	l.file.Close()
	if id, err := l.Begin(Entry{}); err == nil {
		t.Errorf("got %d and no error", id)
	}
}

func TestADeletedRecordIsBegunAgain(t *testing.T) {
	// After somebody tidied the folder up, calls ran for days without a trace.
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "activity")
		l := open(t, dir, Options{})
		defer l.Close()
		begin(t, l, Entry{Tool: "before", Decision: Allow})
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lookAfter)
		begin(t, l, Entry{Tool: "after", Decision: Allow})
		if got := lines(t, filepath.Join(dir, FileName)); len(got) != 1 || got[0]["tool"] != "after" {
			t.Errorf("got %v", got)
		}
		// With something else in its place nothing can be written: the caller denies.
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lookAfter)
		if _, err := l.Begin(Entry{Tool: "nowhere", Decision: Allow}); err == nil {
			t.Error("a call was let through without a record")
		}
	})
}

func TestConcurrentCalls(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{MaxBytes: 8 << 10, Keep: 100})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				id, err := l.Begin(Entry{Tool: "t"})
				if err != nil {
					t.Error(err)
				}
				l.End(id, "ok", 1, time.Millisecond)
			}
		})
	}
	wg.Wait()
	l.Close()
	begins, ends := map[any]bool{}, 0
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		for _, m := range lines(t, f) {
			if m["tool"] != nil {
				begins[m["call"]] = true
			} else {
				ends++
			}
		}
	}
	if len(begins) != 800 || ends != 800 {
		t.Errorf("%d calls, %d ends", len(begins), ends)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("tool", "host\n\"\\")
	f.Add("\xff\xfe\x00\x7f", "é\u2028🂡")
	f.Add(strings.Repeat("é", 300), strings.Repeat("x", 256))
	f.Fuzz(func(t *testing.T, tool, host string) {
		l := newLog(t.TempDir(), Options{Arguments: true})
		p := l.prepare(Entry{Tool: tool, Host: host, Text: host, Arguments: []byte(tool)})
		b, _ := head{}.link(nil, appendBegin(l.appendTimeLocked(nil), 7, &p), nil)
		if strings.Count(string(b), "\n") != 1 || !utf8.Valid(b) {
			t.Fatalf("not one line of UTF-8: %q", b)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if got, _ := m["tool"].(string); len(tool) <= maxField && utf8.ValidString(tool) && got != tool {
			t.Errorf("%q became %q", tool, got)
		}
		// Our own reader sees what everybody's sees.
		r, ok := parse(b[:len(b)-1])
		if !ok || !r.whole() || r.n != 1 || r.id != 7 {
			t.Fatalf("%q is not read", b)
		}
		a, ok := r.entry(words{})
		if want, _ := m["tool"].(string); !ok || a.Tool != want {
			t.Fatalf("%q: the tool is %q", b, a.Tool)
		}
		if !newFilter(wire.ActivityQuery{Tool: tool}).begins(&r) && utf8.ValidString(tool) && !strings.Contains(tool, "*") {
			t.Errorf("%q is not found", tool)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	l := open(b, dir, Options{Anchor: filepath.Join(dir, "anchor")})
	defer l.Close()
	e := Entry{Host: "claude-code", Server: "rooms", Tool: "get_room_status", Decision: Allow, Rule: "read-only", By: "policy",
		Arguments: []byte(`{"room_id":"cedar","verbose":true}`)}
	b.ReportAllocs()
	for b.Loop() {
		id, err := l.Begin(e)
		if err != nil {
			b.Fatal(err)
		}
		l.End(id, "ok", 100, time.Millisecond)
	}
}
