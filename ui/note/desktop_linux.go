package note

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"github.com/godbus/dbus/v5"

	"bridgekeeper/assets"
	sessionbus "bridgekeeper/ui/bus"
)

const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
	// patience is how long the desktop may take: it is asked off Fyne's goroutine,
	// but a window that goes away waits for it.
	patience = 2 * time.Second
	// maxShown bounds what is remembered of notifications that nobody clicked.
	maxShown = 64
	// maxSignals are clicks that wait to be looked at.
	maxSignals = 16
)

// desktop is a connection to the session bus.
type desktop struct {
	bus    *dbus.Conn
	icon   string // a file of ours; "" for none
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	clicked map[uint32]func() // by the desktop's number
	order   []uint32          // oldest first
}

// connect is nil where there is no session bus. It never starts one.
func connect() *desktop {
	bus, err := sessionbus.Connect()
	if err != nil {
		return nil
	}
	if bus.AddMatchSignal(dbus.WithMatchObjectPath(object), dbus.WithMatchInterface(service)) != nil {
		bus.Close()
		return nil
	}
	d := &desktop{bus: bus, clicked: map[uint32]func(){}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	signals := make(chan *dbus.Signal, maxSignals)
	bus.Signal(signals)
	d.work.Go(func() { d.listen(signals) })
	return d
}

// listen ends when the connection is closed.
func (d *desktop) listen(signals <-chan *dbus.Signal) {
	for s := range signals {
		if len(s.Body) < 1 {
			continue
		}
		id, _ := s.Body[0].(uint32)
		switch s.Name {
		case service + ".ActionInvoked":
			if f := d.take(id); f != nil {
				fyne.Do(f)
			}
		case service + ".NotificationClosed":
			d.take(id)
		}
	}
}

// take forgets a notification.
func (d *desktop) take(id uint32) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.clicked[id]
	delete(d.clicked, id)
	return f
}

func (d *desktop) keep(id uint32, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clicked[id] = f
	d.order = append(d.order, id)
	if len(d.order) > maxShown {
		delete(d.clicked, d.order[0])
		d.order = d.order[1:]
	}
}

// markup is how the text of a notification is kept from being read as markup.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// send shows a notification without waiting for the desktop.
func (d *desktop) send(n *fyne.Notification, clicked func()) (gone func(), ok bool) {
	if d.ctx.Err() != nil || !d.bus.Connected() {
		return nil, false
	}
	shown := make(chan uint32, 1)
	d.work.Go(func() {
		defer close(shown)
		ctx, cancel := context.WithTimeout(d.ctx, patience)
		defer cancel()
		hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(2)), "desktop-entry": dbus.MakeVariant("io.github.bridgekeeper.Bridgekeeper")}
		if file := d.iconFile(); file != "" {
			hints["image-path"] = dbus.MakeVariant(file)
		}
		var id uint32
		call := d.bus.Object(service, object).CallWithContext(ctx, service+".Notify", 0, "Bridgekeeper", uint32(0), "",
			n.Title, markup.Replace(n.Content), []string{"default", "Open"}, hints, int32(-1))
		if call.Store(&id) == nil {
			d.keep(id, clicked)
			shown <- id
		}
	})
	return func() {
		d.work.Go(func() {
			id, ok := <-shown
			if !ok || d.ctx.Err() != nil {
				return
			}
			d.take(id)
			ctx, cancel := context.WithTimeout(d.ctx, patience)
			defer cancel()
			d.bus.Object(service, object).CallWithContext(ctx, service+".CloseNotification", 0, id)
		})
	}, true
}

// iconFile writes our icon where the desktop can read it; "" if that fails, and
// there is no icon then.
func (d *desktop) iconFile() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.icon == "" {
		f, err := os.CreateTemp("", "bridgekeeper-*.png")
		if err != nil {
			return ""
		}
		defer f.Close()
		if _, err := f.Write(assets.Tray(assets.TrayAsking, 64)); err != nil {
			os.Remove(f.Name())
			return ""
		}
		d.icon = f.Name()
	}
	return d.icon
}

func (d *desktop) close() {
	d.cancel()
	d.bus.Close()
	d.work.Wait()
	if d.icon != "" {
		os.Remove(d.icon)
	}
}
