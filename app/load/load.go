// Package load measures what process trees take: memory and processor time, of a
// server and all that it started.
//
// It knows no servers and keeps no goroutine. The app asks it while somebody
// looks.
package load

import (
	"context"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// Sample is what one set of trees takes.
type Sample struct {
	Memory    uint64  // bytes resident, shared pages counted in each process
	CPU       float64 // percent of one processor, since the sample before
	Processes int
}

// Meter remembers the sample before: processor time is a difference. It belongs
// to one goroutine.
type Meter struct {
	spent map[int32]spent
	at    time.Time
}

// spent is the processor time of one process, and which process it was.
type spent struct {
	created int64
	seconds float64
}

// Measure looks at the trees below the roots of each name. A process that can't be
// looked at counts for nothing.
func (m *Meter) Measure(ctx context.Context, roots map[string][]int) (map[string]Sample, error) {
	all, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return nil, err
	}
	children := make(map[int32][]*process.Process)
	byPID := make(map[int32]*process.Process, len(all))
	for _, p := range all {
		byPID[p.Pid] = p
		if parent, err := p.PpidWithContext(ctx); err == nil {
			children[parent] = append(children[parent], p)
		}
	}
	now := time.Now()
	passed := now.Sub(m.at).Seconds()
	next := make(map[int32]spent)
	out := make(map[string]Sample, len(roots))
	for name, pids := range roots {
		var s Sample
		seen := make(map[int32]bool)
		var visit func(p *process.Process)
		visit = func(p *process.Process) {
			if p == nil || seen[p.Pid] {
				return
			}
			seen[p.Pid] = true
			s.add(ctx, p, m, next, passed)
			for _, child := range children[p.Pid] {
				visit(child)
			}
		}
		for _, pid := range pids {
			visit(byPID[int32(pid)])
		}
		if s.Processes > 0 {
			out[name] = s
		}
	}
	m.spent, m.at = next, now
	return out, nil
}

func (s *Sample) add(ctx context.Context, p *process.Process, m *Meter, next map[int32]spent, passed float64) {
	memory, err := p.MemoryInfoWithContext(ctx)
	if err != nil {
		return
	}
	s.Processes++
	s.Memory += memory.RSS
	times, err := p.TimesWithContext(ctx)
	if err != nil {
		return
	}
	created, _ := p.CreateTimeWithContext(ctx)
	now := spent{created, times.User + times.System}
	next[p.Pid] = now
	if was, ok := m.spent[p.Pid]; ok && was.created == created && passed > 0 && now.seconds >= was.seconds {
		s.CPU += 100 * (now.seconds - was.seconds) / passed
	}
}
