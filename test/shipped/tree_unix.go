//go:build unix && !linux

package shipped

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

func processes() ([]Process, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,stat=,lstart=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var all []Process
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // lstart is five words
		if len(f) < 9 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, err1 := strconv.Atoi(f[0])
		parent, err2 := strconv.Atoi(f[1])
		if err1 == nil && err2 == nil {
			all = append(all, Process{PID: pid, Parent: parent, Command: strings.Join(f[8:], " "), Born: strings.Join(f[3:8], " ")})
		}
	}
	return all, nil
}

// startedUnder can't tell: other systems don't show environments.
func startedUnder(int, string) bool { return false }
