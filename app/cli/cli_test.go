package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridgekeeper/app/home"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

var update = flag.Bool("update", false, "write the expected output in the scripts anew")

// cliVariable makes this test binary the command line itself.
const cliVariable = "BRIDGEKEEPER_TEST_CLI"

func TestMain(m *testing.M) {
	if os.Getenv(cliVariable) != "" {
		runCLI()
	}
	testscript.Main(m, map[string]func(){"bridgekeeper": runCLI})
}

func runCLI() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, Programs{
		Version: "1.2.3",
		Serve: func(ctx context.Context, o ServeOptions) error {
			switch o.Port {
			case 1:
				fmt.Fprintln(o.Stdout, "ready")
				<-ctx.Done()
				return ctx.Err()
			case 2:
				return &wire.Error{Code: wire.CodeAlreadyRuns, Message: "a core is running already"}
			}
			o.Stdin, o.Stderr = nil, nil
			out := o.Stdout
			o.Stdout = nil
			return json.NewEncoder(out).Encode(o)
		},
		Example: func(_ context.Context, name string) error {
			fmt.Println("example " + name)
			return nil
		},
	}))
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			dir := filepath.Join(env.WorkDir, "home")
			env.Setenv(home.Env, dir)
			env.Setenv("TZ", "UTC")
			fake := localapitest.New()
			env.Values["fake"] = fake
			return core(env, dir, fake)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"scene": scene, "questions": questions, "damage": damage, "asked": asked},
	})
}

// core serves a backend on the socket of a home until the script ends.
func core(env *testscript.Env, dir string, fake *localapitest.Fake) error {
	d, err := home.Find(runtime.GOOS, func(key string) string {
		if key == home.Env {
			return dir
		}
		return ""
	})
	if err != nil {
		return err
	}
	ln, err := sock.Listen(d.Socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- localapi.Serve(ctx, ln, fake, slog.New(slog.DiscardHandler)) }()
	env.Defer(func() {
		cancel()
		<-done
	})
	return nil
}

// questions lets the core wait for a person.
func questions(ts *testscript.TestScript, _ bool, _ []string) {
	fake := ts.Value("fake").(*localapitest.Fake)
	now := time.Now()
	one := wire.Question{ID: "q1", Kind: wire.AskCall, Asked: now.Add(-10 * time.Second), Deadline: now.Add(4*time.Minute + time.Second), Host: "cursor", Server: "rooms",
		Tool: "reboot_room", Why: "the tool isn't read-only", Choices: []string{"deny", "once", "tool"},
		Call: &wire.CallDetail{Arguments: []byte("{\"room\":\"ce\u202edar\"}")}}
	fake.Ask(one)
	one.ID, one.Kind, one.Call = "q2", wire.AskForm, nil
	one.Choices = []string{"deny", "cancel", "once"}
	one.Form = &wire.FormDetail{Message: "Which?", Fields: []wire.FormField{{Name: "room", Type: "string"}}}
	fake.Ask(one)
	one.ID, one.Kind, one.Form = "q3", wire.AskChangedTool, nil
	one.Change = &wire.ChangeDetail{Diff: []wire.DiffLine{{Op: "same", Text: "{"}, {Op: "gone", Text: "old"}, {Op: "added", Text: "new"}}}
	fake.Ask(one)
}

// scene fills the core: one server that is fine and three that are not.
func scene(ts *testscript.TestScript, _ bool, _ []string) {
	fake := ts.Value("fake").(*localapitest.Fake)
	for _, name := range []string{"rooms", "broken", "flaky", "slow"} {
		entry := wire.Entry{Command: "bridgekeeper", Args: []string{"example", name}, Env: map[string]string{"KEY": "secret"}}
		ts.Check(fake.AddServer(context.Background(), wire.AddServer{Name: name, Entry: entry}))
	}
	now := time.Now()
	before := func(d time.Duration) time.Time { return now.Add(-d - d/100) }
	fake.Update(func(s *wire.Snapshot) {
		s.Config = wire.Config{Path: "/home/ann/bridgekeeper.json", Line: 3, Col: 5,
			Error: &wire.Error{Code: wire.CodeConfigBroken, Message: "line 3, column 5 of the config file: a comma is missing"}}
		s.Core.Warnings = []string{"port 2734 was taken: 2735 is used"}
		s.Core.Sessions, s.Core.Open = 2, true
		s.Servers[0].Since = before(2 * time.Hour)
		s.Servers[1].State, s.Servers[1].PID, s.Servers[1].Tools = "failed", 0, 0
		s.Servers[1].Since, s.Servers[1].Restarts = before(time.Minute), 5
		s.Servers[1].LastExit = &wire.Exit{At: before(time.Minute), Code: 127, Reason: "`uvx` is not on the PATH",
			Stderr: []string{"1", "2", "3", "4", "\x1b[2J\x1b]0;owned\x07red", "last \u202eline"}, Stray: []string{"Hello!"}}
		s.Servers[2].State, s.Servers[2].PID = "backoff", 0
		s.Servers[2].Since, s.Servers[2].NextTry = before(10*time.Second), now.Add(30*time.Minute+30*time.Second)
		s.Servers[2].LastExit = &wire.Exit{At: before(10 * time.Second), Code: -1, Signal: "SIGKILL", Reason: "ended by a signal"}
		s.Servers[3].State, s.Servers[3].Phase, s.Servers[3].Since = "starting", "installing packages", before(72*time.Hour)
	})
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 678e6, time.UTC) }
	call := wire.Activity{ID: "a1", Time: at(1), Kind: wire.ActivityCall, Host: "cursor", Server: "rooms", Tool: "get_room_status",
		Decision: "allow", By: "policy", Rule: "read-only tool", ArgBytes: 12, ArgSum: "0123456789abcdef"}
	fake.Record(call)
	call.Outcome, call.Ended, call.Bytes, call.MS = "ok", at(2), 123, 1500.4
	fake.Record(call)
	fake.Record(wire.Activity{ID: "a2", Time: at(3), Kind: wire.ActivityCall, Host: "cursor", Server: "rooms", Tool: "reboot\x1b[2J",
		Decision: "deny", By: "nobody", Rule: "nobody can answer"})
	fake.Record(wire.Activity{ID: "a3", Time: at(4), Kind: wire.ActivityChange, By: "cli", Text: "the rule for rooms was changed"})
	fake.Record(wire.Activity{ID: "a4", Time: at(5), Kind: wire.ActivityCall, Host: "zed", Server: "rooms", Tool: "list_rooms", Decision: "allow", By: "policy", Rule: "read-only tool"})
	fake.SetCheck(wire.ActivityCheck{OK: true, Lines: 7, Older: 1, Files: 1, Oldest: "2026-01-02T03:04:01.678Z", Number: 6, Digest: "00ff00ff00ff00ff00ff00ff00ff00ff",
		Notes: []wire.Broken{{File: "activity.jsonl", Line: 3, Text: "A piece of a line."}}}, 0)
	fake.Say("rooms", "stderr", "one")
	fake.Say("rooms", "stdout", "two \x1b[31mred")
	fake.Say("rooms", "bridgekeeper", "three")
}

