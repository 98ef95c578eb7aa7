package misbehave

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Maybe()
	os.Exit(m.Run())
}

// testLimit bounds every wait in these tests.
const testLimit = 20 * time.Second

// peer is a started server and the raw ends of its pipes.
type peer struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stdout *os.File
	errs   *bytes.Buffer // read it after wait only
	waited bool
}

func start(t testing.TB, mode string) *peer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, cmd: exec.Command(exe), errs: &bytes.Buffer{}}
	p.cmd.Env = append(os.Environ(), Command(mode))
	p.cmd.Stderr = p.errs
	// A stubborn descendant may hold the error pipe.
	p.cmd.WaitDelay = time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.stdout, p.out = w, r, bufio.NewReaderSize(r, 1<<20)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := r.SetReadDeadline(time.Now().Add(testLimit)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.wait()
		r.Close()
	})
	return p
}

// wait closes stdin, waits for the process and returns its exit code.
func (p *peer) wait() int {
	if !p.waited {
		p.waited = true
		p.in.Close()
		p.cmd.Wait()
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

func (p *peer) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("read: %v (after %q)", err, line)
	}
	return strings.TrimSuffix(line, "\n")
}

func (p *peer) want(line string) {
	p.t.Helper()
	if got := p.line(); got != line {
		p.t.Errorf("got  %s\nwant %s", shorten(got), shorten(line))
	}
}

func shorten(s string) string { return s[:min(len(s), 400)] }

func callLine(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

const (
	initLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	pingLine = `{"jsonrpc":"2.0","id":99,"method":"ping"}`
	pong     = `{"jsonrpc":"2.0","id":99,"result":{}}`
)
