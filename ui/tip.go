package ui

import (
	"strings"
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
	tipLines = 12
)

// tips shows what the pointer rests on, in a layer above a window's content. It
// is no overlay of the canvas: those take the pointer away from what they explain.
// It belongs to Fyne's goroutine.
type tips struct {
	layer *fyne.Container
	of    fyne.CanvasObject // what the tip explains; nil when there is none
	text  string
	at    fyne.Position
	timer *time.Timer
	delay time.Duration
}

// tipsOf are the tips of each canvas that has a layer for them.
var tipsOf = map[fyne.Canvas]*tips{}

// withTips puts a layer for tips above content.
func withTips(c fyne.Canvas, content fyne.CanvasObject) fyne.CanvasObject {
	t := &tips{layer: container.NewWithoutLayout(), delay: tipDelay}
	tipsOf[c] = t
	return container.NewStack(content, t.layer)
}

func showTip(o fyne.CanvasObject, text string, at fyne.Position) {
	t := tipsOf[fyne.CurrentApp().Driver().CanvasForObject(o)]
	if t == nil {
		return
	}
	if text == "" {
		t.hide()
		return
	}
	if t.of == o && t.text == text {
		t.at = at
		return
	}
	t.hide()
	t.of, t.text, t.at = o, text, at
	if t.delay == 0 {
		t.draw()
		return
	}
	t.timer = time.AfterFunc(t.delay, func() {
		fyne.Do(func() {
			if t.of == o && t.text == text {
				t.draw()
			}
		})
	})
}

func hideTip(o fyne.CanvasObject) {
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
	pad := theme.Size(theme.SizeNameInnerPadding)
	box := canvas.NewRectangle(theme.Color(theme.ColorNameMenuBackground))
	box.StrokeColor, box.StrokeWidth = theme.Color(theme.ColorNameSeparator), 1
	box.CornerRadius = theme.Size(theme.SizeNameInputRadius)
	t.layer.Objects = []fyne.CanvasObject{box}
	var wide, y float32 = 0, pad / 2
	for _, line := range breakText(t.text, tipWidth, size) {
		text := canvas.NewText(line, theme.Color(theme.ColorNameForeground))
		text.TextSize = size
		s := text.MinSize()
		text.Move(fyne.NewPos(pad, y))
		text.Resize(s)
		wide, y = max(wide, s.Width), y+s.Height
		t.layer.Objects = append(t.layer.Objects, text)
	}
	whole := fyne.NewSize(wide+2*pad, y+pad/2)
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

// breakText breaks a text into lines of a width, at blanks where it has any.
func breakText(text string, width, size float32) []string {
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.SplitAfter(paragraph, " ") {
			for fyne.MeasureText(word, size, fyne.TextStyle{}).Width > width { // a path
				head, _ := elide(word, width, size, fyne.TextStyle{})
				head = strings.TrimSuffix(head, "…")
				if head == "" {
					break
				}
				lines = append(lines, strings.TrimSpace(line+head))
				line, word = "", word[len(head):]
			}
			if line != "" && fyne.MeasureText(line+word, size, fyne.TextStyle{}).Width > width {
				lines = append(lines, strings.TrimSpace(line))
				line = ""
			}
			line += word
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	if len(lines) > tipLines {
		lines = append(lines[:tipLines-1], "…")
	}
	return lines
}
