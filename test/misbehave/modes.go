package misbehave

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// sleeperLife bounds what a test that failed leaves behind.
const sleeperLife = 10 * time.Minute

func (s *server) junk() {
	s.raw("Welcome to the Acme server!\n\x1b[32m✓ listening\x1b[0m\n{\"level\":\"info\",\"msg\":\"structured, but not MCP\"}\n")
	n := 0
	s.write = func(lines ...string) {
		for _, l := range lines {
			n++
			s.raw(fmt.Sprintf("debug: about to answer %d\n{\"jsonrpc\":\"2.0\",\"id\":\nnull\n42\n[]\n\xff\xfe not UTF-8\n%s\n", n, l))
		}
	}
	s.serve()
}

func (s *server) bom() {
	s.raw("\xef\xbb\xbf")
	s.write = func(lines ...string) { s.raw(strings.Join(lines, " \t\r\n\r\n") + "  \r\n\r\n \n") }
	s.serve()
}

func (s *server) split() {
	s.write = func(lines ...string) {
		rest := strings.Join(lines, "\n") + "\n"
		for size := 1; rest != ""; size = size%7 + 1 { // cuts fall inside keys, numbers and escapes
			size := min(size, len(rest))
			s.raw(rest[:size])
			rest = rest[size:]
		}
	}
	s.serve()
}

func (s *server) merged() {
	const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"merged"}}`
	s.write = func(lines ...string) {
		s.raw(note + "\n" + strings.Join(lines, "\n") + "\n" + note + "\n" + note + "\n")
	}
	s.serve()
}

// DefaultBig is the size of Big's result when the call names none.
const DefaultBig = 50 << 20

func (s *server) big() {
	s.add("big", "a big result", "")
	s.call = func(m *message) bool {
		if m.Params.Name != "big" {
			return false
		}
		args := struct{ Bytes int }{DefaultBig}
		_ = json.Unmarshal(m.Params.Arguments, &args) // nonsense means the default
		s.result(m, BigResult(args.Bytes))
		return true
	}
	s.serve()
}

// BigResult is a tool result of exactly n bytes (n at least 60).
func BigResult(n int) string {
	frame := len(text(""))
	return text(strings.Repeat("x", max(n-frame, 0)))
}

func (s *server) never() {
	for {
		if _, err := s.next(); err != nil {
			return
		}
	}
}

func (s *server) deaf() {
	listed := false
	s.before = func(m *message) { listed = listed || m.Method == "tools/list" }
	for !listed {
		line, err := s.next()
		if err != nil {
			return
		}
		s.handle(line)
	}
	<-time.After(sleeperLife)
}

func (s *server) exitEach() {
	s.call = func(m *message) bool {
		ok := s.common(m)
		if ok {
			fmt.Fprintln(s.errs, "one call is enough")
			os.Exit(0)
		}
		return ok
	}
	s.serve()
}

func (s *server) stubborn() {
	ignoreSignals()
	s.serve()
	sleep(s)
}

func (s *server) grandchild() {
	cmd := self(sleeper)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(s.errs, "start the grandchild:", err)
		os.Exit(1)
	}
	fmt.Fprintf(s.errs, "grandchild %d\n", cmd.Process.Pid)
	s.serve()
}

// wrapped starts a shell that starts the server, as npx does, and ends with it.
func (s *server) wrapped() {
	cmd := self(Stubborn)
	if sh, err := exec.LookPath("sh"); err == nil {
		env := cmd.Env
		cmd = exec.Command(sh, "-c", `"$0"; exit $?`, cmd.Path)
		cmd.Env = env
		attach(cmd)
	}
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(s.errs, "the wrapped server:", err)
		os.Exit(1)
	}
}

// sleep does nothing for long, whatever it is told.
func sleep(*server) {
	ignoreSignals()
	<-time.After(sleeperLife)
}

// self starts this executable in another mode on the same pipes.
func self(mode string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, Env+"=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, Command(mode))
	attach(cmd)
	return cmd
}

func attach(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr }

// firstFlood is what Stderr and StderrNoLine write before anything else.
const firstFlood = 8 << 20

func (s *server) floodLines() {
	s.flood(strings.Repeat("stderr is where I talk to myself ", 30) + "\n")
}
func (s *server) floodNoLine() { s.flood(strings.Repeat("and I never end my sentences ", 36)) }

func (s *server) flood(chunk string) {
	chunk = strings.Repeat(chunk, 32<<10/len(chunk))
	pour := func(bytes int) {
		for ; bytes > 0; bytes -= len(chunk) {
			fmt.Fprint(s.errs, chunk[:min(len(chunk), bytes)])
		}
	}
	pour(firstFlood)
	s.add("flood", "write on stderr", "")
	s.call = func(m *message) bool {
		if m.Params.Name != "flood" {
			return false
		}
		args := struct{ Bytes int }{firstFlood}
		_ = json.Unmarshal(m.Params.Arguments, &args) // nonsense means the default
		pour(args.Bytes)
		s.result(m, text(fmt.Sprintf("wrote %d bytes", args.Bytes)))
		return true
	}
	s.serve()
}

func (s *server) changing() {
	s.add("change", "change the tools", "")
	changes := 0
	s.call = func(m *message) bool {
		if m.Params.Name != "change" {
			return false
		}
		changes++
		s.add("echo", fmt.Sprintf("common tool echo, changed %d times", changes), "")
		s.add(fmt.Sprintf("added-%d", changes), "a tool that was not there before", "")
		s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, answer(m.ID, text("changed")))
		return true
	}
	s.serve()
}

func (s *server) errorZero() {
	s.call = func(m *message) bool {
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, ErrorZeroBody))
		return true
	}
	s.serve()
}

// ErrorZeroBody is the error of ErrorZero's calls, byte for byte.
const ErrorZeroBody = `{"code":0,"message":"","data":{"big":12345678901234567890,"z":1.0,"a":null}}`
