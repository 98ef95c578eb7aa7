//go:build unix

package asking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/built"
	"bridgekeeper/test/shipped"
)

// patience bounds every wait.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if storyServer() {
		return
	}
	os.Exit(m.Run())
}

// desk is a core with a person at a command line.
type desk struct {
	*shipped.Core
	t *testing.T
}

// open starts a core with the example servers. In the config %BIN% is the binary,
// %SELF% this test.
func open(t *testing.T, config string) *desk {
	t.Helper()
	t.Parallel()
	return open2(t, config)
}

// open2 is open for a test that is parallel already.
func open2(t *testing.T, config string) *desk {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config = strings.NewReplacer("%BIN%", built.Binary(t), "%SELF%", self).Replace(config)
	d := &desk{built.StartWith(t, config), t}
	return d
}

const rooms = `"rooms": {"command": "%BIN%", "args": ["example", "rooms"]}`

// answerable is a config in which the command line may answer.
func answerable(servers, more string) string {
	return `{"mcpServers": {` + servers + `}, "questions": {"cli": true` + more + `}}`
}

func (d *desk) ctx() context.Context {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	d.t.Cleanup(stop)
	return ctx
}

func (d *desk) ready(names ...string) {
	d.t.Helper()
	if _, err := d.UntilReady(d.ctx(), names...); err != nil {
		d.t.Fatal(err)
	}
}

// cli runs the command line, which must succeed.
func (d *desk) cli(args ...string) string {
	d.t.Helper()
	out, err := d.CLI(d.ctx(), args...)
	if err != nil {
		d.t.Fatalf("%q: %v", args, err)
	}
	return out
}

// refused runs the command line, which must fail with that exit code.
func (d *desk) refused(code int, args ...string) string {
	d.t.Helper()
	cmd := exec.CommandContext(d.ctx(), d.Bin, args...)
	cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+d.Home)
	out, err := cmd.CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != code {
		d.t.Errorf("%q: %v, want exit code %d: %s", args, err, code, out)
	}
	return string(out)
}

// asked waits until that many questions are open.
func (d *desk) asked(n int) []wire.Question {
	d.t.Helper()
	s, err := d.Until(d.ctx(), fmt.Sprintf("%d questions", n), func(s *wire.Snapshot) bool { return len(s.Questions) == n })
	if err != nil {
		d.t.Fatal(err)
	}
	return s.Questions
}

func (d *desk) one() wire.Question {
	d.t.Helper()
	return d.asked(1)[0]
}

// bearer adds a host's token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// host is an application of the official SDK.
func (d *desk) host(name string, o *mcp.ClientOptions) *mcp.ClientSession {
	d.t.Helper()
	made, err := d.AddHost(d.ctx(), name)
	if err != nil {
		d.t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o)
	session, err := client.Connect(d.ctx(), &mcp.StreamableClientTransport{Endpoint: made.URL, HTTPClient: &http.Client{Transport: bearer(made.Token)}}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { session.Close() })
	return session
}

// answer is what came of a call.
type answer struct {
	text   string
	failed bool
	err    error
}

// call calls a tool; the answer comes when it comes.
func call(ctx context.Context, h *mcp.ClientSession, tool string, args any) <-chan answer {
	out := make(chan answer, 1)
	go func() {
		result, err := h.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		a := answer{err: err}
		if err == nil {
			a.failed = result.IsError
			for _, c := range result.Content {
				if text, ok := c.(*mcp.TextContent); ok {
					a.text += text.Text
				}
			}
		}
		out <- a
	}()
	return out
}

func (d *desk) want(what string, c <-chan answer, failed bool, part string) {
	d.t.Helper()
	select {
	case a := <-c:
		if a.err != nil || a.failed != failed || !strings.Contains(a.text, part) {
			d.t.Errorf("%s: %+v, want %q in it", what, a, part)
		}
	case <-time.After(patience):
		d.t.Fatalf("%s: no answer", what)
	}
}

var cedar = map[string]any{"room_id": "cedar"}

// reboots says how often the room was restarted.
func (d *desk) reboots() string {
	d.t.Helper()
	var room struct{ Reboots int }
	if err := json.Unmarshal([]byte(d.cli("call", "rooms", "get_room_status", `{"room_id":"cedar"}`)), &room); err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprint(room.Reboots)
}

