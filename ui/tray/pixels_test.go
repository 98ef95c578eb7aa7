//go:build !darwin || cgo

package tray

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"bridgekeeper/assets"
)

// The icon's soft edges were noise in the tray.
func TestColoursAreThoseOfTheDrawing(t *testing.T) {
	for _, state := range assets.TrayStates {
		want, err := png.Decode(bytes.NewReader(assets.Tray(state, iconPixels)))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := image.Decode(bytes.NewReader(straightPNG(assets.Tray(state, iconPixels))))
		if err != nil {
			t.Fatal(err)
		}
		for y := range want.Bounds().Dy() {
			for x := range want.Bounds().Dx() {
				w := color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA)
				r, g, b, a := got.At(x, y).RGBA() // the library takes the low bytes
				if g := (color.NRGBA{byte(r), byte(g), byte(b), byte(a)}); g != w {
					t.Fatalf("%s at %d,%d: %v, want %v", state, x, y, g, w)
				}
			}
		}
	}
	if _, _, err := image.Decode(bytes.NewReader(straightPNG(nil))); err == nil {
		t.Error("nothing is no picture")
	}
}
