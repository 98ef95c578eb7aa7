package apptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
)

// person sits at the terminal of a core.
type person struct {
	t      *testing.T
	typing *io.PipeWriter
	shown  *bufio.Reader
}

func startWithPerson(t *testing.T) (*Core, *person) {
	in, typing := io.Pipe()
	shown, out := io.Pipe()
	c := Start(t, Options{Answers: "tty", Stdin: in, Terminal: out})
	t.Cleanup(func() { // before the core's end
		typing.Close()
		shown.CloseWithError(errors.New("test ended"))
	})
	c.Add("rooms", "", Example("rooms"))
	c.UntilListed("rooms")
	return c, &person{t, typing, bufio.NewReader(shown)}
}

func (p *person) reads(want string) {
	p.t.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), want) {
		next, err := p.shown.ReadByte()
		if err != nil {
			p.t.Fatalf("%v after %q, want %q", err, all.String(), want)
		}
		all.WriteByte(next)
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.typing, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

const reboot = `{"room_id":"cedar"}`

func TestPersonAtTheTerminalDecides(t *testing.T) {
	c, p := startWithPerson(t)
	h := c.Host("cursor")
	call := func() <-chan string {
		got := make(chan string, 1)
		go func() { body, _ := h.Call("rooms__reboot_room", reboot); got <- body }()
		return got
	}
	got := call()
	p.reads("cursor wants to run reboot_room on the server rooms")
	p.reads("[y/N] ")
	p.types("y")
	if body := <-got; strings.Contains(body, `"isError":true`) || !strings.Contains(body, `"result"`) {
		t.Errorf("allowed: %s", body)
	}
	got = call()
	p.reads("[y/N] ")
	p.types("n")
	if body := <-got; !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "said no") {
		t.Errorf("refused: %s", body)
	}
	h.MustCall("rooms__list_rooms", "{}") // read-only: nobody is asked
	record := c.record()
	for _, want := range []string{`"decision":"allow","rule":"answered: once","by":"terminal"`, `"decision":"deny","rule":"answered: deny","by":"terminal"`} {
		if !strings.Contains(record, want) {
			t.Errorf("the record lacks %s:\n%s", want, record)
		}
	}
}

func TestQuestionIsWithdrawnWhenTheHostCancels(t *testing.T) {
	// A person was asked about a call that its host had given up long ago.
	c, p := startWithPerson(t)
	h := c.Host("cursor")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		resp, err := h.Do(context.Background(), http.MethodPost, `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"rooms__reboot_room","arguments":`+reboot+`}}`)
		if err == nil {
			resp.Body.Close()
		}
	}()
	p.reads("[y/N] ")
	h.Post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
	p.reads("no longer needed: ")
	p.reads(")\n")
	select {
	case <-ended:
	case <-time.After(Patience):
		t.Fatal("the cancelled call hangs")
	}
	p.types("y") // too late
	after := h.MustCall("rooms__get_room_status", reboot)
	if !strings.Contains(after, `\"reboots\":0`) {
		t.Errorf("it was run all the same: %s", after)
	}
}

func TestFloodOfQuestionsIsBounded(t *testing.T) {
	// An eager model filled the terminal with a thousand questions.
	c, p := startWithPerson(t)
	h := c.Host("cursor")
	const flood = 100
	denied := make(chan string, flood)
	for range flood {
		go func() { body, _ := h.Call("rooms__reboot_room", reboot); denied <- body }()
	}
	p.reads("[y/N] ")
	go io.Copy(io.Discard, p.shown) // ends with the pipe
	for range flood - 40 {          // one is shown, a bounded number waits
		select {
		case body := <-denied:
			if !strings.Contains(body, `"isError":true`) {
				t.Fatalf("a call too many: %s", body)
			}
		case <-time.After(Patience):
			t.Fatal("calls too many are kept waiting")
		}
	}
	c.Stop()
}

func TestAnswersAllowAndDeny(t *testing.T) {
	c := Start(t, Options{})
	c.Add("rooms", "", Example("rooms"))
	c.UntilListed("rooms")
	h := c.Host("h")
	if body, err := h.Call("rooms__reboot_room", reboot); err != nil || !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "nobody here who could be asked") {
		t.Errorf("deny: %v %s", err, body)
	}
	if _, err := c.Client.Call(t.Context(), "rooms", wire.CallTool{Tool: "reboot_room", Arguments: json.RawMessage(reboot)}); codeOf(err) != wire.CodeDenied {
		t.Errorf("deny, command line: %v", err)
	}
	home := c.Home
	c.Stop()
	c = Start(t, Options{Home: home, Answers: "allow"})
	c.UntilListed("rooms")
	if warned := strings.Join(c.Now().Core.Warnings, "\n"); !strings.Contains(warned, "--answers allow") {
		t.Errorf("warnings: %s", warned)
	}
	h = c.Host("other")
	h.MustCall("rooms__reboot_room", reboot)
}

func TestRecordIsWrittenBeforeTheCallIsSent(t *testing.T) {
	c := Start(t, Options{})
	c.Add("s", misbehave.Good)
	c.UntilListed("s")
	h := c.Host("h")
	go h.Call("s__hang", "{}") // ends with the core
	c.untilCalled("s", "hang", 1)
	if record := c.record(); strings.Contains(record, "outcome") {
		t.Errorf("a call in flight has an end:\n%s", record)
	}
}

func TestCallsAreDeniedWhileTheRecordCannotBeWritten(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /dev/full")
	}
	home := Home(t)
	folder := filepath.Join(home, "logs", "activity")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(folder, "activity.jsonl")); err != nil {
		t.Fatal(err)
	}
	c := Start(t, Options{Home: home, Answers: "allow"})
	c.Add("s", misbehave.Good)
	c.UntilListed("s")
	h := c.Host("h")
	if body, err := h.Call("s__echo", "{}"); err != nil || !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "can't write its record") {
		t.Errorf("with a full disk: %v %s", err, body)
	}
}

func TestRemovedHostIsOutAtOnce(t *testing.T) {
	c := Start(t, Options{})
	c.Add("s", misbehave.Good)
	c.UntilListed("s")
	h, other := c.Host("h"), c.Host("other")
	stream, err := h.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	hangs := make(chan struct{})
	go func() { defer close(hangs); h.Call("s__hang", "{}") }()
	c.untilCalled("s", "hang", 1)
	if err := c.RemoveHost(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	if resp, _ := h.Post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("HTTP %d", resp.StatusCode)
	}
	if note, err := stream.Next(); err == nil {
		t.Errorf("its stream goes on: %s", note)
	}
	select {
	case <-hangs:
	case <-time.After(Patience):
		t.Error("its call goes on")
	}
	if s := c.Now(); s.Core.Sessions != 1 || len(s.Hosts) != 1 {
		t.Errorf("%d sessions, hosts %+v", s.Core.Sessions, s.Hosts)
	}
	other.MustCall("s__echo", "{}")
}
