//go:build linux

package desktop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bridgekeeper/app/wire"
	"bridgekeeper/assets"
	"bridgekeeper/test/shipped"
)

const (
	main  = "Bridgekeeper"
	popup = "Bridgekeeper asks"
)

var (
	maple = map[string]any{"room_id": "maple"}
	cedar = map[string]any{"room_id": "cedar"}
)

// ready waits for servers that run.
func (s *session) ready(names ...string) *wire.Snapshot {
	s.t.Helper()
	until(s.t, "a core", func() bool { _, err := s.Status(s.ctx()); return err == nil }, s.log)
	snap, err := s.UntilReady(s.ctx(), names...)
	if err != nil {
		s.t.Fatal(err)
	}
	return snap
}

// armed waits until a pop-up's keys count: its dead time is over when the buttons
// can be used, which nothing on the screen says, so the test waits for the picture
// to have been there for a second by taking pictures.
func (s *session) armed() {
	s.t.Helper()
	s.find(popup, "Deny")
	s.picture("asked")
	s.must("sleep", "1")
}

// The first day: from an empty home to a tool that ran because a person said so.
func TestFirstDay(t *testing.T) {
	s := open(t, desk{})
	tray := newTray(t, s.bus)
	r := s.resident()
	s.untilIcon(tray, assets.TrayPlain)
	s.untilWindow(main)
	s.find(main, "Three steps")
	s.picture("first-run")

	s.click(main, "Add the examples")
	s.ready("rooms", "tickets")
	s.picture("examples")
	s.click(main, "Show my servers")
	s.find(main, "rooms")
	s.picture("servers")

	h := s.host("desk")
	c := s.call(h, "rooms__reboot_room", maple)
	s.untilWindow(popup)
	s.untilIcon(tray, assets.TrayAsking)
	s.find(popup, "reboot_room")
	s.keys("Escape") // too early: it must count for nothing
	s.armed()
	if len(c) > 0 {
		t.Fatal("a key in the dead time was an answer")
	}
	s.keys("Escape")
	s.want("denied", c, true, "")
	s.untilGone(popup)
	s.untilIcon(tray, assets.TrayPlain)

	c = s.call(h, "rooms__reboot_room", maple)
	s.untilWindow(popup)
	s.armed()
	s.click(popup, "Allow once")
	s.want("allowed", c, false, "maple")
	s.untilGone(popup)

	s.form()
	s.killed()
	s.menu(tray, r)
}

// form: a server asks for values, and they are given by keyboard alone.
func (s *session) form() {
	s.t.Helper()
	host := s.host("forms")
	c := s.call(host, "rooms__collect_logs", cedar)
	s.untilWindow(popup)
	s.armed() // collect_logs isn't read-only: its call is asked about first
	s.click(popup, "Allow once")
	s.find(popup, "Send")
	s.must("sleep", "1")
	s.picture("form")
	// The first field has the keyboard: down to its first value, then to the hours.
	s.keys("space", "Down", "Return", "Tab", "ctrl+a", "3", "Tab")
	s.picture("form-filled")
	s.click(popup, "Send")
	s.want("the form", c, false, `"hours":3`)
	s.untilGone(popup)
}

// killed: a server that dies again and again gets a card that says why.
func (s *session) killed() {
	s.t.Helper()
	for range 6 {
		snap, err := s.Status(s.ctx())
		if err != nil {
			s.t.Fatal(err)
		}
		one := shipped.Server(snap, "tickets")
		if one.State == "failed" {
			break
		}
		if one.State == "ready" {
			_ = syscall.Kill(one.PID, syscall.SIGKILL)
		}
		if _, err := s.Until(s.ctx(), "the restart", func(now *wire.Snapshot) bool {
			n := shipped.Server(now, "tickets")
			return n.State == "failed" || n.State == "ready" && n.PID != one.PID
		}); err != nil {
			s.t.Fatal(err)
		}
	}
	s.click(main, "tickets")
	s.find(main, "SIGKILL")
	s.picture("why-it-died")
}

// menu: what the tray's menu does.
func (s *session) menu(tray *trayHost, r *running) {
	s.t.Helper()
	s.untilIcon(tray, assets.TrayFailed)
	tray.choose("tickets", "Start")
	s.ready("tickets")
	s.untilIcon(tray, assets.TrayPlain)

	tray.choose("", "Hold everything")
	s.untilIcon(tray, assets.TrayPaused)
	s.picture("held")
	until(s.t, "the box", func() bool { e, ok := tray.find("", "Hold everything"); return ok && e.checked }, tray.text)
	tray.choose("", "Hold everything")
	s.untilIcon(tray, assets.TrayPlain)

	tray.choose("rooms", "Stop")
	if _, err := s.Until(s.ctx(), "the stop", func(now *wire.Snapshot) bool { return shipped.Server(now, "rooms").State == "stopped" }); err != nil {
		s.t.Fatal(err)
	}
	tray.choose("rooms", "Start")
	s.ready("rooms")
	tray.choose("rooms", "Its log")
	s.find(main, "Search")
	s.picture("log")

	// A question is raised from the menu, and is still there afterwards.
	c := s.call(s.host("asker"), "rooms__reboot_room", maple)
	s.untilWindow(popup)
	tray.choose("", "asker wants to use reboot_room")
	s.armed()
	s.keys("Escape")
	s.want("denied", c, true, "")
	s.untilGone(popup)

	s.keys("alt+F4")
	s.untilGone(main)
	tray.choose("", "Copy the address")
	snap := s.ready("rooms")
	until(s.t, "the address on the clipboard", func() bool { return s.clipboard() == snap.Core.URL }, s.log)
	tray.choose("", "Connect an application")
	s.untilWindow(main)
	s.picture("hosts")

	tree, err := shipped.Tree(s.PID)
	if err != nil {
		s.t.Fatal(err)
	}
	tray.choose("", "Quit (stops 2 servers)")
	r.untilEnd(s.t)
	if r.err != nil {
		s.t.Errorf("quit: %v\n%s", r.err, r.out)
	}
	if err := shipped.UntilGone(s.ctx(), patience, tree, s.Home); err != nil {
		s.t.Error(err)
	}
}

