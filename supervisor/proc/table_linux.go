package proc

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxEnviron bounds what is read of a process's environment; the kernel's own
// limit of arguments and environment together is of this order.
const maxEnviron = 2 << 20

func listProcesses() map[int]info {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	procs := make(map[int]info, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readStat(pid); ok {
			procs[pid] = p
		}
	}
	return procs
}

func startTime(pid int) (uint64, bool) {
	p, ok := readStat(pid)
	return p.start, ok
}

func readStat(pid int) (info, bool) {
	var buf [1024]byte // the line is far shorter
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return info{}, false
	}
	n, err := syscall.Read(fd, buf[:])
	syscall.Close(fd)
	if err != nil || n <= 0 {
		return info{}, false
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads a line of /proc/PID/stat. The name in parentheses may hold
// anything, so fields are counted from the last one.
func parseStat(pid int, line []byte) (info, bool) {
	i := bytes.LastIndexByte(line, ')')
	if i < 0 {
		return info{}, false
	}
	f := strings.Fields(string(line[i+1:])) // f[0] is field 3
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return info{}, false
	}
	ppid, err1 := strconv.Atoi(f[1])
	pgid, err2 := strconv.Atoi(f[2])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return info{}, false
	}
	return info{pid: pid, ppid: ppid, pgid: pgid, start: start}, true
}

func readMark(pid int) string {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "" // another user's
	}
	defer f.Close()
	block, _ := io.ReadAll(io.LimitReader(f, maxEnviron))
	return markIn(block)
}

// signalOne signals exactly this process, never a later owner of its pid.
func signalOne(p info, sig syscall.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		if now, ok := startTime(p.pid); ok && now == p.start && err != unix.ESRCH {
			syscall.Kill(p.pid, sig) // a kernel without pidfd
		}
		return
	}
	defer unix.Close(fd)
	if now, ok := startTime(p.pid); ok && now == p.start {
		unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// bootID tells this boot from others: start times count from the boot.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}
