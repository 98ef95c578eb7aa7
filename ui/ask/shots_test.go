package ask

import (
	"image"
	"os"
	"strconv"
	"testing"

	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

// TestShots draws every kind in both looks at three scales, to
// BRIDGEKEEPER_SHOTS if that is set, and checks that something is there and that
// nothing is wider than its window.
func TestShots(t *testing.T) {
	for _, mode := range []look.Mode{look.Dark, look.Light} {
		for _, id := range sampleIDs() {
			b := newBench(t, mode)
			p := b.open(sample(id))
			p.Update(p.q, map[string]int{"call": 2}[id])
			size := p.win.Canvas().Size()
			scales := []float32{1, 1.25, 2}
			if os.Getenv("BRIDGEKEEPER_SHOTS") == "" && mode == look.Dark {
				scales = nil // sizes don't depend on the look; TestGoldens sees the colours
			}
			for _, scale := range scales {
				img := looktest.Capture(p.win, scale)
				if got := img.Bounds().Dx(); got != int(size.Width*scale) {
					t.Errorf("%s at %v is %d wide", id, scale, got)
				}
				if blank(img) {
					t.Errorf("%s at %v is blank", id, scale)
				}
				looktest.Shoot(t, p.win, scale, id+"-"+string(mode)+"-"+strconv.Itoa(int(scale*100)))
			}
			for _, o := range objects(p) {
				if x := b.app.Driver().AbsolutePositionForObject(o).X; o.Visible() && x+o.Size().Width > size.Width+1 {
					t.Errorf("%s: %T goes to %v of %v", id, o, x+o.Size().Width, size.Width)
				}
			}
		}
	}
}

func blank(img image.Image) bool {
	first := img.At(3, 3)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X; x++ {
			if img.At(x, y) != first {
				return false
			}
		}
	}
	return true
}

// TestGerman draws in the other language: its words are longer, and must fit.
func TestGerman(t *testing.T) {
	for _, id := range sampleIDs() {
		b := newBench(t, look.Light)
		looktest.Language(t, "de_DE")
		p := b.open(sample(id))
		p.Update(p.q, 2)
		size := p.win.Canvas().Size()
		if size.Width > width {
			t.Errorf("%s is %v wide", id, size.Width)
		}
		for _, o := range objects(p) {
			if x := b.app.Driver().AbsolutePositionForObject(o).X; o.Visible() && x+o.Size().Width > size.Width+1 {
				t.Errorf("%s: %T goes to %v of %v", id, o, x+o.Size().Width, size.Width)
			}
		}
		looktest.Shoot(t, p.win, 1, id+"-german")
	}
}
