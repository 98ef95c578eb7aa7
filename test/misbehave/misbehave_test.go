package misbehave

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// inProcess runs a mode over the given input and returns each write to stdout.
func inProcess(mode string, input ...string) (writes []string) {
	out := writerFunc(func(p []byte) { writes = append(writes, string(p)) })
	modes[mode](newServer(strings.NewReader(strings.Join(input, "\n")+"\n"), out, io.Discard))
	return writes
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestGoodServerSpeaks(t *testing.T) {
	p := start(t, Good)
	p.send(initLine, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, pingLine)
	p.want(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"misbehave","version":"1"}}}`)
	p.want(pong)
	p.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				Annotations struct{ ReadOnlyHint bool }
			}
		}
	}
	if err := json.Unmarshal([]byte(p.line()), &list); err != nil {
		t.Fatal(err)
	}
	for i, tool := range list.Result.Tools {
		if tool.Name != commonTools[i] || !tool.Annotations.ReadOnlyHint {
			t.Errorf("tool %d is %+v, want read-only %s", i, tool, commonTools[i])
		}
	}
	p.send(callLine(1, "hang", `{}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, callLine(2, "echo", `{"a":1.0}`))
	p.want(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"a\":1.0}"}]}}`)
	p.send(callLine(3, "cancelled", `{}`))
	p.want(answer([]byte("3"), text(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`)))
	p.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"count","arguments":{"to":2},"_meta":{"progressToken":"p\u0041"}}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p\u0041","progress":1,"total":2}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p\u0041","progress":2,"total":2}}`)
	p.want(answer([]byte("4"), text("counted to 2")))
	p.send(callLine(5, "nothing", `{}`), `{"jsonrpc":"2.0","id":6,"method":"server/discover"}`)
	p.want(`{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"no tool nothing"}}`)
	p.want(`{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"no method server/discover"}}`)
	if code := p.wait(); code != 0 {
		t.Errorf("ended with %d after its stdin did", code)
	}
}

func TestJunkIsBetweenTheAnswers(t *testing.T) {
	p := start(t, Junk)
	p.send(pingLine, pingLine)
	answers, strays := 0, 0
	for answers < 2 {
		if line := p.line(); line == pong {
			answers++
		} else {
			strays++
		}
	}
	if strays < 15 {
		t.Errorf("only %d stray lines", strays)
	}
}

func TestLayoutOfLines(t *testing.T) {
	var glued string
	for _, mode := range []string{BOM, Split, Merged} {
		writes := inProcess(mode, pingLine, callLine(1, "echo", `{"q":"ü"}`))
		glued = strings.Join(writes, "")
		for _, want := range []string{pong, answer([]byte("1"), text(`{"q":"ü"}`))} {
			if strings.Count(glued, want) != 1 {
				t.Errorf("%s: %q is not once in %q", mode, want, glued)
			}
		}
		switch mode {
		case BOM:
			if !strings.HasPrefix(glued, "\xef\xbb\xbf") || !strings.Contains(glued, "}  \r\n\r\n") {
				t.Errorf("no mark or no CRLF in %q", glued)
			}
		case Split:
			if len(writes) < 20 {
				t.Errorf("split into %d writes only", len(writes))
			}
		case Merged:
			if len(writes) != 2 || strings.Count(writes[0], "\n") != 4 {
				t.Errorf("not 4 lines a write: %q", writes)
			}
		}
	}
}

func TestBigResultHasTheSizeAskedFor(t *testing.T) {
	p := start(t, Big)
	p.send(callLine(1, "big", `{"bytes":1000000}`), callLine(2, "big", `{}`))
	if got, want := len(p.line()), len(answer([]byte("1"), ""))+1000000; got != want {
		t.Errorf("line of %d bytes, want %d", got, want)
	}
	if got, want := len(p.line()), len(answer([]byte("2"), ""))+DefaultBig; got != want {
		t.Errorf("line of %d bytes, want %d", got, want)
	}
}

func TestSilence(t *testing.T) {
	if writes := inProcess(Never, initLine, pingLine); len(writes) != 0 {
		t.Errorf("wrote %q", writes)
	}
	p := start(t, Deaf)
	p.send(pingLine, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	p.want(pong)
	p.line()
	// It never reads again, so a writer is stuck as soon as the pipe is full.
	stuck := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, strings.Repeat(pingLine+"\n", 1<<20/len(pingLine)*4))
		stuck <- err
	}()
	p.cmd.Process.Kill()
	if err := <-stuck; err == nil {
		t.Error("4 MiB were read by a server that reads nothing")
	}
}

func TestEndsItself(t *testing.T) {
	tests := []struct {
		mode, call, answer, stderr string
		code                       int
	}{
		{Exit, "", "", "license has expired", 3},
		{ExitEach, callLine(1, "echo", `{}`), answer([]byte("1"), text("{}")), "one call is enough", 0},
		{Good, callLine(1, "die", `{}`), "", "asked to die", 7},
	}
	for _, tt := range tests {
		p := start(t, tt.mode)
		if tt.call != "" {
			p.send(tt.call)
		}
		if tt.answer != "" {
			p.want(tt.answer)
		}
		if rest, err := io.ReadAll(p.out); err != nil || len(rest) > 0 {
			t.Errorf("%s: then came %q, %v", tt.mode, rest, err)
		}
		if code := p.wait(); code != tt.code || !strings.Contains(p.errs.String(), tt.stderr) {
			t.Errorf("%s: code %d, stderr %q; want %d, %q", tt.mode, code, p.errs, tt.code, tt.stderr)
		}
	}
}

func TestFloodsStderr(t *testing.T) {
	for mode, lines := range map[string]bool{Stderr: true, StderrNoLine: false} {
		p := start(t, mode)
		p.send(callLine(1, "flood", `{"bytes":100000}`))
		p.want(answer([]byte("1"), text("wrote 100000 bytes")))
		p.wait()
		if got := p.errs.Len(); got != firstFlood+100000 {
			t.Errorf("%s wrote %d bytes on stderr, want %d", mode, got, firstFlood+100000)
		}
		if bytes.ContainsRune(p.errs.Bytes(), '\n') != lines {
			t.Errorf("%s: newlines on stderr: %v", mode, !lines)
		}
	}
}

func TestChangesItsTools(t *testing.T) {
	p := start(t, Changing)
	p.send(callLine(1, "change", `{}`))
	p.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	p.want(answer([]byte("1"), text("changed")))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if list := p.line(); !strings.Contains(list, "added-1") || !strings.Contains(list, "echo, changed 1 times") {
		t.Errorf("listed %s", list)
	}
}

func TestOddIDsComeBackAsTheyWere(t *testing.T) {
	p := start(t, OddIDs)
	p.send(callLine(1, "ask", `{}`))
	for _, line := range NobodyAsked {
		p.want(line)
	}
	for _, id := range OwnIDs {
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		p.send(answer([]byte(id), `{}`))
	}
	p.want(answer([]byte("1"), IDsSeen(OwnIDs)))
	back := slices.Clone(OwnIDs)
	slices.Reverse(back)
	if IDsSeen(back) != IDsSeen(OwnIDs) {
		t.Error("the order of the answers shows")
	}
}

func TestOddResultsAreExact(t *testing.T) {
	p := start(t, OddResults)
	for i, name := range OddNames() {
		p.send(callLine(i, name, `{}`))
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i, Odd[name]))
		if !json.Valid([]byte(Odd[name])) && name != "deep" {
			t.Errorf("%s is not JSON", name)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	list := p.line()
	for _, name := range OddNames() {
		if !strings.Contains(list, OddDefinition(name)) {
			t.Errorf("the list lacks %s", OddDefinition(name))
		}
	}
}

func TestErrorZeroIsExact(t *testing.T) {
	p := start(t, ErrorZero)
	p.send(callLine(1, "echo", `{}`))
	p.want(`{"jsonrpc":"2.0","id":1,"error":` + ErrorZeroBody + `}`)
}
