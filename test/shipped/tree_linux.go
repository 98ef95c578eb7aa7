package shipped

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func processes() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var out []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := process(pid); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// process reads one process; ok is false when it is gone or a zombie.
func process(pid int) (p Process, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// The second field is the name in brackets and may hold anything.
	_, rest, found := strings.Cut(string(stat[max(bytes.LastIndexByte(stat, ')'), 0):]), " ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return p, false
	}
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // gone by now: an empty command
	command := strings.TrimSpace(strings.ReplaceAll(string(cmdline), "\x00", " "))
	return Process{PID: pid, Parent: parent, Command: command, Born: fields[19]}, true
}

func startedUnder(pid int, home string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || home == "" {
		return false
	}
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00BRIDGEKEEPER_HOME="+home+"\x00"))
}
