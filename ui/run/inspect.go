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
			for _, o := range test.LaidOutObjects(root) {
				t, ok := o.(*canvas.Text)
				if !ok || t.Text == "" || !o.Visible() {
					continue
				}
				at, size := p.app.Driver().AbsolutePositionForObject(o), o.Size()
				s := c.Scale()
				seen.Texts = append(seen.Texts, seenText{t.Text, int(at.X * s), int(at.Y * s), int(size.Width * s), int(size.Height * s)})
			}
		}
		all = append(all, seen)
	}
	return all
}
