//go:build unix

package proc

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

const (
	// watchTerm is what the trees get between SIGTERM and SIGKILL once the core is
	// gone: with the kill itself all is over within two seconds.
	watchTerm = 700 * time.Millisecond
	// watchHeap keeps the watcher's memory small; it holds a list of pids.
	watchHeap = 6 << 20
	// watchGC makes it collect early.
	watchGC = 25
	// watchLine bounds a line on its pipe; a mark is far shorter.
	watchLine = 4 << 10
	// sweepRounds bounds the search for marked processes that fork on.
	sweepRounds = 10
)

// watch reads what the core says until the core is gone, in whatever way, and
// ends the trees that were registered then.
//
//	r RUN              the first part of all marks
//	+ PID START MARK   a child was started
//	- PID START MARK   its tree was ended
//	q                  the core ends in peace
func watch(in *os.File) {
	debug.SetGCPercent(watchGC)
	debug.SetMemoryLimit(watchHeap)
	// A stop of a whole service or terminal reaches us too; we go when the core has.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	run, entries, peace := listen(in)
	if peace {
		return
	}
	endRun(run, entries)
}

func listen(in io.Reader) (run string, entries map[Entry]bool, peace bool) {
	entries = make(map[Entry]bool)
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 512), watchLine)
	for lines.Scan() {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		switch verb {
		case "r":
			run = rest
		case "+":
			if e, ok := parseEntry(rest); ok {
				entries[e] = true
			}
		case "-":
			if e, ok := parseEntry(rest); ok {
				delete(entries, e)
			}
		case "q":
			return run, entries, true
		}
	}
	return run, entries, false
}

// endRun ends the registered trees and everything else with a mark of this
// run: a child may have been born too late to be registered.
func endRun(run string, registered map[Entry]bool) {
	var list []Entry
	marks := make(map[string]bool)
	for e := range registered {
		list = append(list, e)
		marks[e.Mark] = true
	}
	if run != "" {
		now := shared.fresh()
		for _, p := range now.marked(run+".", 0) {
			if m := now.mark(p.pid); !marks[m] && p.pid != os.Getpid() {
				list = append(list, Entry{PID: p.pid, Start: p.start, Mark: m})
			}
		}
	}
	endEntries(list, watchTerm)
	for range sweepRounds {
		if run == "" {
			return
		}
		left := shared.fresh().marked(run+".", 0)
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			if p.pid != os.Getpid() {
				signalOne(p, syscall.SIGKILL)
			}
		}
		<-time.After(pollMost)
	}
}
