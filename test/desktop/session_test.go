//go:build linux

package desktop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"bridgekeeper/assets"
	"bridgekeeper/test/built"
	"bridgekeeper/test/shipped"
)

// patience bounds every wait; software drawing on a busy machine is slow.
const patience = 10 * time.Second

// tools are the programs that make a desktop.
var tools = []string{"Xvfb", "openbox", "xdotool", "xclip", "import", "dbus-daemon"}

// until waits for something; report says how things are when it doesn't come.
func until(t *testing.T, what string, ok func() bool, report func() string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	if err := shipped.Poll(ctx, func() (bool, error) { return ok(), nil }); err != nil {
		say := ""
		if report != nil {
			say = "\n" + report()
		}
		t.Fatalf("waited in vain for %s%s", what, say)
	}
}

// session is a person's desktop, with Bridgekeeper's home.
type session struct {
	*shipped.Core
	t       *testing.T
	env     []string
	inspect string // socket
	bus     string // address
	shots   string // folder of pictures
	shot    int
}

// desk is what a session has.
type desk struct{ noBus, noDisplay bool }

// open makes a desktop, which ends with the test.
func open(t *testing.T, d desk) *session {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing: packaging/setup.sh test installs it", tool)
			}
			t.Skipf("SKIPPED: %s is missing, so there is no desktop to test on", tool)
		}
	}
	dir, err := os.MkdirTemp("", "bk") // short: sockets are in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &session{t: t, Core: &shipped.Core{Bin: programs(t), Home: filepath.Join(dir, "home")}, inspect: filepath.Join(dir, "inspect"),
		shots: filepath.Join(built.Root(t), "dist", "desktop", t.Name())}
	for _, sub := range []string{"home/state", "user", "run"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Home, "state", "port"), []byte(strconv.Itoa(freePort(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(s.shots)
	if err := os.MkdirAll(s.shots, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "user"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "LANG=en_US.UTF-8",
		"BRIDGEKEEPER_HOME=" + s.Home, "BRIDGEKEEPER_INSPECT=" + s.inspect, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", "LIBGL_ALWAYS_SOFTWARE=1"}
	if !d.noBus {
		s.bus = first(t, s.start("dbus-daemon", "--session", "--nofork", "--print-address"), func(l string) bool { return strings.HasPrefix(l, "unix:") })
		s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+s.bus)
	}
	if !d.noDisplay {
		// "-displayfd 1": it takes a free one, and says which.
		display := first(t, s.start("Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"), func(l string) bool { _, err := strconv.Atoi(l); return err == nil })
		s.env = append(s.env, "DISPLAY=:"+display)
		s.start("openbox")
	}
	return s
}

// programs builds what is tested: the shipped binary, and beside it a window that
// tells where its texts are.
var built1 = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bkbin")
	return dir, err
})

func programs(t *testing.T) string {
	t.Helper()
	dir, err := built1()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bridgekeeper")
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	for _, c := range []struct {
		cgo  string
		args []string
	}{
		{"1", []string{"-tags", "inspect", "-o", filepath.Join(dir, "bridgekeeper-window")}},
		{"0", []string{"-o", bin}},
	} {
		cmd := exec.Command("go", append([]string{"build", "-trimpath"}, append(c.args, ".")...)...)
		cmd.Dir = built.Root(t)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+c.cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	return bin
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built1(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// running is a program of the session.
type running struct {
	cmd  *exec.Cmd
	out  *lines
	done chan struct{} // closed when it has ended; err is set before
	err  error
}

// lines keeps what a program says.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// start runs a program until the test ends.
func (s *session) start(name string, args ...string) *running {
	s.t.Helper()
	r := &running{cmd: exec.Command(name, args...), out: &lines{}, done: make(chan struct{})}
	r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = s.env, r.out, r.out
	r.cmd.WaitDelay = 2 * time.Second
	if err := r.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		r.err = r.cmd.Wait()
		close(r.done)
	}()
	s.t.Cleanup(func() { r.end(syscall.SIGTERM) })
	return r
}

// end tells a program to end, and waits.
func (r *running) end(by syscall.Signal) {
	_ = r.cmd.Process.Signal(by)
	select {
	case <-r.done:
	case <-time.After(20 * time.Second):
		_ = r.cmd.Process.Kill()
		<-r.done
	}
}

// untilEnd waits for a program that ends by itself.
func (r *running) untilEnd(t *testing.T) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(patience):
		t.Fatalf("%s doesn't end:\n%s", r.cmd, r.out)
	}
}

// first is the first line that a program says and that ok accepts; it may warn before.
func first(t *testing.T, r *running, ok func(string) bool) (line string) {
	t.Helper()
	until(t, "the first line of "+r.cmd.Path, func() bool {
		for l := range strings.Lines(r.out.String()) {
			if line = strings.TrimSuffix(l, "\n"); line != l && ok(line) {
				return true
			}
		}
		return false
	}, r.out.String)
	return line
}

// resident starts what a person starts.
func (s *session) resident(args ...string) *running {
	s.t.Helper()
	r := s.start(s.Bin, args...)
	s.PID = r.cmd.Process.Pid
	s.t.Cleanup(s.failed) // before it ends
	return r
}

