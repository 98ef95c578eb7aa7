package look

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

const (
	// tipDelay is how long the pointer rests before its tip comes.
	tipDelay = 500 * time.Millisecond
	// tipWidth is where a tip's text is broken.
	tipWidth = 420
	// tipLines bounds a tip: it helps to read a line, it isn't a page.
	tipLines = 14
	// tipBytes is what of a text is looked at to break it.
	tipBytes = 4 << 10
)

// tips shows what the pointer rests on, in a layer above a window's content. It
// is no overlay of the canvas: those take the pointer away from what they
// explain. It belongs to Fyne's goroutine.
type tips struct {
	layer *fyne.Container
	of    fyne.CanvasObject
	text  string
	at    fyne.Position
	timer *time.Timer
}

// tipsOf are the layers of open windows, by canvas.
var tipsOf = map[fyne.Canvas]*tips{}

// WithTips puts a layer for tips above a window's content. DropTips forgets it
// when the window is closed.
func WithTips(c fyne.Canvas, content fyne.CanvasObject) fyne.CanvasObject {
	t := &tips{layer: container.NewWithoutLayout()}
	tipsOf[c] = t
	return Stack(content, t.layer)
}

// DropTips forgets a closed window's layer.
func DropTips(c fyne.Canvas) {
	if t := tipsOf[c]; t != nil {
		t.hide()
		delete(tipsOf, c)
	}
}

// ShowTip explains an object under the pointer after a moment.
func ShowTip(o fyne.CanvasObject, text string, at fyne.Position) {
	t := tipsOf[fyne.CurrentApp().Driver().CanvasForObject(o)]
	if t == nil {
		return
	}
	if t.of == o && t.text == text {
		t.at = at
		return
	}
	t.hide()
	t.of, t.text, t.at = o, text, at
	t.timer = time.AfterFunc(tipDelay, func() {
		fyne.Do(func() {
			if t.of == o && t.text == text {
				t.draw()
			}
		})
	})
}

// HideTip ends the tip of an object that the pointer left.
func HideTip(o fyne.CanvasObject) {
	if t := tipsOf[fyne.CurrentApp().Driver().CanvasForObject(o)]; t != nil && t.of == o {
		t.hide()
	}
}

func (t *tips) hide() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.of, t.text = nil, ""
	if len(t.layer.Objects) > 0 {
		t.layer.Objects = nil
		t.layer.Refresh()
	}
}

func (t *tips) draw() {
	size := theme.Size(theme.SizeNameCaptionText)
	text := t.text
	if len(text) > tipBytes {
		text = text[:tipBytes] + "…"
	}
	lines := Break(text, tipWidth, size, fyne.TextStyle{})
	if len(lines) > tipLines {
		lines = append(lines[:tipLines-1:tipLines-1], "…")
	}
	box := canvas.NewRectangle(Color(theme.ColorNameMenuBackground))
	box.StrokeColor, box.StrokeWidth, box.CornerRadius = Color(theme.ColorNameSeparator), 1, Corner
	t.layer.Objects = []fyne.CanvasObject{box}
	const padX, padY = 8, 5
	var whole fyne.Size
	for i, s := range lines {
		line := canvas.NewText(s, Color(theme.ColorNameForeground))
		line.TextSize = size
		line.Move(fyne.NewPos(padX, padY+float32(i)*lead(size)))
		whole.Width = max(whole.Width, line.MinSize().Width)
		t.layer.Objects = append(t.layer.Objects, line)
	}
	whole = whole.AddWidthHeight(2*padX, 2*padY+lead(size)*float32(len(lines)))
	room := t.layer.Size()
	at := t.at.Subtract(fyne.CurrentApp().Driver().AbsolutePositionForObject(t.layer)).AddXY(12, 18)
	at.X = max(0, min(at.X, room.Width-whole.Width-4))
	if at.Y+whole.Height > room.Height-4 {
		at.Y = max(0, at.Y-whole.Height-26) // above the pointer
	}
	for _, o := range t.layer.Objects {
		o.Move(o.Position().Add(at))
	}
	box.Resize(whole)
	t.layer.Refresh()
}
