package shipped

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Process is one running process. Zombies don't count: they hold nothing, and
// in a container nobody may be there to reap them.
type Process struct {
	PID     int
	Parent  int
	Command string // as far as the system tells
	Born    string // tells two processes with one pid apart
}

func (p Process) String() string { return fmt.Sprintf("%d %s", p.PID, p.Command) }

// Tree returns all descendants of pid that run now.
func Tree(pid int) ([]Process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	in := map[int]bool{pid: true}
	var out []Process
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if in[p.Parent] && !in[p.PID] {
				in[p.PID], grew = true, true
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// Left returns those of the given processes that still run, and every process
// that was started under home (where the system shows environments).
func Left(of []Process, home string) ([]Process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, p := range all {
		known := slices.ContainsFunc(of, func(o Process) bool { return o.PID == p.PID && o.Born == p.Born })
		if known || startedUnder(p.PID, home) {
			out = append(out, p)
		}
	}
	return out, nil
}

// UntilGone waits until nothing is left, at most for limit.
func UntilGone(ctx context.Context, limit time.Duration, of []Process, home string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var left []Process
	err := Poll(ctx, func() (bool, error) {
		var err error
		left, err = Left(of, home)
		return len(left) == 0, err
	})
	if err != nil {
		names := make([]string, len(left))
		for i, p := range left {
			names[i] = p.String()
		}
		return fmt.Errorf("processes left after %s: %s: %w", limit, strings.Join(names, ", "), err)
	}
	return nil
}
