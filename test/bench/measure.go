package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// cell is one target at one size and concurrency, in all rounds.
type cell struct {
	Target string   `json:"target"`
	Size   int      `json:"size"`
	AtOnce int      `json:"atOnce"`
	Rounds []sample `json:"rounds"`
}

// sample is one round of a cell. A number that can't be had is negative.
type sample struct {
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50us"`
	P99    float64 `json:"p99us"`
	PerSec float64 `json:"callsPerSecond"`
	CPU    float64 `json:"cpuUsPerCall"` // of the process in the middle
	Allocs float64 `json:"allocsPerCall"`
}

// caller makes calls to a target, one at a time.
type caller interface {
	call() error
	close()
}

const warmUp = 2 // calls of each caller before the clock starts

// measure calls t from n callers at once for about d.
func measure(ctx context.Context, t *target, size, n int, d time.Duration) (sample, error) {
	if t.pipe != nil {
		return t.pipe.measure(ctx, size, n, d)
	}
	callers := make([]caller, n)
	for i := range callers {
		c, err := t.open(size, i)
		if err != nil {
			return sample{}, err
		}
		defer c.close()
		callers[i] = c
	}
	if _, _, err := drive(ctx, callers, func(done int, _ time.Time) bool { return done < warmUp }); err != nil {
		return sample{}, err
	}
	cpu, allocs := t.cpu(), t.allocs()
	end := time.Now().Add(d)
	took, spent, err := drive(ctx, callers, func(done int, now time.Time) bool { return done == 0 || now.Before(end) })
	if err != nil {
		return sample{}, err
	}
	s := summarize(took, spent)
	s.CPU = perCall(cpu, t.cpu(), s.Calls)
	s.Allocs = perCall(allocs, t.allocs(), s.Calls)
	return s, nil
}

// drive lets every caller call while more says so, and returns how long each
// call took, and all together.
func drive(ctx context.Context, callers []caller, more func(done int, now time.Time) bool) ([]time.Duration, time.Duration, error) {
	took := make([][]time.Duration, len(callers))
	errs := make([]error, len(callers))
	begin := time.Now()
	var wg sync.WaitGroup
	for i, c := range callers {
		wg.Go(func() {
			now := time.Now()
			for n := 0; more(n, now) && errs[i] == nil; n++ {
				if ctx.Err() != nil {
					errs[i] = context.Cause(ctx)
					return
				}
				errs[i] = c.call()
				after := time.Now()
				took[i] = append(took[i], after.Sub(now))
				now = after
			}
		})
	}
	wg.Wait()
	return slices.Concat(took...), time.Since(begin), errors.Join(errs...)
}

func summarize(took []time.Duration, spent time.Duration) sample {
	slices.Sort(took)
	at := func(q float64) float64 {
		return float64(took[int(q*float64(len(took)-1))].Nanoseconds()) / 1e3
	}
	return sample{
		Calls: len(took), P50: at(0.50), P99: at(0.99),
		PerSec: float64(len(took)) / spent.Seconds(),
		CPU:    -1, Allocs: -1,
	}
}

// perCall divides a growing count by calls; a count that can't be had is negative.
func perCall(before, after float64, calls int) float64 {
	if before < 0 || after < 0 {
		return -1
	}
	return (after - before) / float64(calls)
}

// httpCaller calls over one connection.
type httpCaller struct {
	*conn
	req  *request
	next int
	size int // of the right answer; 0 until the first one was looked at
}

// idsEach keeps the ids of callers that share a session apart.
const idsEach = 10_000_000

func (h *httpCaller) call() error {
	h.req.setID(h.next)
	h.next++
	rep, err := h.post(h.req.body)
	if err != nil {
		return err
	}
	// Looking into each answer would cost more than some targets do: the first
	// is read, the others must be as long.
	if h.size == 0 && answers(rep.body, h.req) {
		h.size = len(rep.body)
	}
	if rep.status != 200 || len(rep.body) != h.size {
		return fmt.Errorf("status %d, %d bytes, want %d: %.300s", rep.status, len(rep.body), h.size, rep.body)
	}
	return nil
}