// clipboard is what a person would paste.
func (s *session) clipboard() string {
	out, _ := s.do("xclip", "-selection", "clipboard", "-o")
	return out
}

// A window that dies in the middle of a question denies it, and nothing else ends.
func TestWindowDies(t *testing.T) {
	s := open(t, desk{})
	newTray(t, s.bus)
	s.config(`{"mcpServers": {"rooms": {"command": "` + s.Bin + `", "args": ["example", "rooms"]}}}`)
	s.resident("tray", "--quiet")
	before := s.ready("rooms")
	h := s.host("desk")
	c := s.call(h, "rooms__reboot_room", maple)
	s.untilWindow(popup)
	out, err := exec.Command("pgrep", "-P", itoa(s.PID), "-f", "window -secret").Output()
	if err != nil {
		t.Fatalf("no window process below %d", s.PID)
	}
	_ = syscall.Kill(atoi(t, strings.TrimSpace(string(out))), syscall.SIGKILL)
	s.want("denied", c, true, "")
	after := s.ready("rooms")
	if shipped.Server(before, "rooms").PID != shipped.Server(after, "rooms").PID {
		t.Error("the server was started again")
	}
	record, err := s.CLI(s.ctx(), "activity", "--json")
	if err != nil || !strings.Contains(record, "window") {
		t.Errorf("the record doesn't say why: %v\n%s", err, record)
	}
	// The next question gets a window of its own.
	c = s.call(h, "rooms__reboot_room", maple)
	s.untilWindow(popup)
	s.armed()
	s.keys("Escape")
	s.want("denied", c, true, "")
}

// Without a tray the window comes, and says so; a tray that comes late is found.
func TestLateTray(t *testing.T) {
	s := open(t, desk{})
	s.resident("tray", "--quiet")
	s.untilWindow(main)
	s.find(main, "This desktop has no tray")
	s.picture("no-tray")
	tray := newTray(t, s.bus)
	s.untilIcon(tray, assets.TrayPlain)
}

func TestNoBus(t *testing.T) {
	s := open(t, desk{noBus: true})
	r := s.resident("tray", "--quiet")
	s.untilWindow(main)
	s.find(main, "This desktop has no tray")
	s.keys("alt+F4")
	s.untilGone(main)
	// A second launch brings the window of the first back.
	again := s.start(s.Bin)
	again.untilEnd(t)
	if again.err != nil {
		t.Errorf("second launch: %v\n%s", again.err, again.out)
	}
	s.untilWindow(main)
	r.end(syscall.SIGTERM)
	if r.err != nil || strings.Contains(r.out.String(), "panic") {
		t.Errorf("end: %v\n%s", r.err, r.out)
	}
}

func TestNoDisplay(t *testing.T) {
	s := open(t, desk{noDisplay: true, noBus: true})
	r := s.resident()
	r.untilEnd(t)
	if r.err == nil || !strings.Contains(r.out.String(), "There is no display here") || !strings.Contains(r.out.String(), "bridgekeeper serve") {
		t.Errorf("%v\n%s", r.err, r.out)
	}
}

// A core that runs already gets the icon, and lives on when that is removed.
func TestCoreRunsAlready(t *testing.T) {
	s := open(t, desk{})
	tray := newTray(t, s.bus)
	core := s.start(s.Bin, "serve", "--examples")
	s.ready("rooms")
	r := s.resident("tray", "--quiet")
	s.untilIcon(tray, assets.TrayPlain)
	tray.choose("", "Remove this icon")
	r.untilEnd(t)
	s.ready("rooms")
	// The other way round: the core ends, and the icon can start one.
	r = s.resident("tray", "--quiet")
	s.untilIcon(tray, assets.TrayPlain)
	core.end(syscall.SIGTERM)
	s.untilIcon(tray, assets.TrayFailed)
	tray.choose("", "Start it")
	snap := s.ready("rooms")
	if snap.Core.PID != r.cmd.Process.Pid {
		t.Errorf("the core is %d, the tray %d", snap.Core.PID, r.cmd.Process.Pid)
	}
	tray.choose("", "Quit")
	r.untilEnd(t)
	if r.err != nil {
		t.Error(r.err, r.out)
	}
}

func (s *session) config(text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.Home, "bridgekeeper.json"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}
