// The program of `make demo`: it starts the built binary in a temporary home
// and shows what it does, step by step, with an MCP client that is not ours. It
// asks nothing, never leaves loopback, and succeeds only if every step did what
// it says. The Makefile and CI run it; nothing imports it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"bridgekeeper/test/shipped"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	wholeLimit = 60 * time.Second // the demo's promise
	stepLimit  = 20 * time.Second // of the slowest step: a start on a busy machine
)

func main() {
	bin := flag.String("bin", "bin/bridgekeeper", "the binary to show")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, wholeLimit)
	defer cancel()
	if err := run(ctx, *bin); err != nil {
		fmt.Fprintf(os.Stderr, "\n✗ the demo failed: %v\n", err)
		os.Exit(1)
	}
}

// demo is what the steps share. Steps run one after the other.
type demo struct {
	out   *transcript
	home  string
	core  *shipped.Core
	token string

	client   *mcp.ClientSession
	children []shipped.Process // every process seen below the core
	pids     map[string]int    // of the servers, as last seen
}

func run(ctx context.Context, bin string) (err error) {
	begin := time.Now()
	bin, err = filepath.Abs(bin)
	if err != nil {
		return fmt.Errorf("find the binary: %w", err)
	}
	// Not under a long path: a unix socket's name has about 100 bytes.
	home, err := os.MkdirTemp("", "bk-demo-")
	if err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	defer os.RemoveAll(home)
	d := &demo{out: &transcript{to: os.Stdout}, home: home, pids: map[string]int{}}
	defer func() {
		if d.core == nil {
			return
		}
		d.core.Kill() // does nothing when the last step ended it
		if err != nil {
			err = fmt.Errorf("%w\n\nThe core's log ends with:\n%s", err, d.core.Log())
		}
	}()
	for _, s := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"Start the core in a home of its own", func(ctx context.Context) error { return d.start(ctx, bin) }},
		{"Add two MCP servers that speak stdio", d.addServers},
		{"Give an AI host a token", d.addHost},
		{"Connect a client we did not write (the official Go SDK)", d.connect},
		{"List the tools of both servers through one URL", d.listTools},
		{"List resources, templates and prompts", d.listRest},
		{"Complete a prompt's argument", d.complete},
		{"Call read-only tools: they run without a question", d.callReadOnly},
		{"Read resources", d.readResources},
		{"Get a prompt", d.getPrompt},
		{"Call a destructive tool: nobody allowed it, so it is declined", d.callDeclined},
		{"Use one server alone, with its own names", d.alone},
		{"Speak the 2026-07-28 revision at the same URL", d.modern},
		{"Kill a server with SIGKILL and watch it come back", d.kill},
		{"See what that server wrote on stderr", d.logs},
		{"End the core: no process is left", d.stop},
	} {
		d.out.step(s.title)
		ctx, cancel := context.WithTimeoutCause(ctx, stepLimit, errors.New("no result in time"))
		err := s.do(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("step %d (%s): %w", d.out.steps, s.title, err)
		}
	}
	fmt.Printf("\nAll %d steps did what they say, in %.1f s.\n", d.out.steps, time.Since(begin).Seconds())
	return nil
}
