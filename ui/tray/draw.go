//go:build !darwin || cgo

package tray

import (
	"log"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"

	"fyne.io/systray"

	"bridgekeeper/assets"
	"bridgekeeper/ui/bus"
)

// iconPixels is the size of the one picture that trays of D-Bus get: they make it
// smaller, and 48 is twice and thrice the usual ones.
const iconPixels = 48

// icon is the real tray. The library's state is one for the process, so there is
// one icon, too.
type icon struct {
	chosen func(action)
	clicks sync.WaitGroup // one goroutine an item, until the item is gone
	last   face
}

// run shows the icon until end is closed. It takes main's goroutine, which macOS
// wants. ready is called when show may be.
func (c *icon) run(end <-chan struct{}, ready func(), log *slog.Logger) {
	quiet(log)
	if address := bus.Address(os.Getenv); address != "" {
		os.Setenv("DBUS_SESSION_BUS_ADDRESS", address) // or the library starts one
	}
	var ending sync.WaitGroup
	up := make(chan struct{})
	ending.Go(func() {
		<-up
		<-end
		systray.Quit()
	})
	if runtime.GOOS != "darwin" { // there a click opens the menu, whichever button it is
		systray.SetOnTapped(func() { c.chosen(action{Do: doShow, What: "window"}) })
	}
	systray.Run(func() {
		systray.SetTitle("Bridgekeeper")
		close(up)
		ready()
	}, nil)
	ending.Wait()
	systray.ResetMenu()
	c.clicks.Wait()
}

// picture48 is the icon's picture as the library wants it on this system.
func picture48(state string) []byte {
	switch runtime.GOOS {
	case "windows":
		return assets.TrayICO(state)
	case "darwin":
		return assets.Tray(state, iconPixels)
	}
	return straightPNG(assets.Tray(state, iconPixels))
}

// again makes the next show draw icon and tip whatever they were: the library
// loses what is set while it is still joining the desktop's bus, and doesn't tell
// when it has.
func (c *icon) again() { c.last.State, c.last.Tip = "", "" }

// show draws a face: the menu whole, and only what differs from the last one.
func (c *icon) show(f face) {
	if f.State != c.last.State {
		systray.SetIcon(picture48(f.State))
	}
	if f.Tip != c.last.Tip {
		systray.SetTooltip(f.Tip)
	}
	if !same(f.Menu, c.last.Menu) {
		systray.ResetMenu()
		c.add(f.Menu, nil)
	}
	c.last = f
}

func (c *icon) add(items []item, parent *systray.MenuItem) {
	for _, one := range items {
		if one.Label == "" {
			if parent == nil {
				systray.AddSeparator()
			} else {
				parent.AddSeparator()
			}
			continue
		}
		entry := c.entry(one, parent)
		if one.Grey {
			entry.Disable()
		}
		if len(one.Below) > 0 {
			c.add(one.Below, entry)
			continue
		}
		c.clicks.Go(func() {
			for range entry.ClickedCh { // closed when the item is removed
				c.chosen(one.Action)
			}
		})
	}
}

func (c *icon) entry(one item, parent *systray.MenuItem) *systray.MenuItem {
	text := mnemonics.Replace(one.Label)
	switch {
	case parent != nil:
		return parent.AddSubMenuItem(text, one.Tip)
	case one.Box:
		return systray.AddMenuItemCheckbox(text, one.Tip, one.Checked)
	}
	return systray.AddMenuItem(text, one.Tip)
}

// mnemonics doubles the character that would underline the next one.
var mnemonics = map[string]*strings.Replacer{
	"windows": strings.NewReplacer("&", "&&"),
	"darwin":  strings.NewReplacer(),
}[runtime.GOOS]

func init() {
	if mnemonics == nil {
		mnemonics = strings.NewReplacer("_", "__")
	}
}

// quiet sends what the library says to our log: on a terminal it looks like a
// failure that no tray is there yet.
func quiet(to *slog.Logger) {
	log.SetFlags(0)
	log.SetOutput(lines{to})
}

type lines struct{ to *slog.Logger }

func (l lines) Write(p []byte) (int, error) {
	l.to.Debug("tray", "says", strings.TrimSpace(string(p)))
	return len(p), nil
}
