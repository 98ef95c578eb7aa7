// Package assets holds what was drawn for Bridgekeeper: the icons as SVG, and the
// pictures made of them for trays and programs. It knows no toolkit and reads no
// file at run time; ui and app/cli take from it what they show. `go generate` in
// this folder makes the pictures anew (make/).
package assets

import (
	"embed"
	"fmt"
	"strings"
)

//go:generate go run ./make

//go:embed icons/*.svg
var icons embed.FS

//go:embed tray/*.png tray/*.ico
var tray embed.FS

// Translations are the words of windows in other languages, by package and
// language: translations/ask.de.json. The English ones are in the code; en.json
// has the forms that English needs besides.
//
//go:embed translations/*.json
var Translations embed.FS

//go:embed app/app.svg
var appSVG []byte

//go:embed app/app.png
var appPNG []byte

// Tray states: what the icon tells.
const (
	TrayPlain  = "plain"  // all is well
	TrayAsking = "asking" // a question waits: an amber dot above
	TrayFailed = "failed" // a server is down for good: a red dot below
	TrayPaused = "paused" // calls are held: hollow
)

// TrayStates are all states of the tray icon.
var TrayStates = []string{TrayPlain, TrayAsking, TrayFailed, TrayPaused}

// TraySizes are the sizes in pixels that each state is drawn in, one by one, so
// that lines stay sharp.
var TraySizes = []int{16, 22, 24, 32, 48, 64}

// Icon is a drawing on 20 by 20 in currentColor, by its name in icons/. A name
// that doesn't exist is a programmer's error.
func Icon(name string) []byte {
	b, err := icons.ReadFile("icons/" + name + ".svg")
	if err != nil {
		panic("assets: no icon " + name)
	}
	return b
}

// Icons are the names of all icons.
func Icons() []string {
	entries, _ := icons.ReadDir("icons") // embedded: it can't fail
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".svg"))
	}
	return names
}

// Tray is the tray icon for a state as PNG: the smallest that has at least so
// many pixels, or the largest.
func Tray(state string, pixels int) []byte {
	size := TraySizes[len(TraySizes)-1]
	for _, s := range TraySizes {
		if s >= pixels {
			size = s
			break
		}
	}
	return trayFile(fmt.Sprintf("%s-%d.png", state, size))
}

// TrayICO is the tray icon for a state in all sizes, as Windows wants it.
func TrayICO(state string) []byte { return trayFile(state + ".ico") }

func trayFile(name string) []byte {
	b, err := tray.ReadFile("tray/" + name)
	if err != nil {
		panic("assets: no tray icon " + name)
	}
	return b
}

// App is the program's icon, as SVG.
func App() []byte { return appSVG }

// AppPNG is the program's icon in 512 by 512 pixels.
func AppPNG() []byte { return appPNG }
