//go:build linux

package desktop

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemName    = "org.kde.StatusNotifierItem"
	menuName    = "com.canonical.dbusmenu"
)

// trayHost is a desktop's tray, for one icon.
type trayHost struct {
	t   *testing.T
	bus *dbus.Conn

	mu    sync.Mutex
	owner string
	path  dbus.ObjectPath
}

// RegisterStatusNotifierItem and RegisterStatusNotifierHost are for the bus.
func (h *trayHost) RegisterStatusNotifierItem(sender dbus.Sender, what string) *dbus.Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.owner, h.path = what, "/StatusNotifierItem"
	if strings.HasPrefix(what, "/") {
		h.owner, h.path = string(sender), dbus.ObjectPath(what)
	}
	return nil
}

func (h *trayHost) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

// newTray makes the session have a tray from now on.
func newTray(t *testing.T, address string) *trayHost {
	t.Helper()
	bus, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	h := &trayHost{t: t, bus: bus}
	is := func(v any) *prop.Prop { return &prop.Prop{Value: v, Emit: prop.EmitTrue} }
	if _, err := prop.Export(bus, watcherPath, prop.Map{watcherName: {
		"RegisteredStatusNotifierItems": is([]string{}), "IsStatusNotifierHostRegistered": is(true), "ProtocolVersion": is(int32(0))}}); err != nil {
		t.Fatal(err)
	}
	if err := bus.Export(h, watcherPath, watcherName); err != nil {
		t.Fatal(err)
	}
	if reply, err := bus.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("be the tray: %v, %v", reply, err)
	}
	return h
}

// item is the icon, once it has come.
func (h *trayHost) item() (dbus.BusObject, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.owner == "" {
		return nil, false
	}
	return h.bus.Object(h.owner, h.path), true
}

// entry is one line of the menu.
type entry struct {
	id      int32
	label   string
	grey    bool
	checked bool
	depth   int
}

// menu reads the whole menu; nil while there is none.
func (h *trayHost) menu() (all []entry) {
	item, ok := h.item()
	if !ok {
		return nil
	}
	v, err := item.GetProperty(itemName + ".Menu")
	if err != nil {
		return nil
	}
	path, _ := v.Value().(dbus.ObjectPath)
	object := h.bus.Object(item.Destination(), path)
	type node struct {
		ID    int32
		Props map[string]dbus.Variant
		Below []dbus.Variant
	}
	var walk func(n node, depth int)
	walk = func(n node, depth int) {
		label, _ := n.Props["label"].Value().(string)
		on, given := n.Props["enabled"].Value().(bool)
		state, _ := n.Props["toggle-state"].Value().(int32)
		if label != "" {
			all = append(all, entry{n.ID, strings.ReplaceAll(label, "__", "_"), given && !on, state == 1, depth})
		}
		for _, b := range n.Below {
			var one node
			if parts, ok := b.Value().([]any); ok && dbus.Store(parts, &one.ID, &one.Props, &one.Below) == nil {
				walk(one, depth+1)
			}
		}
	}
	for range 2 { // the library shows the first caller the upper level alone
		all = nil
		var revision uint32
		var root node
		if object.Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root) != nil {
			return nil
		}
		walk(root, 0)
	}
	return all
}

func (h *trayHost) text() string {
	var b strings.Builder
	for _, e := range h.menu() {
		fmt.Fprintf(&b, "%s%s grey=%v checked=%v\n", strings.Repeat("  ", e.depth), e.label, e.grey, e.checked)
	}
	return b.String()
}

// find is the entry of a label, below the entry of another unless that is "".
func (h *trayHost) find(under, label string) (entry, bool) {
	inside := under == ""
	for _, e := range h.menu() {
		if under != "" && e.depth == 1 {
			inside = strings.HasPrefix(e.label, under)
		}
		if inside && strings.HasPrefix(e.label, label) {
			return e, true
		}
	}
	return entry{}, false
}

// choose clicks an entry, when it is there and may be chosen.
func (h *trayHost) choose(under, label string) {
	h.t.Helper()
	var e entry
	until(h.t, "the menu's entry "+under+" "+label, func() bool {
		var ok bool
		e, ok = h.find(under, label)
		return ok && !e.grey
	}, h.text)
	item, _ := h.item()
	v, err := item.GetProperty(itemName + ".Menu")
	if err != nil {
		h.t.Fatal(err)
	}
	call := h.bus.Object(item.Destination(), v.Value().(dbus.ObjectPath)).
		Call(menuName+".Event", 0, e.id, "clicked", dbus.MakeVariant(int32(0)), uint32(time.Now().Unix()))
	if call.Err != nil {
		h.t.Fatal(call.Err)
	}
}

// icon is the picture in the tray.
func (h *trayHost) icon() *image.NRGBA {
	item, ok := h.item()
	if !ok {
		return nil
	}
	v, err := item.GetProperty(itemName + ".IconPixmap")
	if err != nil {
		return nil
	}
	var maps []struct {
		W, H int32
		Pix  []byte
	}
	if v.Store(&maps) != nil || len(maps) == 0 || maps[0].W == 0 {
		return nil
	}
	m := maps[0]
	out := image.NewNRGBA(image.Rect(0, 0, int(m.W), int(m.H)))
	for k := range int(m.W * m.H) {
		p := m.Pix[4*k:]
		out.SetNRGBA(k%int(m.W), k/int(m.W), color.NRGBA{p[1], p[2], p[3], p[0]})
	}
	return out
}