// damage makes the record one that somebody changed.
func damage(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value("fake").(*localapitest.Fake).SetCheck(wire.ActivityCheck{Lines: 6, Files: 2, More: 3, Number: 6, Digest: "00ff", Breaks: []wire.Broken{
		{File: "activity.jsonl.1", Line: 5, Text: "Line 5 was \x1b[31mchanged."}, {Text: "The anchor is gone."}}}, 2)
}

// asked compares the last query with what it should be, as a URL has it and
// without its times.
func asked(ts *testscript.TestScript, _ bool, args []string) {
	queries := ts.Value("fake").(*localapitest.Fake).Queries()
	q := queries[len(queries)-1]
	hours := "-"
	if !q.Since.IsZero() {
		hours = fmt.Sprint(int(time.Since(q.Since).Hours()))
	}
	if hours != args[0] {
		ts.Fatalf("since %s hours, not %s", hours, args[0])
	}
	q.Since = time.Time{}
	if got := q.Values().Encode(); got != args[1] {
		ts.Fatalf("asked for %s, not %s", got, args[1])
	}
}

// Ctrl-C printed "context canceled" and an exit code of 1.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a console's Ctrl-C can't be sent to one process there")
	}
	cmd := exec.Command(os.Args[0], "serve", "--port", "1")
	cmd.Env = append(os.Environ(), cliVariable+"=1", home.Env+"="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("got %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
}

// A server's log line cleared the person's screen and set the window's title.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, é, 日本, 🂡":       "plain, é, 日本, 🂡",
		"a\x1b[2Jb":             `a\x1b[2Jb`,
		"\x07\x00\x7f\u009b31m": `\x07\x00\x7f\x9b31m`,
		"line\nline\r\ttab":     `line\nline\x0d` + "\ttab",
		"\u202eevil\u2066":      `\u202eevil\u2066`,
		"\xff\xc3(":             `\xff\xc3(`,
		"\ufffd":                "\ufffd",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := visibleLines("a\r\nb\n\x1b"); got != "a\nb\n\\x1b" {
		t.Errorf("got %q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b]8;;\u202e\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range visible(s) {
			if r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200f' {
				t.Fatalf("%q became %q", s, visible(s))
			}
		}
	})
}

func TestColour(t *testing.T) {
	var b bytes.Buffer
	p := newPrinter(&b)
	if got := p.paint(red, "x"); got != "x" {
		t.Errorf("no terminal: %q", got)
	}
	p.colour = true
	tab := table{head: []string{"A", "STATE"}, paint: paintState}
	tab.add("é", "failed (x)")
	tab.print(p)
	if got, want := b.String(), "\x1b[1mA\x1b[0m  \x1b[1mSTATE\x1b[0m\né  \x1b[31mfailed (x)\x1b[0m\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 60 * time.Second: "1m", 59 * time.Minute: "59m",
		time.Hour: "1h", 47 * time.Hour: "47h", 48 * time.Hour: "2d",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}

func TestDocsNameEveryCommandFlagAndExitCode(t *testing.T) {
	data, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	p := &program{out: newPrinter(&bytes.Buffer{}), err: newPrinter(&bytes.Buffer{})}
	for path, flags := range commands(p.root()) {
		if !strings.Contains(doc, "`"+path) {
			t.Errorf("docs/cli.md has no `%s`", path)
		}
		for _, f := range flags {
			if !strings.Contains(doc, "--"+f) {
				t.Errorf("docs/cli.md has no --%s (of %s)", f, path)
			}
		}
	}
	for _, code := range []int{exitOK, exitOther, exitUsage, exitNotRunning, exitNotFound, exitDenied, exitTool, exitConfig, exitServer, exitConflict, exitInterrupted} {
		if !strings.Contains(doc, fmt.Sprintf("\n| %d |", code)) {
			t.Errorf("docs/cli.md has no exit code %d", code)
		}
	}
}
