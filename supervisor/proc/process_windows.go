package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// treeHandle is the Job Object that holds the whole tree. The system ends
// everything in it when the last handle is closed, so also when the core dies.
type treeHandle = windows.Handle

const (
	jobPoll = 20 * time.Millisecond // between looks at a job that can't be waited for
	jobKill = 5 * time.Second       // for a terminated job to become empty
)

// Start starts c suspended, puts it into a job of its own and lets it run: no
// child of it can be born outside.
func Start(c Command) (*Process, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd := newCmd(c)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	p := &Process{cmd: cmd, tree: job, done: make(chan struct{})}
	p.Entry = Entry{PID: cmd.Process.Pid, Mark: c.Mark}
	p.Start, _ = startTime(p.PID)
	err = cmd.Process.WithHandle(func(h uintptr) {
		if e := windows.AssignProcessToJobObject(job, windows.Handle(h)); e != nil {
			err = fmt.Errorf("assign process to job: %w", e)
		}
	})
	if err == nil {
		err = resume(uint32(p.PID))
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return nil, err
	}
	jobs.Store(job, true)
	go p.wait()
	return p, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, fmt.Errorf("limit job: %w", err)
	}
	return job, nil
}

// resume lets the only thread of a suspended process run.
func resume(pid uint32) error {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(snap)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snap, &entry); err == nil; err = windows.Thread32Next(snap, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread: %w", err)
		}
		defer windows.CloseHandle(thread)
		if _, err = windows.ResumeThread(thread); err != nil {
			return fmt.Errorf("resume thread: %w", err)
		}
		return nil
	}
	return errors.New("resume process: its thread wasn't found")
}

// End ends the whole tree. There is no SIGTERM here: after the polite way
// (closeStdin, unless it is nil) has had its time, the job is terminated.
func (p *Process) End(closeStdin func(), e Ending) error {
	defer windows.CloseHandle(p.tree)
	defer jobs.Delete(p.tree)
	if closeStdin != nil {
		closeStdin()
		p.doneWithin(e.EOF)
	}
	select {
	case <-p.done:
		if p.emptyWithin(e.Rest) {
			return nil
		}
	default:
	}
	if err := windows.TerminateJobObject(p.tree, 1); err != nil {
		return fmt.Errorf("terminate job: %w", err)
	}
	if !p.emptyWithin(jobKill) {
		return fmt.Errorf("end the process tree of %d: something in it didn't end", p.PID)
	}
	<-p.done
	return nil
}

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type jobAccounting struct {
	TotalUserTime, TotalKernelTime           int64
	PeriodUserTime, PeriodKernelTime         int64
	TotalPageFaultCount, TotalProcesses      uint32
	ActiveProcesses, TotalTerminateProcesses uint32
}

func (p *Process) emptyWithin(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for {
		var a jobAccounting
		err := windows.QueryInformationJobObject(p.tree, windows.JobObjectBasicAccountingInformation,
			uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
		if err == nil && a.ActiveProcesses == 0 {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		<-time.After(min(left, jobPoll))
	}
}

func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{Code: -1}
	}
	return Exit{Code: state.ExitCode()}
}

func startTime(pid int) (uint64, bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(h)
	return startTimeOf(h)
}

func startTimeOf(h windows.Handle) (uint64, bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime), true
}

// endEntries ends what is still there of entries; the jobs have done so already
// in all cases but the strangest.
func endEntries(entries []Entry, _ time.Duration) int {
	ended := 0
	for _, e := range entries {
		h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.PROCESS_TERMINATE, false, uint32(e.PID))
		if err != nil {
			continue
		}
		if start, ok := startTimeOf(h); ok && start == e.Start && windows.TerminateProcess(h, 1) == nil {
			ended++
		}
		windows.CloseHandle(h)
	}
	return ended
}

// bootID needs no value where start times are absolute.
func bootID() string { return "windows" }
