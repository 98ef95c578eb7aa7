//go:build unix

package misbehave

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

func TestIgnoresTheOrderToEnd(t *testing.T) {
	p := start(t, Stubborn)
	p.send(pingLine)
	p.want(pong)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.send(pingLine)
	p.want(pong)
}

func TestGrandchildOutlivesItsParent(t *testing.T) {
	p := start(t, Grandchild)
	p.send(pingLine)
	p.want(pong)
	if code := p.wait(); code != 0 {
		t.Fatalf("the server ended with %d", code)
	}
	m := regexp.MustCompile(`grandchild (\d+)`).FindStringSubmatch(p.errs.String())
	if m == nil {
		t.Fatalf("stderr %q names no grandchild", p.errs)
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	// It runs, ignores SIGTERM and only then, with SIGKILL, the pipe ends.
	for _, sig := range []syscall.Signal{0, syscall.SIGTERM, 0, syscall.SIGKILL} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatalf("signal %d: %v", sig, err)
		}
	}
	if _, err := p.out.ReadByte(); err == nil || os.IsTimeout(err) {
		t.Errorf("after the grandchild's end: %v, want the end of the pipe", err)
	}
}

func TestWrappedServerOutlivesItsLauncher(t *testing.T) {
	p := start(t, Wrapped)
	p.send(pingLine)
	p.want(pong)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	p.send(fmt.Sprint(pingLine))
	p.want(pong)
	p.send(callLine(1, "die", `{}`))
	if _, err := p.out.ReadByte(); err == nil || os.IsTimeout(err) {
		t.Errorf("after the server's end: %v, want the end of the pipe", err)
	}
}
