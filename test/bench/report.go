package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// verdict is one wish and how it went.
type verdict struct {
	Wish  string  `json:"wish"`
	Limit float64 `json:"limit"`
	Got   float64 `json:"got"`
	Met   bool    `json:"met"`
}

const (
	small, large = 100, 1_000_000
	maxIdleMiB   = 25
	maxCopyKiB   = 300
	maxShimMS    = 50
	maxShimMiB   = 15
)

// judge compares with what is wanted of the bridge. Each ratio is taken within
// its round; the median of the rounds counts.
func judge(r *results) []verdict {
	p50 := func(s sample) float64 { return s.P50 }
	cpu := func(s sample) float64 { return s.CPU }
	rate := func(s sample) float64 { return s.PerSec }
	atMost := func(wish string, got, limit float64) verdict {
		return verdict{wish, limit, got, got >= 0 && got <= limit}
	}
	translated := func(number func(sample) float64, pair string) float64 {
		return max(r.ratio(small, 1, number, pair, bridge), r.ratio(large, 1, number, pair, bridge))
	}
	rateRatio := r.ratio(small, 16, rate, bridge, bareEcho)
	all := []verdict{
		atMost("CPU, 100 B, one at a time: at most 2 x the bare echo's", r.ratio(small, 1, cpu, bridge, bareEcho), 2),
		atMost("CPU, 1 MB, one at a time: at most 3.5 x the bare echo's", r.ratio(large, 1, cpu, bridge, bareEcho), 3.5),
		atMost("p50, 100 B, one at a time: at most 1.4 x (bare echo + raw pipe)", r.ratio(small, 1, p50, bridge, bareEcho, rawPipe), 1.4),
		{"calls a second, 100 B, 16 at once through one child: at least 0.5 of the bare echo's", 0.5, rateRatio, rateRatio >= 0.5},
		atMost("p50, 1 MB, one at a time: at most 2 x (bare echo + raw pipe)", r.ratio(large, 1, p50, bridge, bareEcho, rawPipe), 2),
		atMost("core alone, no server: under 25 MiB resident", float64(r.Memory.RSSNone)/1024, maxIdleMiB),
		atMost("each server more: at most 300 KiB resident in the core", float64(r.Memory.PerCopy), maxCopyKiB),
	}
	if r.Shim != nil {
		all = append(all,
			atMost("shim: at most 50 ms from its start to the first answer", r.Shim.StartMS, maxShimMS),
			atMost("shim by `bridgekeeper stdio`: likewise", r.Shim.WordMS, maxShimMS),
			atMost("shim: under 15 MiB resident", float64(r.Shim.RSS)/1024, maxShimMiB))
	}
	for _, pair := range pairs {
		what := strings.TrimPrefix(pair, "bridge, ")
		all = append(all,
			atMost("p50, "+what+", 100 B and 1 MB: at most 2 x that of legacy host and server", translated(p50, pair), 2),
			atMost("CPU, "+what+", 100 B and 1 MB: at most 2 x that of legacy host and server", translated(cpu, pair), 2))
	}
	return all
}

// ratio is the median over the rounds of what / (the sum of the floors), or -1.
func (r *results) ratio(size, n int, number func(sample) float64, what string, floors ...string) float64 {
	var all []float64
	for round := range r.Plan.Rounds {
		sum := 0.0
		for _, f := range floors {
			sum += number(r.find(f, size, n).Rounds[round])
		}
		got := number(r.find(what, size, n).Rounds[round])
		if got < 0 || sum <= 0 {
			return -1
		}
		all = append(all, got/sum)
	}
	return median(all)
}

func (r *results) find(target string, size, n int) *cell {
	i := slices.IndexFunc(r.Cells, func(c *cell) bool { return c.Target == target && c.Size == size && c.AtOnce == n })
	return r.Cells[i]
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func (c *cell) median(number func(sample) float64) float64 {
	v := make([]float64, len(c.Rounds))
	for i, s := range c.Rounds {
		v[i] = number(s)
	}
	return median(v)
}

func report(to io.Writer, r *results) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "size\tat once\ttarget\tp50 µs\tp99 µs\tcalls/s\tCPU µs/call\tallocs/call\tCPU x echo\tp50 x floor\tof echo's calls\tCPU x bridge\tp50 x bridge\t")
	for _, c := range r.Cells {
		p50 := c.median(func(s sample) float64 { return s.P50 })
		rate := c.median(func(s sample) float64 { return s.PerSec })
		cost, floor, share := "", "", ""
		plainCost, plainTime := "", ""
		if slices.Contains(pairs, c.Target) {
			plainCost = show(r.ratio(c.Size, c.AtOnce, func(s sample) float64 { return s.CPU }, c.Target, bridge), 2)
			plainTime = show(r.ratio(c.Size, c.AtOnce, func(s sample) float64 { return s.P50 }, c.Target, bridge), 2)
		}
		if c.Target == bridge || c.Target == sdkTyped {
			cost = show(r.ratio(c.Size, c.AtOnce, func(s sample) float64 { return s.CPU }, c.Target, bareEcho), 2)
			floor = show(r.ratio(c.Size, c.AtOnce, func(s sample) float64 { return s.P50 }, c.Target, bareEcho, rawPipe), 2)
			share = show(r.ratio(c.Size, c.AtOnce, func(s sample) float64 { return s.PerSec }, c.Target, bareEcho), 2)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%.0f\t%.0f\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.Size, c.AtOnce, c.Target, p50,
			c.median(func(s sample) float64 { return s.P99 }), rate,
			show(c.median(func(s sample) float64 { return s.CPU }), 1),
			show(c.median(func(s sample) float64 { return s.Allocs }), 0), cost, floor, share, plainCost, plainTime)
	}
	w.Flush()
	m := r.Memory
	fmt.Fprintf(to, "\nThe core alone, idle: %d KiB resident (%d its own share) without servers, %d (%d) with %d: %d KiB (%d) a server.\n",
		m.RSSNone, m.PSSNone, m.RSSAll, m.PSSAll, m.Servers, m.PerCopy, m.PerCopyP)
	if r.Shim != nil {
		fmt.Fprintf(to, "The shim, a core running: %.1f ms from its start to the first answer (%.1f by `bridgekeeper stdio`), %d KiB resident (%d its own share).\n",
			r.Shim.StartMS, r.Shim.WordMS, r.Shim.RSS, r.Shim.PSS)
	}
	fmt.Fprintln(to, "CPU is that of the process in the middle. The built binary doesn't tell its allocations. A raw pipe has no middle.")
	fmt.Fprintln(to, "\nWishes (medians of the ratios within each round):")
	for _, v := range r.Wishes {
		mark := "✓"
		if !v.Met {
			mark = "✗"
		}
		fmt.Fprintf(to, "  %s %s: %s\n", mark, v.Wish, show(v.Got, 2))
	}
}

// show prints a number, or a dash for one that can't be had.
func show(v float64, digits int) string {
	if v < 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, v)
}
