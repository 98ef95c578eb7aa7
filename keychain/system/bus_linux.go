package system

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/godbus/dbus/v5"

	"bridgekeeper/keychain"
)

// Names of the Secret Service, from its specification.
const (
	busName         = "org.freedesktop.secrets"
	servicePath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginPath       = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	noPath          = dbus.ObjectPath("/")
	serviceFace     = "org.freedesktop.Secret.Service"
	collectionFace  = "org.freedesktop.Secret.Collection"
	promptFace      = "org.freedesktop.Secret.Prompt"
	busFace         = "org.freedesktop.DBus"
	propertiesGet   = "org.freedesktop.DBus.Properties.Get"
	nameOwner       = "NameOwnerChanged"
	signalsInFlight = 16 // each only says "look again"
)

// bus asks the Secret Service over a connection of its own: go-keyring's can't
// be interrupted, and takes any signal for its own.
type bus struct {
	mu   sync.Mutex
	conn *dbus.Conn
}

func newLooker(*System) looker { return &bus{} }

func (s *System) leaveProbe() error { return nil }

// connect returns the session's bus; unlike go-keyring it never starts one.
func (b *bus) connect() (*dbus.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	conn, err := dial(context.Background())
	if err == nil {
		b.conn = conn
	}
	return conn, err
}

