package ui

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/ui/look/looktest"
)

var update = flag.Bool("update", false, "write the goldens in testdata anew")

// Each page, from a fixed snapshot, as markup: what stands where, in which colour.
func TestPagesMarkup(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil, sample(), false, WindowSize)
			scene(s)
			golden(t, name+".xml", []byte(test.RenderToMarkup(s.win.Canvas())))
		})
	}
}

// The main pages in both looks, as pictures.
func TestPagesImages(t *testing.T) {
	if raced {
		t.Skip("it takes too long under the race detector")
	}
	for _, name := range []string{"servers", "activity", "hosts"} {
		for _, dark := range []bool{false, true} {
			look := map[bool]string{true: "-dark", false: "-light"}[dark]
			t.Run(name+look, func(t *testing.T) {
				s := newStage(t, nil, sample(), dark, WindowSize)
				scenes()[name](s)
				picture(t, name+look+".png", looktest.Capture(s.win, 1))
			})
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		at := filepath.Join(t.ArtifactDir(), name)
		_ = os.WriteFile(at, got, 0o644) // the difference below is enough to go on with
		t.Errorf("%s isn't what it was; first difference: %s (see %s; -update renews it)", name, firstDifference(got, want), at)
	}
}

func firstDifference(got, want []byte) string {
	a, b := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return "got " + string(bytes.TrimSpace(a[i])) + ", want " + string(bytes.TrimSpace(b[i]))
		}
	}
	return "one of the two ends earlier"
}

// most is what part of the pixels may differ, a little: edges of letters come out
// differently on other processors.
const most = 0.002

func picture(t *testing.T, name string, got image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var data bytes.Buffer
	if err := png.Encode(&data, got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%s is %v, was %v", name, got.Bounds(), want.Bounds())
	}
	other := 0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			r1, g1, b1, _ := got.At(x, y).RGBA()
			r2, g2, b2, _ := want.At(x, y).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				other++
			}
		}
	}
	if part := float64(other) / float64(got.Bounds().Dx()*got.Bounds().Dy()); part > most {
		at := filepath.Join(t.ArtifactDir(), name)
		_ = os.WriteFile(at, data.Bytes(), 0o644) // for eyes
		t.Errorf("%.2f %% of %s are different (see %s; -update renews it)", part*100, name, at)
	}
}

func far(a, b uint32) bool { return max(a, b)-min(a, b) > 0x2000 }

// Text at twice its size left so little room that a page could not be drawn. The
// first size is the least that a window has.
func TestAnySize(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil, sample(), true, WindowSize)
			scene(s)
			for _, size := range []fyne.Size{{Width: 420, Height: 320}, {Width: 700, Height: 300}, {Width: 1600, Height: 1000}} {
				s.win.Resize(size)
				if !raced {
					s.win.Canvas().Capture()
				}
				for _, o := range s.shown() {
					if o.Size().Width < 0 || o.Size().Height < 0 {
						t.Errorf("%v: a %T is %v", size, o, o.Size())
					}
				}
			}
		})
	}
}
