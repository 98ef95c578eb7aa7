package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"bridgekeeper/test/shipped"
)

// shimCost is what each entry of a host that only starts commands costs.
type shimCost struct {
	StartMS float64 `json:"startMs"` // from exec to the answer to initialize, a core running; median
	WordMS  float64 `json:"wordMs"`  // likewise by `bridgekeeper stdio`
	RSS     int     `json:"rss"`     // KiB, after it
	PSS     int     `json:"pss"`
}

const (
	shimStarts = 15
	hello      = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"
)

// measureShim starts the shim beside bin, several times.
func measureShim(ctx context.Context, bin string) (*shimCost, error) {
	home, err := os.MkdirTemp("", "bk-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	core, err := shipped.Start(ctx, shipped.Options{Bin: bin, Home: home})
	if err != nil {
		return nil, err
	}
	defer core.Kill()
	if _, err := core.AddHost(ctx, "bench"); err != nil {
		return nil, err
	}
	small := filepath.Join(filepath.Dir(bin), "bridgekeeper-stdio")
	var cost shimCost
	var direct, word []float64
	for range shimStarts {
		for _, one := range []struct {
			command []string
			all     *[]float64
		}{{[]string{small}, &direct}, {[]string{bin, "stdio"}, &word}} {
			cmd := exec.CommandContext(ctx, one.command[0], append(one.command[1:], "--host", "bench")...)
			cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+home)
			ms, err := startShim(ctx, cmd, &cost)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", one.command, err)
			}
			*one.all = append(*one.all, ms)
		}
	}
	cost.StartMS, cost.WordMS = median(direct), median(word)
	return &cost, core.Stop()
}

// startShim returns the milliseconds until the first answer.
func startShim(ctx context.Context, cmd *exec.Cmd, cost *shimCost) (float64, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err = io.WriteString(in, hello)
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	took := time.Since(begin)
	if err == nil {
		cost.RSS, cost.PSS = resident(cmd.Process.Pid)
	}
	in.Close()
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	return took.Seconds() * 1000, err
}
