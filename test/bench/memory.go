package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/shipped"
)

// memory is what the core alone holds while nothing happens, in KiB.
type memory struct {
	Servers  int `json:"servers"`
	RSSNone  int `json:"rssNone"`
	PSSNone  int `json:"pssNone"`
	RSSAll   int `json:"rssAll"`
	PSSAll   int `json:"pssAll"`
	PerCopy  int `json:"rssPerServer"`
	PerCopyP int `json:"pssPerServer"`
}

const (
	settleFor   = 3 * time.Second  // without growth or shrinking: idle
	settleLimit = 20 * time.Second // then it is taken as it is
	settleSlack = 64               // KiB that may come and go
	upLimit     = 2 * time.Minute  // for all servers
)

// measureMemory starts the core with no server, then adds copies echo servers.
func measureMemory(ctx context.Context, bin string, copies int) (*memory, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "bk-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	core, err := shipped.Start(ctx, shipped.Options{Bin: bin, Home: home})
	if err != nil {
		return nil, err
	}
	m := &memory{Servers: copies}
	m.RSSNone, m.PSSNone = settled(ctx, core.PID)
	err = fill(ctx, core, self, copies)
	m.RSSAll, m.PSSAll = settled(ctx, core.PID)
	if stopErr := core.Stop(); err == nil {
		err = stopErr
	}
	m.PerCopy, m.PerCopyP = (m.RSSAll-m.RSSNone)/copies, (m.PSSAll-m.PSSNone)/copies
	return m, err
}

func fill(ctx context.Context, core *shipped.Core, self string, copies int) error {
	ctx, cancel := context.WithTimeout(ctx, upLimit)
	defer cancel()
	for i := range copies {
		if _, err := core.CLI(ctx, "server", "add", fmt.Sprintf("echo%d", i), "--", self, "echo-stdio"); err != nil {
			return err
		}
	}
	_, err := core.Until(ctx, "all are ready", func(s *wire.Snapshot) bool {
		ready := 0
		for _, srv := range s.Servers {
			if srv.State == "ready" {
				ready++
			}
		}
		return ready == copies
	})
	return err
}

// settled waits until the resident size stops moving and returns it.
func settled(ctx context.Context, pid int) (rss, pss int) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	since := time.Now()
	// Its only error is the limit, and then the size is what it is.
	_ = shipped.Poll(ctx, func() (bool, error) {
		now, p := resident(pid)
		if now > rss+settleSlack || now < rss-settleSlack {
			rss, since = now, time.Now()
		}
		pss = p
		return time.Since(since) > settleFor, nil
	})
	rss, pss = resident(pid)
	return rss, pss
}
