package app

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
)

// allLogs sends the lines of every server: those that are kept in the order of
// their time, and, when follow is set, all later ones, also of servers that are
// added meanwhile.
func (a *App) allLogs(ctx context.Context, lines int, follow bool, send func(wire.LogLine) error) error {
	kept, sent := a.keptLines(lines)
	for _, l := range kept {
		if err := send(l); err != nil {
			return err
		}
	}
	if !follow {
		return nil
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var mu sync.Mutex // send is one caller's at a time
	var followers sync.WaitGroup
	followed := make(map[string]*supervisor.Log)
	for {
		changed := a.news.next()
		for _, s := range a.config.Current().Servers {
			log := a.sup.Logs(s.Name)
			if log == nil || followed[s.Name] == log {
				continue
			}
			followed[s.Name] = log
			followers.Go(func() {
				// The end of one server's log is not the end of the others'.
				if err := log.Follow(ctx, 0, func(l supervisor.Line) error {
					if l.Seq <= sent[log] {
						return nil
					}
					mu.Lock()
					defer mu.Unlock()
					return send(wireLine(s.Name, l))
				}); err != nil {
					fail(err)
				}
			})
		}
		select {
		case <-changed:
		case <-ctx.Done():
			followers.Wait()
			return context.Cause(ctx)
		}
	}
}

// keptLines returns the newest lines of all servers together, oldest first, and
// the number of each log's newest line.
func (a *App) keptLines(n int) (all []wire.LogLine, newest map[*supervisor.Log]uint64) {
	newest = make(map[*supervisor.Log]uint64)
	for _, s := range a.config.Current().Servers {
		log := a.sup.Logs(s.Name)
		if log == nil {
			continue
		}
		for _, l := range log.Tail(n) {
			all = append(all, wireLine(s.Name, l))
			newest[log] = l.Seq
		}
	}
	slices.SortStableFunc(all, func(x, y wire.LogLine) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Server, y.Server))
	})
	if n > 0 && len(all) > n {
		all = all[len(all)-n:]
	}
	return all, newest
}
