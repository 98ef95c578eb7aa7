package activity

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

// table is a record of known entries: two runs, over several files.
func table(t testing.TB) *Log {
	s := newSite(t, Options{MaxBytes: 1000, Keep: 20})
	l := s.open()
	begin(t, l, Entry{Host: "cursor", Server: "rooms", Tool: "lost", Decision: Allow, By: "policy"})
	l.Close()
	l = s.open()
	t.Cleanup(func() { l.Close() })
	do := func(e Entry, outcome string) {
		id := begin(t, l, e)
		if outcome != "" {
			l.End(id, outcome, 10, time.Millisecond)
		}
	}
	do(Entry{Host: "cursor", Server: "rooms", Tool: "get_room", Decision: Allow, Rule: "read-only tool", By: "policy", Session: "1", Arguments: []byte(`{"a":1}`)}, "ok")
	do(Entry{Host: "cursor", Server: "rooms", Tool: "reboot_room", Decision: Deny, By: "nobody"}, "")
	do(Entry{Host: "zed", Server: "tickets", Tool: "get_\"ticket\"", Decision: Allow, By: "terminal"}, "tool_error")
	if err := l.Note(Entry{Server: "rooms", By: "cli", Text: "the rule was changed"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Note(Entry{Kind: KindQuestion, Host: "zed", Decision: Deny, By: "window"}); err != nil {
		t.Fatal(err)
	}
	do(Entry{Host: "zed", Server: "tickets", Tool: "now", Decision: Allow, By: "policy"}, "")
	return l
}

func tools(all []wire.Activity) string {
	var names []string
	for _, a := range all {
		name := a.Tool
		if name == "" {
			name = a.Kind
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func TestList(t *testing.T) {
	l := table(t)
	everything, skipped, err := l.List(t.Context(), wire.ActivityQuery{})
	if err != nil || skipped != 0 {
		t.Fatal(skipped, err)
	}
	for _, c := range []struct {
		q    wire.ActivityQuery
		want string
	}{
		{wire.ActivityQuery{}, `lost get_room reboot_room get_"ticket" change question now`},
		{wire.ActivityQuery{Limit: 2}, `question now`},
		{wire.ActivityQuery{Limit: -1}, ``},
		{wire.ActivityQuery{Host: "zed"}, `get_"ticket" question now`},
		{wire.ActivityQuery{Host: "z"}, ``},
		{wire.ActivityQuery{Server: "rooms", Limit: 2}, `reboot_room change`},
		{wire.ActivityQuery{Tool: `get_*`}, `get_room get_"ticket"`},
		{wire.ActivityQuery{Tool: `get_"ticket"`}, `get_"ticket"`},
		{wire.ActivityQuery{Tool: `*_room`}, `get_room reboot_room`},
		{wire.ActivityQuery{Tool: `*o*o*`}, `get_room reboot_room`},
		{wire.ActivityQuery{Decision: "deny"}, `reboot_room question`},
		{wire.ActivityQuery{Kind: "change"}, `change`},
		{wire.ActivityQuery{Kind: "call", Decision: "deny"}, `reboot_room`},
		{wire.ActivityQuery{Outcome: "ok"}, `get_room`},
		{wire.ActivityQuery{Outcome: "unknown"}, `lost`},
		{wire.ActivityQuery{Outcome: "running"}, `now`},
		{wire.ActivityQuery{Since: everything[0].Time}, `lost get_room reboot_room get_"ticket" change question now`},
		{wire.ActivityQuery{Since: time.Now().Add(time.Minute)}, ``},
		{wire.ActivityQuery{Until: everything[0].Time.Add(-time.Second)}, ``},
		{wire.ActivityQuery{Until: time.Now().Add(time.Minute), Limit: 1}, `now`},
	} {
		all, _, err := l.List(t.Context(), c.q)
		if got := tools(all); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v; want %s", c.q, got, err, c.want)
		}
	}
	a := everything[1]
	if a.Host != "cursor" || a.Server != "rooms" || a.Session != "1" || a.Rule != "read-only tool" || a.By != "policy" || a.Outcome != "ok" || a.Bytes != 10 || a.MS != 1 ||
		a.ArgBytes != 7 || a.ArgSum != "015abd7f5cc57a2d" || a.Args != nil || a.Ended.IsZero() || everything[4].Text != "the rule was changed" {
		t.Errorf("%+v", a)
	}
	if everything[0].Outcome != wire.OutcomeUnknown || everything[6].Outcome != "" {
		t.Error("a call of the last run, or one that runs, is not told rightly")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.List(gone, wire.ActivityQuery{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	enough := errors.New("enough")
	if _, err := l.Each(t.Context(), wire.ActivityQuery{}, func(*wire.Activity) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
}

func TestLinesThatCannotBeReadAreCounted(t *testing.T) {
	s := newSite(t, Options{})
	s.fill(2)
	lines := s.read(0)
	for _, bad := range []string{"\n", "{}\n", "null\n", strings.Repeat("y", 3*maxLine) + "\n", "\x00\xff\n", lines[0][:len(lines[0])-3] + "\n", strings.Replace(lines[0], `"host"`, `host`, 1)} {
		lines = append([]string{bad}, lines...)
	}
	s.write(0, lines)
	l := s.open()
	defer l.Close()
	if all, skipped, err := l.List(t.Context(), wire.ActivityQuery{}); err != nil || len(all) != 2 || skipped != 6 {
		t.Errorf("%d entries, %d skipped, %v", len(all), skipped, err)
	}
}

func TestArguments(t *testing.T) {
	s := newSite(t, Options{Redact: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("secret"), []byte("••••")) }})
	l := s.open()
	defer l.Close()
	begin(t, l, Entry{Tool: "not", Arguments: []byte(`{"x":1}`), Text: "a secret", Rule: "a secret"})
	l.SetArguments(true)
	long := `{"x":"` + strings.Repeat("<", maxArgs) + `"}`
	for _, args := range []string{"{\n \"x\" : \"secret\",\r\n\"}\":[1,{\"\\\\\":\"\\\"\"}]}", long, `{"x":`, "{\"\xff\":1}", strings.Repeat(" ", 5*maxArgs) + "{}"} {
		begin(t, l, Entry{Tool: "x", Decision: Allow, Arguments: []byte(args)})
	}
	all, skipped, err := l.List(t.Context(), wire.ActivityQuery{})
	if err != nil || skipped != 0 || len(all) != 6 {
		t.Fatalf("%d entries, %d skipped, %v", len(all), skipped, err)
	}
	if a := all[0]; a.Args != nil || a.ArgBytes != 7 || a.Text != "a ••••" || a.Rule != "a ••••" {
		t.Errorf("%+v", a)
	}
	if got := string(all[1].Args); got != `{"x":"••••","}":[1,{"\\":"\""}]}` {
		t.Errorf("got %s", got)
	}
	for _, a := range all[2:] {
		var text string
		if err := json.Unmarshal(a.Args, &text); err != nil || len(text) > maxArgs+10 {
			t.Errorf("%v: %.80s", err, a.Args)
		}
	}
	if c := verify(t, l); !c.OK {
		t.Errorf("%+v", c)
	}
}

func TestExport(t *testing.T) {
	s := newSite(t, Options{})
	l := s.open()
	defer l.Close()
	id := begin(t, l, Entry{Host: "=cmd()", Server: "+s", Tool: "-1,\"2\"\n@x", Decision: Allow, Rule: "@r", Arguments: []byte("{}")})
	l.End(id, "ok", 5, 1500*time.Microsecond)
	begin(t, l, Entry{Host: "zed", Decision: Deny})
	var b bytes.Buffer
	if err := l.Export(t.Context(), &b, wire.ActivityQuery{}, wire.FormatCSV); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0], " ") != strings.Join(columns, " ") {
		t.Fatalf("%v, %v", rows, err)
	}
	want := []string{"call", "'=cmd()", "'+s", "'-1,\"2\"\n@x", "", "allow", "'@r", "", "2", "44136fa355b3678a", "ok"}
	if got := rows[1][2:13]; strings.Join(got, "|") != strings.Join(want, "|") || rows[1][14] != "5" || rows[1][15] != "1.5" || rows[2][12] != "" || rows[2][14] != "" {
		t.Errorf("got %q", rows)
	}
	b.Reset()
	if err := l.Export(t.Context(), &b, wire.ActivityQuery{Host: "zed"}, wire.FormatJSONL); err != nil {
		t.Fatal(err)
	}
	var a wire.Activity
	if err := json.Unmarshal(b.Bytes(), &a); err != nil || a.Host != "zed" || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, &b)
	}
	if err := l.Export(t.Context(), &b, wire.ActivityQuery{}, "xml"); wire.AsError(err).Code != wire.CodeBadRequest {
		t.Errorf("got %v", err)
	}
}

// follower collects what Follow sends until it is stopped.
type follower struct {
	got  chan wire.Activity
	stop context.CancelFunc
	done chan error
}

func follow(t testing.TB, l *Log, q wire.ActivityQuery) *follower {
	ctx, stop := context.WithCancel(t.Context())
	f := &follower{make(chan wire.Activity), stop, make(chan error, 1)}
	followers := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.followers)
	}
	before := followers()
	defer func() {
		for followers() == before { // what comes now must not be missed
			runtime.Gosched()
		}
	}()
	go func() {
		f.done <- l.Follow(ctx, q, func(a *wire.Activity) error {
			select {
			case f.got <- *a:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	return f
}

func (f *follower) expect(t testing.TB, tool, outcome string) wire.Activity {
	t.Helper()
	select {
	case a := <-f.got:
		if a.Tool != tool || a.Outcome != outcome {
			t.Errorf("got %q %q, want %q %q", a.Tool, a.Outcome, tool, outcome)
		}
		return a
	case <-time.After(20 * time.Second):
		t.Fatalf("%q %q never came", tool, outcome)
	}
	return wire.Activity{}
}

func (f *follower) end(t testing.TB) {
	t.Helper()
	f.stop()
	if err := <-f.done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFollow(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 700, Keep: 100})
	l := s.open()
	defer l.Close()
	running := begin(t, l, Entry{Host: "h", Tool: "running", Decision: Allow})
	l.End(begin(t, l, Entry{Host: "h", Tool: "over", Decision: Allow}), "ok", 1, 0)
	all, none, failed, other := follow(t, l, wire.ActivityQuery{Limit: 1}), follow(t, l, wire.ActivityQuery{Limit: -1}),
		follow(t, l, wire.ActivityQuery{Outcome: "error"}), follow(t, l, wire.ActivityQuery{Host: "other*"})
	all.expect(t, "over", "ok")
	id := begin(t, l, Entry{Host: "h", Tool: "new", Decision: Allow})
	first := all.expect(t, "new", "")
	l.End(running, "cancelled", 0, 0)
	all.expect(t, "running", "cancelled") // also when its begin was not shown
	none.expect(t, "new", "")
	none.expect(t, "running", "cancelled")
	l.End(id, "error", 5, time.Second)
	if a := all.expect(t, "new", "error"); a.ID != first.ID || a.Bytes != 5 || a.Host != "h" {
		t.Errorf("%+v", a)
	}
	failed.expect(t, "new", "error")
	begin(t, l, Entry{Host: "others", Tool: "denied", Decision: Deny})
	other.expect(t, "denied", "")
	all.expect(t, "denied", "")
	none.end(t)
	failed.end(t)
	// A reader that is slow holds nobody up, and misses nothing that is kept.
	for i := range 200 {
		begin(t, l, Entry{Host: "other", Tool: fmt.Sprint(i), Decision: Deny})
	}
	for i := range 200 {
		other.expect(t, fmt.Sprint(i), "")
	}
	other.end(t)
	all.end(t)
	if len(l.followers) != 0 {
		t.Errorf("%d followers are kept", len(l.followers))
	}
}

// A reader that is slower than the rotation goes on with what is there.
func TestFollowSlowerThanTheRotation(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 700, Keep: 2})
	l := s.open()
	defer l.Close()
	f := follow(t, l, wire.ActivityQuery{Limit: -1})
	begin(t, l, Entry{Tool: "first", Decision: Deny})
	f.expect(t, "first", "")
	for i := range 50 {
		begin(t, l, Entry{Tool: fmt.Sprint(i), Decision: Deny})
	}
	for last := ""; last != "49"; {
		last = (<-f.got).Tool
	}
	// A record that was deleted goes on, too.
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	l.looked = time.Time{}
	l.mu.Unlock()
	begin(t, l, Entry{Tool: "anew", Decision: Deny})
	f.expect(t, "anew", "")
	f.end(t)
}

func TestWritersAndReadersAtOnce(t *testing.T) {
	s := newSite(t, Options{MaxBytes: 20 << 10, Keep: 100})
	l := s.open()
	const writers, calls = 4, 200
	f := follow(t, l, wire.ActivityQuery{Limit: -1, Tool: "t"})
	begin(t, l, Entry{Tool: "t", Decision: Deny})
	f.expect(t, "t", "")
	var all, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if c, err := l.Verify(t.Context()); err != nil || !c.OK {
					t.Errorf("%+v, %v", c, err)
				}
				if _, skipped, err := l.List(t.Context(), wire.ActivityQuery{Limit: 10}); err != nil || skipped > 0 {
					t.Errorf("%d skipped, %v", skipped, err)
				}
			}
		})
	}
	for range writers {
		all.Go(func() {
			for range calls {
				id, err := l.Begin(Entry{Tool: "t", Decision: Allow})
				if err != nil {
					t.Error(err)
				}
				l.End(id, "ok", 1, 0)
			}
		})
	}
	begun, ended := 0, 0
	for begun < writers*calls || ended < writers*calls {
		if a := <-f.got; a.Outcome == "" {
			begun++
		} else {
			ended++
		}
	}
	all.Wait()
	close(stop)
	readers.Wait()
	f.end(t)
	got, _, err := l.List(t.Context(), wire.ActivityQuery{Outcome: "ok"})
	if err != nil || len(got) != writers*calls {
		t.Errorf("%d, %v", len(got), err)
	}
	l.Close()
	if c := s.check(); !c.OK || c.Number != 2*writers*calls+1 {
		t.Errorf("%+v", c)
	}
}

