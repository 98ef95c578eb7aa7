package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tickMicros is a clock tick of /proc/PID/stat: 1/100 s on every Linux that Go
// runs on.
const tickMicros = 10_000

// cpuMicros is the processor time of one process so far, without its children;
// -1 where the system has no /proc.
func cpuMicros(pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 13 {
		return -1
	}
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	if err1 != nil || err2 != nil {
		return -1
	}
	return float64(user+system) * tickMicros
}

// resident is a process's memory in KiB: what is mapped in, and its own share
// of it (pages shared with others count in part). Zero where there is no /proc.
func resident(pid int) (rss, pss int) {
	return field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:"), field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
}

func field(file, key string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) >= 2 && f[0] == key {
			n, err := strconv.Atoi(f[1])
			if err == nil {
				return n
			}
		}
	}
	return 0
}