// A tool ran although a person had said no, or didn't although they had said yes.
func TestApproveAndDeny(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	h := d.host("desk", nil)
	first := call(t.Context(), h, "rooms__reboot_room", cedar)
	q := d.one()
	if q.Kind != wire.AskCall || q.Host != "desk" || q.Server != "rooms" || q.Tool != "reboot_room" || !strings.Contains(string(q.Call.Arguments), `"room_id": "cedar"`) || q.Why == "" {
		t.Errorf("asked %+v", q)
	}
	d.refused(2, "question", "answer", q.ID, "maybe")
	d.cli("question", "answer", q.ID, "deny")
	d.want("denied", first, true, "said no")
	second := call(t.Context(), h, "rooms__reboot_room", cedar)
	d.cli("question", "answer", d.one().ID, "once")
	d.want("allowed", second, false, "cedar")
	if n := d.reboots(); n != "1" {
		t.Errorf("restarted %s times", n)
	}
	if list := d.cli("activity", "list"); !strings.Contains(list, "answered: deny") || !strings.Contains(list, "answered: once") {
		t.Errorf("the record:\n%s", list)
	}
	d.cli("activity", "verify")
}

// Nobody answered, and the call hung until the host gave up.
func TestExpire(t *testing.T) {
	d := open(t, answerable(rooms, `, "deadlines": {"call": "10s"}`))
	d.ready("rooms")
	c := call(t.Context(), d.host("desk", nil), "rooms__reboot_room", cedar)
	q := d.one()
	d.want("expired", c, true, "didn't answer in time")
	if said := d.refused(9, "question", "answer", q.ID, "once"); !strings.Contains(said, "no longer open") {
		t.Errorf("a late answer: %s", said)
	}
	if n := d.reboots(); n != "0" {
		t.Errorf("restarted %s times", n)
	}
}

// A host sent the same call again while a person was thinking, and it ran twice.
func TestRetryWhileWaitingRunsOnce(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	h := d.host("desk", nil)
	first := call(t.Context(), h, "rooms__reboot_room", cedar)
	d.one()
	second := call(t.Context(), h, "rooms__reboot_room", cedar)
	s, err := d.Until(d.ctx(), "the second one waits, too", func(s *wire.Snapshot) bool { return len(s.Questions) == 1 && s.Questions[0].Waiting == 1 })
	if err != nil {
		t.Fatal(err)
	}
	d.cli("question", "answer", s.Questions[0].ID, "once")
	d.want("first", first, false, "cedar")
	d.want("second", second, false, "cedar")
	if n := d.reboots(); n != "1" {
		t.Errorf("restarted %s times", n)
	}
}

// The host had given up long ago when the person said yes, and the call ran.
func TestCancelWhileWaiting(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	ctx, cancel := context.WithCancel(t.Context())
	c := call(ctx, d.host("desk", nil), "rooms__reboot_room", cedar)
	q := d.one()
	cancel()
	<-c
	d.asked(0)
	d.refused(9, "question", "answer", q.ID, "once")
	if past := d.cli("question", "past"); !strings.Contains(past, "withdrawn") {
		t.Errorf("the past:\n%s", past)
	}
	if n := d.reboots(); n != "0" {
		t.Errorf("restarted %s times", n)
	}
}

// The server died while a person was thinking, and the call hung.
func TestServerKilledWhileWaiting(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	c := call(t.Context(), d.host("desk", nil), "rooms__reboot_room", cedar)
	d.one()
	s, err := d.Status(d.ctx())
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(shipped.Server(s, "rooms").PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	d.want("withdrawn", c, true, "the server ended")
	d.asked(0)
}

// Two windows answered at once, and both thought that they had decided.
func TestTwoAnswersAtOnce(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	c := call(t.Context(), d.host("desk", nil), "rooms__reboot_room", cedar)
	q := d.one()
	codes := make(chan int, 2)
	for _, choice := range []string{"once", "deny"} {
		go func() {
			cmd := exec.Command(d.Bin, "question", "answer", q.ID, choice)
			cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+d.Home)
			_ = cmd.Run() // its exit code says it
			codes <- cmd.ProcessState.ExitCode()
		}()
	}
	if a, b := <-codes, <-codes; a+b != 9 || a*b != 0 {
		t.Errorf("exit codes %d and %d, want 0 and 9", a, b)
	}
	<-c
}

