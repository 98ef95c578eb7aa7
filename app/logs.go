package app

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
)

// allLogs sends the lines of every server, those that are kept in the order of
// their time. Servers added later are not followed: a client that wants them
// asks again when the snapshot shows them.
func (a *App) allLogs(ctx context.Context, lines int, follow bool, send func(wire.LogLine) error) error {
	if !follow {
		kept := a.keptLines(lines)
		for _, l := range kept {
			if err := send(l); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var mu sync.Mutex // send is one caller's at a time
	var followers sync.WaitGroup
	for _, s := range a.config.Current().Servers {
		log := a.sup.Logs(s.Name)
		if log == nil {
			continue
		}
		followers.Go(func() {
			fail(log.Follow(ctx, lines, func(l supervisor.Line) error {
				mu.Lock()
				defer mu.Unlock()
				return send(wireLine(s.Name, l))
			}))
		})
	}
	<-ctx.Done()
	followers.Wait()
	return context.Cause(ctx)
}

// keptLines returns the newest lines of all servers together, oldest first.
func (a *App) keptLines(n int) []wire.LogLine {
	var all []wire.LogLine
	for _, s := range a.config.Current().Servers {
		log := a.sup.Logs(s.Name)
		if log == nil {
			continue
		}
		for _, l := range log.Tail(n) {
			all = append(all, wireLine(s.Name, l))
		}
	}
	slices.SortStableFunc(all, func(x, y wire.LogLine) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Server, y.Server))
	})
	if n > 0 && len(all) > n {
		all = all[len(all)-n:]
	}
	return all
}
