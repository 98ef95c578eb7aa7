package supervisor

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"bridgekeeper/supervisor/proc"
)

// keeper holds the nets under the children: the watcher process and the file
// of orphans. Its methods may be called from any goroutine.
type keeper struct {
	run      string // random; the first part of all marks
	log      *slog.Logger
	stateDir string
	registry *proc.Registry // nil without a state folder

	start   sync.Once
	watcher *proc.Watcher // written in start; nil when there is none
}

const registryFile = "children"

func newKeeper(run, stateDir string, log *slog.Logger) *keeper {
	k := &keeper{run: run, log: log, stateDir: stateDir}
	if stateDir != "" {
		k.registry = proc.NewRegistry(filepath.Join(stateDir, registryFile))
	}
	return k
}

// sweep ends what an earlier run left behind, before anything is started.
func (k *keeper) sweep(ctx context.Context) {
	if k.stateDir == "" {
		return
	}
	if err := os.MkdirAll(k.stateDir, 0o700); err != nil {
		k.log.Error("make the state folder", "err", err)
		return
	}
	n, err := proc.Sweep(filepath.Join(k.stateDir, registryFile))
	if err != nil {
		k.log.Warn("sweep orphaned servers", "err", err)
	}
	if n > 0 {
		k.log.Warn("servers of an earlier run were still alive and have been ended", "count", n)
	}
	if _, err := proc.SweepContainers(ctx, k.stateDir); err != nil {
		k.log.Warn("remove orphaned containers", "err", err)
	}
}

// ready makes sure the watcher runs; called before each start.
func (k *keeper) ready() {
	k.start.Do(func() {
		w, err := proc.StartWatcher(k.run, k.log)
		if err != nil {
			k.log.Warn("no watcher: servers outlive a crash of this program until its next start", "err", err)
			return
		}
		k.watcher = w
	})
}

func (k *keeper) began(e proc.Entry) {
	if k.watcher != nil {
		k.watcher.Add(e)
	}
	if k.registry != nil {
		if err := k.registry.Add(e); err != nil {
			k.log.Warn("list a running child", "pid", e.PID, "err", err)
		}
	}
}

func (k *keeper) ended(e proc.Entry) {
	if k.watcher != nil {
		k.watcher.Remove(e)
	}
	if k.registry != nil {
		if err := k.registry.Remove(e); err != nil {
			k.log.Warn("unlist an ended child", "pid", e.PID, "err", err)
		}
	}
}

// close lets the watcher go; no child may be left.
func (k *keeper) close() {
	k.start.Do(func() {})
	if k.watcher != nil {
		k.watcher.Close()
	}
}
