package keychain_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

const secretsName = "org.freedesktop.secrets"

// session is a private D-Bus session: its own bus, home and runtime folder.
type session struct {
	t       *testing.T
	dir     string
	bus     *exec.Cmd
	keyring *exec.Cmd
}

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=%s</listen>
  <auth>EXTERNAL</auth>
  <servicedir>%s</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// needKeyring skips where the programs are missing, except in CI: there a hole
// in the tests would go unseen.
func needKeyring(t *testing.T) {
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing; packaging/setup.sh test installs it", program)
			}
			t.Skipf("SKIPPED: no real keychain was tested: %s is missing (apt-get install dbus gnome-keyring)", program)
		}
	}
}

// startSession starts a bus that is reached through the environment of this
// process, so tests that use it can't be parallel.
func startSession(t *testing.T) *session {
	needKeyring(t)
	dir, err := os.MkdirTemp("", "bk") // short: a socket's path has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &session{t: t, dir: dir}
	for _, sub := range []string{"home", "run", "services"} {
		if err := os.Mkdir(s.path(sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", s.path("home"))
	t.Setenv("XDG_RUNTIME_DIR", s.path("run"))
	t.Setenv("XDG_DATA_HOME", "")
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "GNOME_KEYRING_CONTROL"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	config := s.path("bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, s.path("run"), s.path("services")), 0o600); err != nil {
		t.Fatal(err)
	}
	s.bus = exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	out, err := s.bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.bus.Process.Kill()
		s.bus.Wait()
		t.Fatalf("read the address of the bus: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	t.Cleanup(s.end) // before the variable is set back
	return s
}

func (s *session) path(name string) string { return filepath.Join(s.dir, name) }

// end stops the bus, and waits until go-keyring's connection, which it shares
// with the whole process, has noticed.
func (s *session) end() {
	shared, err := dbus.SessionBus()
	s.stopKeyring()
	s.bus.Process.Kill()
	s.bus.Wait()
	if err == nil {
		<-shared.Context().Done()
	}
}

// startKeyring starts gnome-keyring, unlocked by a password unless that is "".
func (s *session) startKeyring(password string) {
	s.t.Helper()
	args := []string{"--foreground", "--components=secrets"}
	if password != "" {
		args = append(args, "--unlock")
	}
	s.keyring = exec.Command("gnome-keyring-daemon", args...)
	s.keyring.Stdin = strings.NewReader(password)
	appeared := s.owner(true)
	if err := s.keyring.Start(); err != nil {
		s.t.Fatal(err)
	}
	appeared()
}

func (s *session) stopKeyring() {
	if s.keyring == nil {
		return
	}
	vanished := s.owner(false)
	s.keyring.Process.Kill()
	s.keyring.Wait()
	s.keyring = nil
	vanished()
}

// The desktop's own tools give passwords without a dialog by this interface.
const internalFace = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface."

const loginCollection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")

// unlockKeyring gives a running daemon the password.
func (s *session) unlockKeyring(password string) {
	s.t.Helper()
	s.withPassword(password, func(service dbus.BusObject, secret any) error {
		return service.Call(internalFace+"UnlockWithMasterPassword", 0, loginCollection, secret).Err
	})
}

// makeKeyring gives a daemon that has none a default keyring.
func (s *session) makeKeyring(password string) {
	s.t.Helper()
	s.withPassword(password, func(service dbus.BusObject, secret any) error {
		label := map[string]dbus.Variant{"org.freedesktop.Secret.Collection.Label": dbus.MakeVariant("Personal")}
		var path dbus.ObjectPath
		if err := service.Call(internalFace+"CreateWithMasterPassword", 0, label, secret).Store(&path); err != nil {
			return err
		}
		return service.Call("org.freedesktop.Secret.Service.SetAlias", 0, "default", path).Err
	})
}

func (s *session) withPassword(password string, use func(service dbus.BusObject, secret any) error) {
	s.t.Helper()
	conn := s.connect()
	defer conn.Close()
	service := conn.Object(secretsName, "/org/freedesktop/secrets")
	var out dbus.Variant
	secret := struct {
		Session           dbus.ObjectPath
		Parameters, Value []byte
		ContentType       string
	}{Parameters: []byte{}, Value: []byte(password), ContentType: "text/plain"}
	err := service.Call("org.freedesktop.Secret.Service.OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&out, &secret.Session)
	if err == nil {
		err = use(service, secret)
	}
	if err != nil {
		s.t.Fatalf("give the password: %v", err)
	}
}

// lockKeyring locks all that is open.
func (s *session) lockKeyring() {
	s.t.Helper()
	conn := s.connect()
	defer conn.Close()
	service := conn.Object(secretsName, "/org/freedesktop/secrets")
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	call := service.Call("org.freedesktop.Secret.Service.Lock", 0, []dbus.ObjectPath{loginCollection})
	if err := call.Store(&locked, &prompt); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) connect() *dbus.Conn {
	s.t.Helper()
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err == nil {
		err = conn.Auth(nil)
	}
	if err == nil {
		err = conn.Hello()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// owner listens from now on; what it returns waits until the name of the Secret
// Service has an owner, or none.
func (s *session) owner(wanted bool) (wait func()) {
	s.t.Helper()
	conn := s.connect()
	signals := make(chan *dbus.Signal, 64)
	conn.Signal(signals)
	if err := conn.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, secretsName)); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		defer conn.Close()
		for {
			var owned bool
			if err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, secretsName).Store(&owned); err != nil {
				s.t.Fatal(err)
			}
			if owned == wanted {
				return
			}
			<-signals
		}
	}
}