func dial(ctx context.Context) (*dbus.Conn, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

var (
	errNoService    = errors.New("no secret service")
	errNoCollection = errors.New("no default collection")
)

func (b *bus) state(ctx context.Context) keychain.Status {
	conn, err := b.connect()
	if err != nil {
		return keychain.Status{
			State:  keychain.Missing,
			Reason: "there is no session bus, so no keychain can be reached",
			Hint:   "Log in to a desktop, or " + fileHint,
		}
	}
	path, err := collection(ctx, conn)
	locked := false
	if err == nil {
		locked, err = property[bool](ctx, conn, path, collectionFace, "Locked")
	}
	switch {
	case errors.Is(err, errNoService):
		return keychain.Status{
			State:  keychain.Missing,
			Reason: "no keychain (Secret Service) runs in this session",
			Hint:   "Start GNOME Keyring, KWallet or KeePassXC, or " + fileHint,
		}
	case errors.Is(err, errNoCollection):
		return keychain.Status{
			State:  keychain.Missing,
			Reason: "the keychain (Secret Service) has no default keyring",
			Hint:   "Make one, or unlock: bridgekeeper secret unlock. In KeePassXC open the database.",
		}
	case ctx.Err() != nil:
		return keychain.Status{State: keychain.Locked, Reason: "the keychain doesn't answer", Hint: "It may be waiting for its password."}
	case err != nil:
		return keychain.Status{State: keychain.Missing, Reason: "the keychain (Secret Service) reported an error: " + err.Error(), Hint: "Restart it, or " + fileHint}
	case locked:
		return keychain.Status{State: keychain.Locked, Reason: "the keychain is locked", Hint: "Unlock it: bridgekeeper secret unlock, or in the window."}
	}
	return keychain.Status{State: keychain.Available}
}

// collection finds where items go, by the same rule as go-keyring: the login
// collection, or what the alias default stands for.
func collection(ctx context.Context, conn *dbus.Conn) (dbus.ObjectPath, error) {
	if err := serve(ctx, conn); err != nil {
		return "", err
	}
	paths, err := property[[]dbus.ObjectPath](ctx, conn, servicePath, serviceFace, "Collections")
	if err != nil {
		return "", err
	}
	if slices.Contains(paths, loginPath) {
		return loginPath, nil
	}
	var path dbus.ObjectPath
	if err := conn.Object(busName, servicePath).CallWithContext(ctx, serviceFace+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", err
	}
	if path == noPath {
		return "", errNoCollection
	}
	return path, nil
}

// serve makes sure that somebody owns the name: a bus can start the service, but
// a call to one that it can't start is an error without a type.
func serve(ctx context.Context, conn *dbus.Conn) error {
	daemon := conn.BusObject()
	var owned bool
	if err := daemon.CallWithContext(ctx, busFace+".NameHasOwner", 0, busName).Store(&owned); err != nil || owned {
		return err
	}
	var names []string
	if err := daemon.CallWithContext(ctx, busFace+".ListActivatableNames", 0).Store(&names); err != nil {
		return err
	}
	if !slices.Contains(names, busName) {
		return errNoService
	}
	if err := daemon.CallWithContext(ctx, busFace+".StartServiceByName", 0, busName, uint32(0)).Err; err != nil {
		if ctx.Err() != nil {
			return err
		}
		return errNoService
	}
	return nil
}

func property[T any](ctx context.Context, conn *dbus.Conn, path dbus.ObjectPath, face, name string) (value T, err error) {
	var v dbus.Variant
	if err = conn.Object(busName, path).CallWithContext(ctx, propertiesGet, 0, face, name).Store(&v); err == nil {
		err = v.Store(&value)
	}
	return value, err
}

// unlock has the service ask the person. Where there is no collection at all it
// has one made, which asks for a new password.
func (b *bus) unlock(ctx context.Context) error {
	conn, err := dial(ctx) // of its own: it hears signals, and ends with the dialog
	if err != nil {
		return b.state(ctx).Err()
	}
	defer conn.Close()
	service := conn.Object(busName, servicePath)
	path, err := collection(ctx, conn)
	var prompt dbus.ObjectPath
	switch {
	case err == nil:
		var unlocked []dbus.ObjectPath
		err = service.CallWithContext(ctx, serviceFace+".Unlock", 0, []dbus.ObjectPath{path}).Store(&unlocked, &prompt)
	case errors.Is(err, errNoCollection):
		label := map[string]dbus.Variant{collectionFace + ".Label": dbus.MakeVariant("Login")}
		err = service.CallWithContext(ctx, serviceFace+".CreateCollection", 0, label, "default").Store(&path, &prompt)
	}
	if err == nil && prompt != noPath {
		err = ask(ctx, conn, prompt)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if st := b.state(ctx); st.State != keychain.Available {
		if st.State == keychain.Locked {
			st.Reason = "the keychain is still locked: its dialog was closed, or could not be shown"
			st.Hint = "Unlock it with the desktop's own tool (Passwords and Keys, KWalletManager, KeePassXC)."
		}
		return st.Err()
	}
	return err
}

// ask shows the service's dialog and waits until it is done.
func ask(ctx context.Context, conn *dbus.Conn, prompt dbus.ObjectPath) error {
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(prompt), dbus.WithMatchInterface(promptFace)); err != nil {
		return err
	}
	signals := make(chan *dbus.Signal, signalsInFlight)
	conn.Signal(signals)
	object := conn.Object(busName, prompt)
	if err := object.CallWithContext(ctx, promptFace+".Prompt", 0, "").Err; err != nil {
		return err
	}
	for {
		select {
		case s, open := <-signals:
			if !open || s.Name == promptFace+".Completed" {
				return nil
			}
		case <-ctx.Done():
			object.Go(promptFace+".Dismiss", dbus.FlagNoReplyExpected, nil)
			return context.Cause(ctx)
		}
	}
}

// watch hears everything that the service says, and that it comes and goes.
func (b *bus) watch(ctx context.Context, changed func()) error {
	conn, err := dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	signals := make(chan *dbus.Signal, signalsInFlight)
	conn.Signal(signals)
	for _, match := range [][]dbus.MatchOption{
		{dbus.WithMatchSender(busName)},
		{dbus.WithMatchInterface(busFace), dbus.WithMatchMember(nameOwner), dbus.WithMatchArg(0, busName)},
	} {
		if err := conn.AddMatchSignalContext(ctx, match...); err != nil {
			return err
		}
	}
	for {
		select {
		case _, open := <-signals:
			if !open {
				return errors.New("the session bus closed the connection")
			}
			changed()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
