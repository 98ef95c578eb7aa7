package note

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/godbus/dbus/v5"
)

// privateBus is a session bus of the test's own.
func privateBus(t *testing.T) (address string) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("no dbus-daemon")
	}
	cmd := exec.Command(daemon, "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// server is a desktop that shows notifications.
type server struct {
	bus    *dbus.Conn
	shown  chan string
	closed chan uint32
}

// Notify and CloseNotification are for the bus.
func (s *server) Notify(_ string, _ uint32, _, title, text string, actions []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	_, icon := hints["image-path"]
	s.shown <- title + "|" + text + "|" + strings.Join(actions, ",") + "|" + map[bool]string{true: "icon", false: "no icon"}[icon]
	return 7, nil
}

func (s *server) CloseNotification(id uint32) *dbus.Error {
	s.closed <- id
	return nil
}

func newServer(t *testing.T) *server {
	t.Helper()
	address := privateBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	bus, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	s := &server{bus, make(chan string, 4), make(chan uint32, 4)}
	if err := bus.Export(s, object, service); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.RequestName(service, 0); err != nil {
		t.Fatal(err)
	}
	return s
}

func within[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}

func TestClickAndGone(t *testing.T) {
	s := newServer(t)
	n := New(test.NewTempApp(t))
	defer n.Close()
	clicks := make(chan bool, 4)
	gone := n.Send(fyne.NewNotification("Bridgekeeper asks", "a <b> & c"), func() { clicks <- true })
	if got, want := within(t, "the notification", s.shown), "Bridgekeeper asks|a &lt;b&gt; &amp; c|default,Open|icon"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// The number is known a moment after it was shown: click until it is.
	for clicked := false; !clicked; {
		if err := s.bus.Emit(object, service+".ActionInvoked", uint32(7), "default"); err != nil {
			t.Fatal(err)
		}
		select {
		case clicked = <-clicks:
		case <-time.After(20 * time.Millisecond):
		}
	}
	gone()
	if id := within(t, "its end", s.closed); id != 7 {
		t.Errorf("closed %d", id)
	}
}

// Without a desktop that shows notifications nothing is shown, and nothing hangs.
func TestNobodyThere(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", privateBus(t))
	n := New(test.NewTempApp(t))
	gone := n.Send(fyne.NewNotification("a", "b"), func() { t.Error("clicked") })
	gone()
	n.Close()
	n.Close() // twice is no harm
}

func TestNoBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	app := test.NewTempApp(t)
	n := New(app)
	defer n.Close()
	want := fyne.NewNotification("a", "b")
	test.AssertNotificationSent(t, want, func() { n.Send(want, nil)() })
}
