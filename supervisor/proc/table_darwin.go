package proc

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const stateZombie = 5 // SZOMB of <sys/proc.h>

func listProcesses() map[int]info {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	procs := make(map[int]info, len(list))
	for i := range list {
		if p, ok := fromKinfo(&list[i]); ok {
			procs[p.pid] = p
		}
	}
	return procs
}

func startTime(pid int) (uint64, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, false
	}
	p, ok := fromKinfo(k)
	return p.start, ok && p.pid == pid
}

func fromKinfo(k *unix.KinfoProc) (info, bool) {
	if k.Proc.P_stat == stateZombie {
		return info{}, false
	}
	at := k.Proc.P_starttime
	return info{
		pid:   int(k.Proc.P_pid),
		ppid:  int(k.Eproc.Ppid),
		pgid:  int(k.Eproc.Pgid),
		start: uint64(at.Sec)*1e6 + uint64(at.Usec),
	}, true
}

// readMark reads arguments and environment of a process of ours. The system
// hides them for its own protected programs; those have no mark for us.
func readMark(pid int) string {
	block, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return ""
	}
	return markInArgs(block)
}

func signalOne(p info, sig syscall.Signal) {
	if now, ok := startTime(p.pid); ok && now == p.start {
		syscall.Kill(p.pid, sig)
	}
}

func bootID() string {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(at.Sec, 10)
}
