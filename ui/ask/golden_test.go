package ask

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2/test"

	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGoldens compares every kind with what it looked like when somebody last
// looked: the markup, and the picture in both looks.
func TestGoldens(t *testing.T) {
	for _, id := range sampleIDs() {
		for _, mode := range []look.Mode{look.Dark, look.Light} {
			b := newBench(t, mode)
			p := b.open(sample(id))
			if mode == look.Dark {
				golden(t, id+".xml", []byte(test.RenderToMarkup(p.win.Canvas())))
			}
			picture(t, id+"-"+string(mode)+".png", looktest.Capture(p.win, 1))
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(0, at-200)
		t.Errorf("%s differs; look at the pictures, then renew with -update\ngot  …%s…\nwant …%s…", name, got[from:min(len(got), at+120)], want[from:min(len(want), at+120)])
	}
}

const (
	// tolerance is how much a pixel's parts may differ in sum, of 65535 each, and
	// strays how many of a thousand pixels may differ more: rounding is not the same
	// on all processors.
	tolerance = 3 * 2000
	strays    = 2
)

func picture(t *testing.T, name string, got image.Image) {
	t.Helper()
	got = fewColors(got)
	if *update {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, got); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
		return
	}
	f, err := os.Open(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Errorf("%s is %v, was %v", name, got.Bounds(), want.Bounds())
		return
	}
	off := 0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			r1, g1, b1, _ := got.At(x, y).RGBA()
			r2, g2, b2, _ := want.At(x, y).RGBA()
			if apart(r1, r2)+apart(g1, g2)+apart(b1, b2) > tolerance {
				off++
			}
		}
	}
	if all := got.Bounds().Dx() * got.Bounds().Dy(); off*1000 > all*strays {
		t.Errorf("%s: %d of %d pixels differ; look at it, then renew with -update", name, off, all)
	}
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// fewColors is a picture in its 256 most frequent colours: a third of the bytes,
// and far within tolerance.
func fewColors(img image.Image) image.Image {
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	p := color.Palette{}
	for _, c := range all[:min(256, len(all))] {
		p = append(p, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range all {
		index[c] = uint8(p.Index(c))
	}
	out := image.NewPaletted(b, p)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return out
}