// do runs a program of the desktop.
func (s *session) do(name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// ctx bounds one wait.
func (s *session) ctx() context.Context {
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(stop)
	return ctx
}

// window is the X window of a title, when it can be seen.
func (s *session) window(title string) string {
	out, err := s.do("xdotool", "search", "--onlyvisible", "--name", "^"+title+"$")
	if err != nil {
		return ""
	}
	id, _, _ := strings.Cut(out, "\n")
	return id
}

func (s *session) untilWindow(title string) (id string) {
	s.t.Helper()
	until(s.t, "the window "+title, func() bool { id = s.window(title); return id != "" }, s.log)
	return id
}

func (s *session) untilGone(title string) {
	s.t.Helper()
	until(s.t, "the end of the window "+title, func() bool { return s.window(title) == "" }, s.log)
}

// log is the core's own.
func (s *session) log() string {
	data, _ := os.ReadFile(filepath.Join(s.Home, "logs", "serve.log"))
	return string(data)
}

// text is a text in a window.
type text struct {
	Text       string
	X, Y, W, H int
}

// texts are those that a window shows.
func (s *session) texts(title string) []text {
	conn, err := net.Dial("unix", s.inspect)
	if err != nil {
		return nil
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	var all []struct {
		Title string
		Texts []text
	}
	if json.NewDecoder(bufio.NewReader(conn)).Decode(&all) != nil {
		return nil
	}
	for _, w := range all {
		if w.Title == title && len(w.Texts) > 0 {
			return w.Texts
		}
	}
	return nil
}

func (s *session) says(title string) string {
	var b strings.Builder
	for _, t := range s.texts(title) {
		fmt.Fprintf(&b, "%s (%d,%d)\n", t.Text, t.X, t.Y)
	}
	return b.String()
}

// find waits for a text that begins like this.
func (s *session) find(title, what string) (found text) {
	s.t.Helper()
	until(s.t, fmt.Sprintf("%q in the window %s", what, title), func() bool {
		for _, t := range s.texts(title) {
			if strings.HasPrefix(t.Text, what) && t.W > 0 {
				found = t
				return true
			}
		}
		return false
	}, func() string { return s.says(title) + s.log() })
	return found
}

// click clicks on a text, as a person does.
func (s *session) click(title, what string) {
	s.t.Helper()
	at := s.find(title, what)
	id := s.untilWindow(title)
	s.must("xdotool", "mousemove", "--window", id, strconv.Itoa(at.X+at.W/2), strconv.Itoa(at.Y+at.H/2))
	s.must("xdotool", "click", "1")
}

// keys presses keys in the window that has the keyboard.
func (s *session) keys(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.must("xdotool", "key", "--delay", "60", k)
	}
}

func (s *session) must(name string, args ...string) {
	s.t.Helper()
	if out, err := s.do(name, args...); err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// picture keeps what the screen shows.
func (s *session) picture(name string) {
	s.t.Helper()
	s.shot++
	if out, err := s.do("import", "-window", "root", filepath.Join(s.shots, fmt.Sprintf("%02d-%s.png", s.shot, name))); err != nil {
		s.t.Logf("no picture of %s: %v %s", name, err, out)
	}
}

// failed keeps the last picture of a test that failed.
func (s *session) failed() {
	if s.t.Failed() {
		cmd := exec.Command("import", "-window", "root", filepath.Join(s.shots, "failed.png"))
		cmd.Env = s.env
		_ = cmd.Run()
		s.t.Logf("the window says:\n%s", s.says("Bridgekeeper"))
		s.t.Logf("the core's log:\n%s", s.log())
	}
}

// untilIcon waits for a state of the icon.
func (s *session) untilIcon(h *trayHost, state string) {
	s.t.Helper()
	want, err := png.Decode(bytes.NewReader(assets.Tray(state, 48)))
	if err != nil {
		s.t.Fatal(err)
	}
	until(s.t, "the icon "+state, func() bool { got := h.icon(); return got != nil && equal(got, want) }, h.text)
}

func equal(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			want := color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			if got := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA); got != want && got.A+want.A > 0 {
				return false
			}
		}
	}
	return true
}

// answer is what came of a call.
type answer struct {
	text   string
	failed bool
	err    error
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// host is an application of the official SDK.
func (s *session) host(name string) *mcp.ClientSession {
	s.t.Helper()
	made, err := s.AddHost(s.ctx(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &mcp.StreamableClientTransport{Endpoint: made.URL, HTTPClient: &http.Client{Transport: bearer(made.Token)}}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool; the answer comes when it comes.
func (s *session) call(h *mcp.ClientSession, tool string, args any) <-chan answer {
	out := make(chan answer, 1)
	go func() {
		result, err := h.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
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

func (s *session) want(what string, c <-chan answer, failed bool, part string) {
	s.t.Helper()
	select {
	case a := <-c:
		if a.err != nil || a.failed != failed || !strings.Contains(a.text, part) {
			s.t.Fatalf("%s: %+v, wanted failed=%v with %q", what, a, failed, part)
		}
	case <-time.After(patience):
		s.t.Fatalf("%s: no answer", what)
	}
}