func FuzzRecord(f *testing.F) {
	s := newSite(f, Options{Arguments: true})
	l := s.open()
	l.End(begin(f, l, Entry{Host: "h", Tool: "t\"\\", Decision: Allow, Arguments: []byte(`{"a":[1,"}"]}`)}), "ok", 1, time.Second)
	l.Close()
	data, err := os.ReadFile(s.file(0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add(olderLines + string(data))
	f.Add(string(data[:len(data)-9]))
	f.Add("\n\n{\"n\":1,\"prev\":\"\x00")
	f.Fuzz(func(t *testing.T, text string) {
		s := newSite(t, Options{})
		s.opts.Anchor = "" // it waits for the disk
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.write(0, []string{text})
		l := newLog(s.dir, s.opts) // no flusher: a fuzzer takes what it does for news
		if _, err := l.begin(); err != nil {
			t.Fatal(err)
		}
		defer l.file.Close()
		begin(t, l, Entry{Tool: "after", Decision: Allow})
		all, _, err := l.List(t.Context(), wire.ActivityQuery{})
		if err != nil || len(all) == 0 || all[len(all)-1].Tool != "after" {
			t.Fatalf("%v: %+v", err, all)
		}
		for _, a := range all {
			if _, err := json.Marshal(a); err != nil {
				t.Errorf("%+v: %v", a, err)
			}
		}
		verify(t, l)
	})
}

func FuzzParse(f *testing.F) {
	for line := range strings.Lines(olderLines) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"n":2,"prev":"00112233445566778899aabbccddeeff","torn":"00112233445566778899aabbccddeeff","time":"2025-01-02T03:04:05.678Z","call":"17a","kind":"change","tool":"a\"b","argBytes":3,"args":{"a":[1,"}\\"]}}`))
	find := newFilter(wire.ActivityQuery{Host: "h*", Tool: "old", Outcome: wire.OutcomeRunning})
	f.Fuzz(func(t *testing.T, line []byte) {
		r, ok := parse(line)
		if !ok {
			return
		}
		find.begins(&r)
		find.ends(&r, "")
		a, ok := r.entry(words{})
		if ok != (r.whole() && ok) {
			t.Errorf("%q has an entry and is not whole", line)
		}
		if e, ended := r.ending(words{}); ended {
			e.put(&a)
		}
		if _, err := json.Marshal(a); ok && err != nil {
			t.Errorf("%q: %v", line, err)
		}
	})
}

// big writes a record of 100,000 calls, nearly all of which have ended.
func big(b *testing.B) *Log {
	s := newSite(b, Options{Keep: 20})
	l := s.open()
	b.Cleanup(func() { l.Close() })
	hosts, tools := []string{"claude-code", "cursor", "zed"}, []string{"get_room_status", "reboot_room", "list_rooms", "search"}
	for i := range 100_000 {
		id := begin(b, l, Entry{Host: hosts[i%3], Server: "rooms", Tool: tools[i%4], Session: "3", Decision: Allow, Rule: "read-only tool of a trusted server",
			By: "policy", Arguments: []byte(`{"room_id":"cedar"}`)})
		l.End(id, "ok", i%5000, time.Duration(i)*time.Microsecond)
	}
	return l
}

func BenchmarkRead(b *testing.B) {
	l := big(b)
	for name, q := range map[string]wire.ActivityQuery{
		"all":      {},
		"newest50": {Limit: 50},
		"host":     {Host: "zed"},
		"tool":     {Tool: "reboot*"},
		"nothing":  {Tool: "never", Since: time.Now().Add(-time.Hour)},
		"outcome":  {Outcome: "error"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := l.List(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if c, err := l.Verify(b.Context()); err != nil || !c.OK {
				b.Fatalf("%+v, %v", c, err)
			}
		}
	})
}
