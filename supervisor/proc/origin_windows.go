package proc

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// jobs are the Job Objects of the trees that live: a process can't leave its job.
var jobs sync.Map // of windows.Handle

var isProcessInJob = windows.NewLazySystemDLL("kernel32.dll").NewProc("IsProcessInJob")

func isChild(pid int) (child, ok bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return false, false
	}
	defer windows.CloseHandle(h)
	ok = true
	jobs.Range(func(job, _ any) bool {
		var in int32
		done, _, _ := isProcessInJob.Call(uintptr(h), uintptr(job.(windows.Handle)), uintptr(unsafe.Pointer(&in)))
		ok = ok && done != 0
		child = child || in != 0
		return !child && ok
	})
	return child, ok
}

// executable is the path of the file that a process runs.
func executable(pid int) (string, bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(h)
	var path [windows.MAX_LONG_PATH]uint16
	n := uint32(len(path))
	if err := windows.QueryFullProcessImageName(h, 0, &path[0], &n); err != nil {
		return "", false
	}
	return windows.UTF16ToString(path[:n]), true
}
