package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/shipped"
)

// hasSignals is false where a process can't be asked to end, only made to.
const hasSignals = runtime.GOOS != "windows"

// goneLimit is how long after the core's end the last process may live.
const goneLimit = 5 * time.Second

func (d *demo) start(ctx context.Context, bin string) error {
	d.out.sent("BRIDGEKEEPER_HOME=%s bridgekeeper serve --json --port 0", d.home)
	core, err := shipped.Start(ctx, shipped.Options{Bin: bin, Home: d.home})
	if err != nil {
		return err
	}
	d.core = core
	d.out.got(`{"url":%q,"socket":%q,"pid":%d}`, core.URL, core.Socket, core.PID)
	d.out.done("the core runs as process %d and serves %s", core.PID, core.URL)
	return nil
}

func (d *demo) addServers(ctx context.Context) error {
	for _, name := range []string{"rooms", "tickets"} {
		d.out.sent("bridgekeeper server add %s -- bridgekeeper example %s", name, name)
		if _, err := d.core.CLI(ctx, "server", "add", name, "--", d.core.Bin, "example", name); err != nil {
			return err
		}
	}
	s, err := d.core.UntilReady(ctx, "rooms", "tickets")
	if err != nil {
		return err
	}
	for _, srv := range s.Servers {
		d.out.got("%-8s %s  pid %d  protocol %s  %d tools", srv.Name, srv.State, srv.PID, srv.Protocol, srv.Tools)
		d.pids[srv.Name] = srv.PID
	}
	if d.pids["rooms"] == 0 || d.pids["rooms"] == d.pids["tickets"] {
		return fmt.Errorf("the servers have no processes of their own: %v", d.pids)
	}
	d.out.done("both are started, watched and ready: one copy each, for all hosts")
	return d.seeChildren()
}

// seeChildren remembers the core's processes, so that none is forgotten at the end.
func (d *demo) seeChildren() error {
	tree, err := shipped.Tree(d.core.PID)
	if err != nil {
		return err
	}
	d.children = append(d.children, tree...)
	return nil
}

func (d *demo) addHost(ctx context.Context) error {
	d.out.sent("bridgekeeper host add demo --json")
	host, err := d.core.AddHost(ctx, "demo")
	if err != nil {
		return err
	}
	if host.Name != "demo" || len(host.Token) < 20 || host.URL != d.core.URL {
		return fmt.Errorf("got host %q with a token of %d characters for %q", host.Name, len(host.Token), host.URL)
	}
	d.token = host.Token
	d.out.got(`{"name":"demo","token":"%s…","url":%q}`, host.Token[:6], host.URL)
	d.out.done("the token is shown this once; the core keeps only its hash")
	return nil
}

func (d *demo) kill(ctx context.Context) error {
	old := d.pids["rooms"]
	d.out.sent("kill -9 %d    (the rooms server)", old)
	killed := time.Now()
	victim, err := os.FindProcess(old)
	if err != nil {
		return fmt.Errorf("find the server: %w", err)
	}
	if err := victim.Kill(); err != nil {
		return fmt.Errorf("kill the server: %w", err)
	}
	s, err := d.core.Until(ctx, "rooms is back", func(s *wire.Snapshot) bool {
		srv := shipped.Server(s, "rooms")
		return srv != nil && srv.State == "ready" && srv.PID != old && srv.PID != 0
	})
	if err != nil {
		return err
	}
	srv := shipped.Server(s, "rooms")
	if srv.LastExit == nil || (srv.LastExit.Signal != "SIGKILL" && hasSignals) || srv.Restarts != 1 {
		return fmt.Errorf("status says %d restarts, last exit %+v", srv.Restarts, srv.LastExit)
	}
	if other := shipped.Server(s, "tickets"); other.PID != d.pids["tickets"] || other.Restarts != 0 {
		return fmt.Errorf("tickets was touched: pid %d, %d restarts", other.PID, other.Restarts)
	}
	d.out.got("rooms    %s  pid %d  restarts %d  last exit: %s (%s)", srv.State, srv.PID, srv.Restarts, srv.LastExit.Reason, srv.LastExit.Signal)
	d.pids["rooms"] = srv.PID
	d.out.done("back after %.1f s as a new process; tickets never noticed", time.Since(killed).Seconds())
	res, err := d.call(ctx, "rooms__get_room_status", map[string]any{"room_id": "aspen"})
	if err != nil {
		return err
	}
	if res.IsError {
		return fmt.Errorf("a call after the restart: %s", text(res))
	}
	d.out.done("the client's session is still the same and its calls work again")
	return d.seeChildren()
}

func (d *demo) logs(ctx context.Context) error {
	d.out.sent("bridgekeeper server logs rooms    (its last lines)")
	var lines []string
	// What a server says on stderr may arrive a moment after its answer.
	err := shipped.Poll(ctx, func() (bool, error) {
		out, err := d.core.CLI(ctx, "server", "logs", "rooms")
		lines = strings.Split(strings.TrimSpace(out), "\n")
		return strings.Contains(out, "rooms: ready") && strings.Contains(out, "search") && strings.Contains(out, "aspen"), err
	})
	d.out.got("%s", strings.Join(lines[max(0, len(lines)-8):], "\n"))
	if err != nil {
		return fmt.Errorf("find the lines of the calls above in the log: %w", err)
	}
	d.out.done("%d lines kept, from before and after the crash", len(lines))
	return nil
}

func (d *demo) stop(ctx context.Context) error {
	if err := d.seeChildren(); err != nil {
		return err
	}
	if err := d.client.Close(); err != nil {
		return fmt.Errorf("close the client: %w", err)
	}
	d.out.sent("kill -TERM %d    (the core)", d.core.PID)
	begin := time.Now()
	if err := d.core.Stop(); err != nil && hasSignals {
		return fmt.Errorf("the core's end: %w", err)
	}
	d.out.got("the core ended by itself after %.1f s", time.Since(begin).Seconds())
	if len(d.children) == 0 {
		return errors.New("no process was ever seen below the core")
	}
	if err := shipped.UntilGone(ctx, goneLimit, d.children, d.home); err != nil {
		return err
	}
	d.out.done("none of the %d processes it had started is left", len(unique(d.children)))
	return nil
}

func unique(ps []shipped.Process) []int {
	pids := []int{}
	for _, p := range ps {
		if !slices.Contains(pids, p.PID) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}
