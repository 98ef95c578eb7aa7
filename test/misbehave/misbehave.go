// Package misbehave is an MCP server on stdio that does, on demand, one of the
// things that real servers do wrong: junk on stdout, no answer, a dead process,
// a stubborn child, odd but legal JSON. Every line it writes is made by hand, so
// tests can compare bytes.
//
// A test binary becomes such a server: its TestMain calls Maybe, and the test
// starts its own executable with Env set to a mode. The benchmark uses Echo.
// Nothing of the product imports this package.
package misbehave

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// Env is the variable that turns a test binary into the server; its value is
// the mode.
const Env = "BRIDGEKEEPER_MISBEHAVE"

// The modes. All that answer calls have the tools of commonTools, except
// OddResults and EchoMode.
const (
	Good         = "good"          // nothing wrong; the common tools
	Junk         = "junk"          // prose, half JSON and invalid UTF-8 on stdout between the messages
	BOM          = "bom"           // a byte order mark first, CRLF, blank lines, trailing blanks
	Split        = "split"         // each line in many small writes
	Merged       = "merged"        // each answer glued in one write to notifications before and after it
	Big          = "big"           // tool big: {"bytes":N} answers with a result of N bytes, 50 MB by default
	Never        = "never"         // reads, and never answers anything
	Deaf         = "deaf"          // answers initialize and the first list, then never reads again
	Exit         = "exit"          // writes a line on stderr and exits with code 3 at once
	ExitEach     = "exit-each"     // answers one call, then exits with code 0
	Stubborn     = "stubborn"      // ignores SIGTERM and the end of stdin
	Grandchild   = "grandchild"    // starts a process that keeps stdin, stdout and stderr and ignores SIGTERM
	Wrapped      = "wrapped"       // a launcher that starts a launcher that starts a stubborn server, like npx
	Stderr       = "stderr"        // 8 MiB of lines on stderr at start; tool flood: {"bytes":N} writes more
	StderrNoLine = "stderr-noline" // the same without one newline
	Changing     = "changing"      // tool change: other tools from now on, and a list_changed
	OddIDs       = "odd-ids"       // tool ask: requests of its own with odd ids, answers nobody asked for
	ErrorZero    = "error-zero"    // every call fails with the error code 0 and an empty message
	OddResults   = "odd"           // a tool for each entry of Odd
	EchoMode     = "echo"          // Echo, the fast one

	sleeper = "sleeper" // what Grandchild starts
)

var modes = map[string]func(*server){
	Good: (*server).serve, Junk: (*server).junk, BOM: (*server).bom, Split: (*server).split, Merged: (*server).merged,
	Big: (*server).big, Never: (*server).never, Deaf: (*server).deaf, Exit: exitAtOnce, ExitEach: (*server).exitEach,
	Stubborn: (*server).stubborn, Grandchild: (*server).grandchild, Wrapped: (*server).wrapped, Stderr: (*server).floodLines,
	StderrNoLine: (*server).floodNoLine, Changing: (*server).changing, OddIDs: (*server).oddIDs, ErrorZero: (*server).errorZero,
	OddResults: (*server).odd, EchoMode: echoMode, sleeper: sleep,
}

// Modes lists every mode.
func Modes() []string {
	all := slices.Sorted(maps.Keys(modes))
	return slices.DeleteFunc(all, func(m string) bool { return m == sleeper })
}

// Maybe turns this process into a server and never returns when Env is set.
// TestMain calls it first.
func Maybe() {
	if mode, ok := os.LookupEnv(Env); ok {
		Main(mode)
	}
}

// Main is the server's life; it ends the process.
func Main(mode string) {
	run, ok := modes[mode]
	if !ok {
		fmt.Fprintf(os.Stderr, "no mode %q (there are %s)\n", mode, strings.Join(Modes(), ", "))
		os.Exit(2)
	}
	run(newServer(os.Stdin, os.Stdout, os.Stderr))
	os.Exit(0)
}

// Command is the environment entry that starts mode; a test adds it to the
// environment of its own executable.
func Command(mode string) string { return Env + "=" + mode }

func exitAtOnce(s *server) {
	fmt.Fprintln(s.errs, "fatal: the license has expired")
	os.Exit(3)
}

func echoMode(s *server) {
	if err := Echo(s.in, s.out); err != nil && err != io.EOF {
		fmt.Fprintln(s.errs, err)
		os.Exit(1)
	}
}
