package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
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

// The targets, in the order in which each round visits them.
const (
	rawPipe  = "raw pipe"
	bareEcho = "bare echo"
	bridge   = "bridge"
	sdkTyped = "SDK bridge"
)

// target is something to call.
type target struct {
	name     string
	pid      int    // of the process in the middle
	url      string // "" for the pipe
	headers  map[string]string
	counts   bool // serves /allocs
	pipe     *pipe
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
		if t.name != bareEcho {
			if err := t.handshake(); err != nil {
				return all, fmt.Errorf("initialize %s: %w", t.name, err)
			}
		}
	}
	return all, nil
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
	t := &target{name: name, pid: cmd.Process.Pid, counts: true, stop: func() {
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

// startBridge starts the built binary with the echo server behind it. Guard,
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
	t := &target{name: bridge, pid: core.PID, url: core.URL, stop: func() {
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
	if _, err := core.CLI(ctx, "server", "add", "echo", "--", self, "echo-stdio"); err != nil {
		return fail(err)
	}
	host, err := core.AddHost(ctx, "bench")
	if err != nil {
		return fail(err)
	}
	t.headers = map[string]string{"Authorization": "Bearer " + host.Token}
	if _, err := core.UntilReady(ctx, "echo"); err != nil {
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
	return &httpCaller{conn: c, req: newRequest("echo__echo", size), next: (t.openings % 800) * idsEach}, nil
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
