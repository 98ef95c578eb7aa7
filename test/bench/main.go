// The program of `make bench`: it measures what the built bridge costs a tool
// call, against the floors under it (a bare HTTP echo and a raw pipe) and
// against a bridge made of the SDK's typed client and server; and what hosts and
// servers of different eras cost it against two of the older one. Client, bridge and
// server are three processes; rounds are interleaved, so that a busy machine
// hurts all alike, and ratios are taken round by round.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"bridgekeeper/test/misbehave"
)

// plan says how much is measured.
type plan struct {
	Rounds int           `json:"rounds"`
	Cell   time.Duration `json:"cellNs"` // one target, size and concurrency in one round
	Sizes  []int         `json:"sizes"`
	AtOnce []int         `json:"atOnce"`
	Heavy  int           `json:"heavy"` // a cell with more bytes at once is left out
	Copies int           `json:"memoryServers"`
}

var (
	fullPlan  = plan{5, time.Second, []int{100, 10_000, 1_000_000}, []int{1, 16, 64}, 64_000_000, 50}
	quickPlan = plan{3, 300 * time.Millisecond, []int{100, 10_000, 1_000_000}, []int{1, 16, 64}, 1_000_000, 20}
)

func main() {
	if len(os.Args) > 1 {
		serve := map[string]func() error{
			"echo-stdio":  func() error { return misbehave.Echo(os.Stdin, os.Stdout) },
			"echo-modern": func() error { return misbehave.EchoModern(os.Stdin, os.Stdout) },
			"echo-http":   echoHTTP,
			"sdk-bridge":  sdkBridge,
		}[os.Args[1]]
		if serve != nil {
			exitOn(serve())
			return
		}
	}
	bin := flag.String("bin", "bin/bridgekeeper", "the binary to measure")
	quick := flag.Bool("quick", false, "short rounds: a first impression in a minute")
	out := flag.String("json", "", "also write every number to this file")
	strict := flag.Bool("strict", false, "fail when a wish is not met")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := fullPlan
	if *quick {
		p = quickPlan
	}
	exitOn(run(ctx, p, *bin, *out, *strict))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// results is what -json writes.
type results struct {
	Machine string    `json:"machine"`
	Plan    plan      `json:"plan"`
	Cells   []*cell   `json:"cells"`
	Memory  *memory   `json:"memory"`
	Shim    *shimCost `json:"shim"`
	Wishes  []verdict `json:"wishes"`
}

// run measures, reports and judges.
func run(ctx context.Context, p plan, bin, out string, strict bool) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return fmt.Errorf("find the binary: %w", err)
	}
	if _, err := os.Stat(bin); err != nil {
		return fmt.Errorf("find the binary: %w", err)
	}
	res := &results{Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()), Plan: p}
	fmt.Printf("%s; %d rounds of %s a cell\n", res.Machine, p.Rounds, p.Cell)
	if res.Memory, err = measureMemory(ctx, bin, p.Copies); err != nil {
		return fmt.Errorf("measure memory: %w", err)
	}
	if res.Shim, err = measureShim(ctx, bin); err != nil {
		return fmt.Errorf("measure the shim: %w", err)
	}
	if res.Cells, err = measureAll(ctx, p, bin); err != nil {
		return err
	}
	res.Wishes = judge(res)
	report(os.Stdout, res)
	if out != "" {
		b, err := json.MarshalIndent(res, "", " ")
		if err != nil {
			return fmt.Errorf("encode the numbers: %w", err)
		}
		if err := os.WriteFile(out, append(b, '\n'), 0o644); err != nil {
			return fmt.Errorf("write the numbers: %w", err)
		}
	}
	for _, w := range res.Wishes {
		if strict && !w.Met {
			return errors.New("not every wish is met")
		}
	}
	return nil
}

// measureAll starts every target once and goes round.
func measureAll(ctx context.Context, p plan, bin string) ([]*cell, error) {
	targets, err := startTargets(ctx, bin)
	defer func() {
		for _, t := range targets {
			t.stop()
		}
	}()
	if err != nil {
		return nil, err
	}
	cells := map[string]*cell{}
	var order []*cell
	for round := range p.Rounds {
		fmt.Fprintf(os.Stderr, "\rround %d of %d ", round+1, p.Rounds)
		for _, size := range p.Sizes {
			for _, n := range p.AtOnce {
				if size*n > p.Heavy {
					continue
				}
				for _, t := range targets {
					if t.pair && !pairCell(size, n) {
						continue
					}
					key := fmt.Sprint(t.name, size, n)
					if cells[key] == nil {
						cells[key] = &cell{Target: t.name, Size: size, AtOnce: n}
						order = append(order, cells[key])
					}
					s, err := measure(ctx, t, size, n, p.Cell)
					if err != nil {
						return nil, fmt.Errorf("%s, %d bytes, %d at once: %w", t.name, size, n, err)
					}
					cells[key].Rounds = append(cells[key].Rounds, s)
				}
			}
		}
	}
	fmt.Fprint(os.Stderr, "\r               \r")
	return order, nil
}
