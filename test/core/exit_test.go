//go:build unix

package core

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

// The exit codes of docs/cli.md, from the real core.
func TestExitCodes(t *testing.T) {
	home := newHome(t)
	core := start(t, home, map[string]string{"good": misbehave.Good, "odd": misbehave.OddResults, "zero": misbehave.ErrorZero})
	cli(t, core, "server", "add", "rooms", "--", bin, "example", "rooms")
	cli(t, core, "server", "add", "off", "--disabled", "--", "x")
	cli(t, core, "server", "add", "nope", "--", "no-such-program-anywhere")
	ready(t, core, "good", "odd", "zero", "rooms")
	until(t, core, "nope has failed", func(s *wire.Snapshot) bool { return shipped.Server(s, "nope").State == "failed" })
	for _, one := range []struct {
		code int
		says string // on stderr
		args string
	}{
		{0, "", "status"},
		{0, "", "status --json"},
		{0, "", "server list"},
		{0, "", "server list --json"},
		{0, "", "server tools good"},
		{0, "", "server logs good"},
		{0, "", "server edit good --cwd /"},
		{0, "", "server restart good"},
		{0, "", "call good echo {}"},
		{0, "", "host add one"},
		{0, "", "host list --json"},
		{0, "", "version"},
		{0, "", "completion bash"},
		{2, "", "server dance good"},
		{2, "", "call good"},
		{2, "", "call good echo {"},
		{2, "", "server add a__b -- x"},
		{2, "", "serve --answers maybe"},
		{4, "no server", "server restart none"},
		{4, "no server", "server remove none"},
		{4, "no server", "call none echo"},
		{4, "no tool", "call good none"},
		{4, "no host", "host remove none"},
		{5, "approval", "call rooms reboot_room {\"room_id\":\"cedar\"}"},
		{6, "", "call odd is_error"},
		{8, "disabled", "server start off"},
		{8, "", "call off echo"},
		{8, "not on the PATH", "call nope echo"},
		{8, "", "call zero echo"},
		{9, "already", "server add good -- x"},
		{9, "already", "host add one"},
		{9, "already running", "serve --port 0"},
		{0, "", "host remove one"},
		{0, "", "server stop good"},
		{8, "stop", "call good echo"},
		{0, "", "server start good"},
		{0, "", "server remove rooms"},
	} {
		code, stderr := exit(t, home, strings.Fields(one.args)...)
		if code != one.code || !strings.Contains(stderr, one.says) {
			t.Errorf("bridgekeeper %s: exit code %d, want %d; stderr: %s", one.args, code, one.code, stderr)
		}
	}
	ready(t, core, "good")
	writeText(t, home, "{ broken")
	until(t, core, "the mistake is seen", func(s *wire.Snapshot) bool { return s.Config.Error != nil })
	if code, stderr := exit(t, home, "server", "add", "late", "--", "x"); code != 7 {
		t.Errorf("a broken config: %d %s", code, stderr)
	}
	if err := core.Stop(); err != nil {
		t.Error(err)
	}
	if code, stderr := exit(t, home, "status"); code != 3 {
		t.Errorf("no core: %d %s", code, stderr)
	}
}

func exit(t *testing.T, home string, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(limit(t), bin, args...)
	cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+home)
	var errs strings.Builder
	cmd.Stderr = &errs
	err := cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), errs.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, errs.String()
}
