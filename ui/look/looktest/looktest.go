// Package looktest helps tests of what is under ui to draw windows without a
// display: in both looks, at any scale, and to files that a person can look at.
// Only tests use it.
package looktest

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/ui/look"
)

// shots is the variable that names a folder for pictures.
const shots = "BRIDGEKEEPER_SHOTS"

// Language makes windows speak a language for the length of a test.
func Language(t testing.TB, language string) {
	t.Helper()
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"} {
		old, had := os.LookupEnv(name)
		os.Setenv(name, language+".UTF-8")
		t.Cleanup(func() {
			if had {
				os.Setenv(name, old)
			} else {
				os.Unsetenv(name)
			}
		})
	}
	if err := look.Translate(); err != nil {
		t.Fatal(err)
	}
}

// App is an app in a look that speaks English, for the length of a test.
func App(t testing.TB, mode look.Mode) fyne.App {
	t.Helper()
	Language(t, "en_GB")
	app := test.NewTempApp(t)
	app.Settings().SetTheme(look.NewTheme(mode))
	return app
}

// Window is a window with content of a size.
func Window(t testing.TB, content fyne.CanvasObject, size fyne.Size) fyne.Window {
	t.Helper()
	w := test.NewTempWindow(t, content)
	w.SetPadded(false)
	w.Resize(size)
	return w
}

// Capture draws a window as it would be on a screen of a scale.
func Capture(w fyne.Window, scale float32) image.Image {
	c := w.Canvas()
	if s, ok := c.(interface{ SetScale(float32) }); ok {
		size := c.Size()
		s.SetScale(scale)
		w.Resize(size)
	}
	return c.Capture()
}

// Shoot draws a window to a file in the folder that BRIDGEKEEPER_SHOTS names. It
// does nothing without one.
func Shoot(t testing.TB, w fyne.Window, scale float32, name string) {
	t.Helper()
	dir := os.Getenv(shots)
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, Capture(w, scale)); err != nil {
		t.Fatal(err)
	}
}
