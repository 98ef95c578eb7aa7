package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/ui/look"
)

// footTime is how long a line at the bottom stays: as long as a removal can be
// taken back.
const footTime = undoTime

// foot is the line at the bottom of the window that says what happened, with
// what a person may do about it. It belongs to Fyne's goroutine.
type foot struct {
	box    *fyne.Container
	words  *look.Text
	side   *look.Block
	action *look.Button
	close  *look.Button
	shown  int // counts what was said, so that an old timer closes nothing new
	onMove func()
	after  func(time.Duration, func()) // calls back on Fyne's goroutine
}

func newFoot() *foot {
	f := &foot{words: look.Plain(""), side: look.NewBlock(theme.ColorNamePrimary, 0)}
	f.side.Least = fyne.NewSize(3, 3)
	f.action = look.NewButton("", look.Quiet, nil)
	f.close = look.IconButton(look.Icon("close"), lang.L("Close"), f.hide)
	f.after = func(d time.Duration, then func()) { time.AfterFunc(d, func() { fyne.Do(then) }) }
	line := container.NewBorder(look.Rule(), nil, f.side, nil,
		look.Inset(container.NewBorder(nil, nil, nil, look.Across(look.Gap, f.action, f.close), f.words), look.Wide, 6))
	f.box = look.Stack(look.NewBlock(look.ColorRaised, 0), line)
	f.box.Hide()
	return f
}

// say shows a line until footTime has passed; one that is bad stays until it is closed.
func (f *foot) say(text, action string, act func(), bad bool) {
	f.shown++
	f.words.Set(text, "")
	f.side.Paint(theme.ColorNamePrimary, "")
	if bad {
		f.side.Paint(theme.ColorNameError, "")
	}
	f.action.SetText(action)
	f.action.OnTapped = func() {
		f.hide()
		act()
	}
	show(f.action, action != "")
	f.box.Show()
	f.moved()
	if n := f.shown; !bad {
		f.after(footTime, func() {
			if f.shown == n {
				f.hide()
			}
		})
	}
}

func (f *foot) hide() {
	f.shown++
	if f.box.Visible() {
		f.box.Hide()
		f.moved()
	}
}

func (f *foot) moved() {
	if f.onMove != nil {
		f.onMove()
	}
}
