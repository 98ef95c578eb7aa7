package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/ui/look"
)

// spare keeps the window of an answered question, hidden, for the next one: most
// of the time that a pop-up takes to come goes into making its window. A nil spare
// keeps none.
type spare struct{ win fyne.Window }

// take is a window that nobody sees yet, above others where the system can.
func (s *spare) take(app fyne.App) fyne.Window {
	if s != nil && s.win != nil {
		win := s.win
		s.win = nil
		return win
	}
	win := app.NewWindow(lang.L("Bridgekeeper asks"))
	win.SetIcon(look.AppIcon())
	win.SetPadded(false)
	if w, ok := win.(desktop.Window); ok {
		w.RequestAlwaysOnTop() // before it is shown the first time
	}
	return win
}

// give takes a window off the screen.
func (s *spare) give(win fyne.Window) {
	if s == nil || s.win != nil {
		win.Close()
		return
	}
	win.Hide()
	win.SetContent(container.NewWithoutLayout()) // nothing of the question stays
	win.Canvas().SetOnTypedKey(nil)
	s.win = win
}

// close ends the window that is kept.
func (s *spare) close() {
	if s.win != nil {
		s.win.Close()
		s.win = nil
	}
}

// Warm loads the fonts that pop-ups use, so that the first one needn't. It takes
// a few tenths of a second: call it when nothing waits.
func Warm() {
	for _, style := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}} {
		for _, size := range []fyne.ThemeSizeName{theme.SizeNameText, theme.SizeNameCaptionText, look.SizeTitle, look.SizeControl, look.SizeMono} {
			fyne.MeasureText("Warm ‹→│−“…·”›", theme.Size(size), style)
		}
	}
}