// What a person allowed for ever was asked about again, or something else was allowed, too.
func TestStandingAnswers(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	h := d.host("desk", nil)
	c := call(t.Context(), h, "rooms__reboot_room", cedar)
	d.cli("question", "answer", d.one().ID, "arguments")
	d.want("always with these", c, false, "cedar")
	d.want("the same again", call(t.Context(), h, "rooms__reboot_room", cedar), false, "cedar")
	c = call(t.Context(), h, "rooms__reboot_room", map[string]any{"room_id": "aspen"})
	d.cli("question", "answer", d.one().ID, "tool")
	d.want("another one", c, false, "aspen")
	d.want("any", call(t.Context(), h, "rooms__reboot_room", map[string]any{"room_id": "willow"}), false, "willow")
	if out := d.cli("policy", "explain", "desk", "rooms", "reboot_room"); !strings.HasPrefix(out, "allow") {
		t.Errorf("explained: %s", out)
	}
	other := call(t.Context(), d.host("other", nil), "rooms__reboot_room", cedar)
	d.cli("question", "answer", d.one().ID, "deny")
	d.want("another host", other, true, "said no")
}

// Everything was on hold, and a call ran; or it was not any more after a restart.
func TestHold(t *testing.T) {
	d := open(t, answerable(rooms, ""))
	d.ready("rooms")
	h := d.host("desk", nil)
	waiting := call(t.Context(), h, "rooms__reboot_room", cedar)
	d.one()
	d.cli("hold", "on")
	d.want("what waited", waiting, true, "on hold")
	d.want("read-only", call(t.Context(), h, "rooms__list_rooms", nil), true, "on hold")
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	again, err := shipped.Start(d.ctx(), shipped.Options{Bin: d.Bin, Home: d.Home})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Kill()
	d.Core = again
	d.ready("rooms")
	d.refused(5, "call", "rooms", "list_rooms")
	d.cli("hold", "off")
	d.cli("call", "rooms", "list_rooms")
}

// A program lowered the protection by a command, and nobody was asked.
func TestLessProtectionNeedsAnAnswer(t *testing.T) {
	d := open(t, `{"mcpServers": {`+rooms+`}}`)
	d.ready("rooms")
	for _, args := range [][]string{
		{"policy", "default", "never"},
		{"policy", "rule", "add", "allow", "--tool", "*"},
		{"server", "edit", "rooms", "--ask", "never"},
		{"server", "edit", "rooms", "--sampling", "on"},
		{"server", "edit", "rooms", "--changes", "accept"},
	} {
		if said := d.refused(5, args...); !strings.Contains(said, "lowers protection") {
			t.Errorf("%q: %s", args, said)
		}
	}
	d.cli("policy", "default", "everything") // more needs none
	d.cli("server", "edit", "rooms", "--off", "reboot_*")
	d.refused(5, "call", "rooms", "list_rooms")
	// By the person's own hand it counts at once.
	config := strings.ReplaceAll(`{"mcpServers": {`+rooms+`}, "ask": "never"}`, "%BIN%", d.Bin)
	if err := os.WriteFile(d.Home+"/bridgekeeper.json", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := shipped.Poll(d.ctx(), func() (bool, error) {
		out, err := d.CLI(d.ctx(), "policy", "explain", "desk", "rooms", "reboot_room")
		return strings.HasPrefix(out, "allow"), err
	}); err != nil {
		t.Fatal(err)
	}
	d.ready("rooms")
	d.cli("call", "rooms", "reboot_room", `{"room_id":"cedar"}`)
}

// Somebody changed the record, and it looked as if nothing had been.
func TestChangedRecordShows(t *testing.T) {
	d := open(t, `{"mcpServers": {`+rooms+`}}`)
	d.ready("rooms")
	d.cli("call", "rooms", "list_rooms")
	d.refused(5, "call", "rooms", "reboot_room", `{"room_id":"cedar"}`)
	d.cli("activity", "verify")
	path := d.Home + "/logs/activity/activity.jsonl"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(raw), `"decision":"deny"`, `"decision":"allow"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := d.refused(1, "activity", "verify"); !strings.Contains(said, "not what was written") {
		t.Errorf("verify: %s", said)
	}
}
