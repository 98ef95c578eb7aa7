package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"bridgekeeper/test/shipped"
)

// revision is what the measuring client speaks: sessions, newest of that era.
const revision = "2025-11-25"

// modernRevision is what it speaks as a modern host.
const modernRevision = "2026-07-28"

// The targets, in the order in which each round visits them.
const (
	rawPipe  = "raw pipe"
	bareEcho = "bare echo"
	bridge   = "bridge"
	sdkTyped = "SDK bridge"
)

// The bridge again, with one or both sides of 2026-07-28; the plain one has a host
// and a server of the era before.
const (
	toModern   = "bridge, legacy host, modern server"
	bothModern = "bridge, modern host and server"
	toLegacy   = "bridge, modern host, legacy server"
)

var pairs = []string{toModern, bothModern, toLegacy}

// pairCell picks the cells that the pairs are measured in: enough to see what
// translation costs, and no more, as each takes its time.
func pairCell(size, n int) bool {
	return n == 1 && (size == small || size == large) || n == 16 && size == small
}

// target is something to call.
type target struct {
	name     string
	pid      int    // of the process in the middle
	url      string // "" for the pipe
	headers  map[string]string
	counts   bool // serves /allocs
	pipe     *pipe
	tool     string // that is called
	modern   bool   // calls are those of 2026-07-28
	pair     bool   // one of the pairs
	stop     func()
	openings int // connections so far; ids of a session are never used twice
}

// readyLimit is how long a target may take to come up.
const readyLimit = 30 * time.Second

// startTargets starts all; on error too it returns those to stop.
func startTargets(ctx context.Context, bin string) (all []*target, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := startPipe(self)
	if err != nil {
		return nil, err
	}
	all = append(all, &target{name: rawPipe, pid: p.cmd.Process.Pid, pipe: p, stop: p.stop})
	for _, start := range []func() (*target, error){
		func() (*target, error) { return startOwn(self, bareEcho, "echo-http") },
		func() (*target, error) { return startBridge(ctx, self, bin) },
		func() (*target, error) { return startOwn(self, sdkTyped, "sdk-bridge") },
	} {
		t, err := start()
		if err != nil {
			return all, err
		}
		all = append(all, t)
		if t.name == bridge {
			all = append(all, t.pairs()...)
		}
	}
	for _, t := range all {
		if t.pipe != nil || t.modern || t.name == bareEcho {
			continue
		}
		if err := t.handshake(); err != nil {
			return all, fmt.Errorf("initialize %s: %w", t.name, err)
		}
	}
	return all, nil
}

// pairs are the other eras' ways through the same bridge.
func (t *target) pairs() (all []*target) {
	for _, name := range pairs {
		p := &target{name: name, pid: t.pid, url: t.url, pair: true, modern: name != toModern, stop: func() {}}
		p.headers = maps.Clone(t.headers)
		if p.tool = "modern__echo"; name == toLegacy {
			p.tool = t.tool
		}
		if p.modern {
			p.headers["Mcp-Protocol-Version"], p.headers["Mcp-Method"], p.headers["Mcp-Name"] = modernRevision, "tools/call", p.tool
		}
		all = append(all, p)
	}
	return all
}

// startOwn starts a subcommand of this program that tells its address.
func startOwn(self, name, sub string) (*target, error) {
	cmd := exec.Command(self, sub)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	t := &target{name: name, pid: cmd.Process.Pid, counts: true, tool: "echo__echo", stop: func() {
		stdin.Close()
		cmd.Wait()
	}}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.stop()
		return nil, fmt.Errorf("start %s: it told no address: %w", name, err)
	}
	t.url = strings.TrimSpace(line)
	return t, nil
}

// startBridge starts the built binary with an echo server of each era behind it. Guard,
// gate and record are on, as everybody has them.
func startBridge(ctx context.Context, self, bin string) (*target, error) {
	home, err := os.MkdirTemp("", "bk-bench-")
	if err != nil {
		return nil, err
	}
	core, err := shipped.Start(ctx, shipped.Options{Bin: bin, Home: home, Args: []string{"--answers", "allow"}})
	if err != nil {
		os.RemoveAll(home)
		return nil, err
	}
	t := &target{name: bridge, pid: core.PID, url: core.URL, tool: "echo__echo", stop: func() {
		if err := core.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "bench: end the core:", err)
		}
		os.RemoveAll(home)
	}}
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	fail := func(err error) (*target, error) {
		t.stop()
		return nil, fmt.Errorf("%w\n%s", err, core.Log())
	}
	for name, sub := range map[string]string{"echo": "echo-stdio", "modern": "echo-modern"} {
		if _, err := core.CLI(ctx, "server", "add", name, "--", self, sub); err != nil {
			return fail(err)
		}
	}
	host, err := core.AddHost(ctx, "bench")
	if err != nil {
		return fail(err)
	}
	t.headers = map[string]string{"Authorization": "Bearer " + host.Token}
	if _, err := core.UntilReady(ctx, "echo", "modern"); err != nil {
		return fail(err)
	}
	return t, nil
}

// handshake opens the session that all callers share.
func (t *target) handshake() error {
	c, err := dial(t.url, t.headers)
	if err != nil {
		return err
	}
	defer c.close()
	rep, err := c.post([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return err
	}
	if rep.status != http.StatusOK || rep.session == "" {
		return fmt.Errorf("status %d, session %q: %.300s", rep.status, rep.session, rep.body)
	}
	headers := map[string]string{"Mcp-Session-Id": rep.session, "MCP-Protocol-Version": revision}
	for k, v := range t.headers {
		headers[k] = v
	}
	t.headers = headers
	c2, err := dial(t.url, t.headers)
	if err != nil {
		return err
	}
	defer c2.close()
	rep, err = c2.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return err
	}
	if rep.status != http.StatusAccepted {
		return fmt.Errorf("initialized: status %d: %.300s", rep.status, rep.body)
	}
	return nil
}

// open returns caller number i.
func (t *target) open(size, i int) (caller, error) {
	c, err := dial(t.url, t.headers)
	if err != nil {
		return nil, err
	}
	t.openings++
	return &httpCaller{conn: c, req: newRequest(t.tool, size, t.modern), next: (t.openings % 800) * idsEach}, nil
}

// allocs is how many objects the process in the middle has allocated, or -1.
// The built binary doesn't tell.
func (t *target) allocs() float64 {
	if !t.counts {
		return -1
	}
	res, err := http.Get(strings.TrimSuffix(t.url, "/mcp") + "/allocs")
	if err != nil {
		return -1
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return -1
	}
	return n
}

func (t *target) cpu() float64 { return cpuMicros(t.pid) }
