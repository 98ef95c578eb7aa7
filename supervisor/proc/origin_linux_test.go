package proc

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// A server's own process approved its own question by running our command line.
func TestOrigin(t *testing.T) {
	if o, ok := OriginOf(os.Getppid()); !ok || o.Child || o.Ours {
		t.Errorf("what started us: %+v, %v", o, ok)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if o, ok := OriginOf(child.Process.Pid); !ok || !o.Child || o.Ours {
		t.Errorf("a child: %+v, %v", o, ok)
	}
	child.Process.Kill()
	child.Wait()
	if o, ok := OriginOf(child.Process.Pid); ok {
		t.Errorf("a process that is gone: %+v", o)
	}

	// Away from the group and the parent, but with the mark.
	lost := exec.Command("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!")
	lost.Env = append(os.Environ(), MarkVariable+"=run.server.1")
	out, err := lost.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lost.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	lost.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if o, ok := OriginOf(pid); !ok || !o.Child {
		t.Errorf("a grandchild that lost its parent: %+v, %v", o, ok)
	}

	own := exec.Command(os.Args[0], "-test.run=^TestWaits$")
	own.Env = append(os.Environ(), "BK_WAIT=1")
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	defer own.Wait()
	defer own.Process.Kill()
	if o, ok := OriginOf(own.Process.Pid); !ok || !o.Ours {
		t.Errorf("our own program: %+v, %v", o, ok)
	}
}

// TestWaits is the body of a process of another test.
func TestWaits(t *testing.T) {
	if os.Getenv("BK_WAIT") == "" {
		t.Skip("only as a process of TestOrigin")
	}
	select {}
}
