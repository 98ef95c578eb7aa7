package supervisor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bridgekeeper/supervisor/proc"
)

// The test binary is also the children and the watcher.
func TestMain(m *testing.M) {
	if proc.RunWatcherIfAsked() {
		return
	}
	if mode := os.Getenv("TEST_CHILD"); mode != "" {
		child(mode)
		return
	}
	os.Exit(m.Run())
}

// child is a server of a trivial line protocol, misbehaving as told by mode, a
// comma-separated list.
func child(mode string) {
	var run string
	for _, m := range strings.Split(mode, ",") {
		word, arg, _ := strings.Cut(m, "=")
		switch word {
		case "ignore-term":
			signal.Ignore(syscall.SIGTERM)
		case "say":
			fmt.Fprintln(os.Stderr, arg)
		case "stray":
			fmt.Println(arg)
		case "exit":
			n, _ := strconv.Atoi(arg)
			os.Exit(n)
		case "env":
			fmt.Fprintln(os.Stderr, arg+"="+os.Getenv(arg))
		case "grandchild": // keeps our stdout and stderr
			fork("TEST_CHILD=sleep", false)
		case "stubborn": // ignores everything and left the session
			fork("TEST_CHILD=ignore-term,sleep", true)
		case "flood":
			block := strings.Repeat(strings.Repeat("x", 79)+arg2(arg), 1000)
			go func() {
				for {
					os.Stderr.WriteString(block)
				}
			}()
		default:
			run = word
		}
	}
	switch run {
	case "core":
		core()
	case "sleep":
		<-time.After(time.Hour)
	case "deaf": // answers the greeting, then never reads again
		bufio.NewReaderSize(os.Stdin, 16).ReadString('\n')
		fmt.Println("welcome")
		<-time.After(time.Hour)
	case "silent":
		io.Copy(io.Discard, os.Stdin)
		<-time.After(time.Hour)
	case "close-stdout":
		bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println("welcome")
		os.Stdout.Close()
		<-time.After(time.Hour)
	default:
		talk(run == "linger")
	}
}

func arg2(s string) string {
	if s == "lines" {
		return "\n"
	}
	return ""
}

func fork(env string, session bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if session {
		cmd.Stdout, cmd.Stderr = nil, nil
		detach(cmd)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "forked", cmd.Process.Pid)
}

func talk(linger bool) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		verb, arg, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "hello":
			fmt.Println("welcome")
		case "ping":
			fmt.Println("pong")
		case "exit":
			n, _ := strconv.Atoi(arg)
			os.Exit(n)
		default:
			fmt.Println(in.Text())
		}
	}
	if linger {
		<-time.After(time.Hour)
	}
}

// testSpec is a server of the test binary.
func testSpec(tb testing.TB, name, mode string) Spec {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return Spec{
		Server:  name,
		Command: exe,
		Env:     []string{"TEST_CHILD=" + mode, "PATH=" + os.Getenv("PATH"), "GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"},
		Dir:     tb.TempDir(),
	}
}
