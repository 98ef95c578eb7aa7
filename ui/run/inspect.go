//go:build cgo && !headless && inspect

package run

import (
	"encoding/json"
	"net"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

// inspectEnv names a socket on which a build with the tag inspect tells tests
// where its texts are: one JSON value a connection. Nothing can be done through it.
const inspectEnv = "BRIDGEKEEPER_INSPECT"

// seenWindow is a window as a test sees it; places are in pixels of the window.
type seenWindow struct {
	Title string     `json:"title"`
	Texts []seenText `json:"texts"`
}

type seenText struct {
	Text string `json:"text"`
	X    int    `json:"x"`
	Y    int    `json:"y"`
	W    int    `json:"w"`
	H    int    `json:"h"`
}

func (p *process) inspect() {
	path := os.Getenv(inspectEnv)
	if path == "" {
		return
	}
	os.Remove(path)
	l, err := net.Listen("unix", path)
	if err != nil {
		return
	}
	go func() { // ends with the process
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var all []seenWindow
			fyne.DoAndWait(func() { all = p.look() })
			_ = json.NewEncoder(conn).Encode(all)
			conn.Close()
		}
	}()
}

func (p *process) look() (all []seenWindow) {
	for _, w := range p.app.Driver().AllWindows() {
		c := w.Canvas()
		seen := seenWindow{Title: w.Title()}
		roots := append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...)
		for _, root := range roots {
			walk(root, fyne.NewPos(0, 0), func(t *canvas.Text, at fyne.Position) {
				size, k := t.Size(), c.Scale()
				seen.Texts = append(seen.Texts, seenText{t.Text, int(at.X * k), int(at.Y * k), int(size.Width * k), int(size.Height * k)})
			})
		}
		all = append(all, seen)
	}
	return all
}

// walk finds the texts below o that can be seen, with their places in the window.
func walk(o fyne.CanvasObject, at fyne.Position, found func(*canvas.Text, fyne.Position)) {
	if o == nil || !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *canvas.Text:
		if o.Text != "" {
			found(o, at)
		}
	case *fyne.Container:
		below = o.Objects
	case fyne.Widget:
		below = test.WidgetRenderer(o).Objects()
	}
	for _, one := range below {
		walk(one, at, found)
	}
}
