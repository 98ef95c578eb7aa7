// Command make draws the pictures in assets from their SVG sources: the tray icon
// in each state and size, the program's icon as PNG and ICO. It is run by `go
// generate ./assets` when a drawing has changed, never by the program.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"

	"bridgekeeper/assets"
)

// Colours of the tray: in the middle, so that they stand out from light and from
// dark panels alike (at least 3:1 on both).
var (
	plain  = "#4A90E2"
	amber  = color.NRGBA{0xD0, 0x83, 0x00, 255}
	red    = color.NRGBA{0xE0, 0x4B, 0x40, 255}
	hollow = "#8A94A6"
)

// grain is how much larger a picture is drawn before it is made smaller.
const grain = 8

// appSizes are those in the program's ICO.
var appSizes = []int{16, 24, 32, 48, 64, 128, 256}

func main() {
	log.SetFlags(0)
	dir, err := os.Getwd()
	if err == nil {
		err = run(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run draws everything into the assets folder dir.
func run(dir string) error {
	for _, state := range assets.TrayStates {
		var sizes [][]byte
		for _, size := range assets.TraySizes {
			img, err := trayIcon(dir, state, size)
			if err != nil {
				return err
			}
			b, err := encode(img)
			if err != nil {
				return err
			}
			sizes = append(sizes, b)
			if err := write(dir, fmt.Sprintf("tray/%s-%d.png", state, size), b); err != nil {
				return err
			}
		}
		if err := write(dir, "tray/"+state+".ico", ico(assets.TraySizes, sizes)); err != nil {
			return err
		}
	}
	if err := pageIcons(dir); err != nil {
		return err
	}
	return appIcon(dir)
}

// pageIcons are the drawn icons with their lines made areas.
func pageIcons(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "drawn", "*.svg"))
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b, err := outline(source)
		if err != nil {
			return fmt.Errorf("outline %s: %w", name, err)
		}
		if err := write(dir, "icons/"+filepath.Base(name), b); err != nil {
			return err
		}
	}
	return nil
}

func appIcon(dir string) error {
	source, err := os.ReadFile(filepath.Join(dir, "app/app.svg"))
	if err != nil {
		return err
	}
	var sizes [][]byte
	for _, size := range append(appSizes, 512) {
		img, err := rasterise(source, size)
		if err != nil {
			return err
		}
		b, err := encode(img)
		if err != nil {
			return err
		}
		sizes = append(sizes, b)
	}
	if err := write(dir, "app/app.png", sizes[len(sizes)-1]); err != nil {
		return err
	}
	return write(dir, "app/app.ico", ico(appSizes, sizes[:len(appSizes)]))
}

// trayIcon is the mark, with a dot on it where the state has one: above for a
// question, below for a failure, so that they differ without colour, too.
func trayIcon(dir, state string, size int) (image.Image, error) {
	file, tint := "app/mark.svg", plain
	if state == assets.TrayPaused {
		file, tint = "app/mark-hollow.svg", hollow
	}
	source, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	img, err := rasterise(bytes.ReplaceAll(source, []byte("currentColor"), []byte(tint)), size)
	if err != nil {
		return nil, err
	}
	switch state {
	case assets.TrayAsking:
		dot(img, 0.77, 0.23, amber)
	case assets.TrayFailed:
		dot(img, 0.77, 0.77, red)
	}
	return img, nil
}

// rasterise draws an SVG much too large and takes means: finer edges than the
// library's own.
func rasterise(source []byte, size int) (*image.NRGBA, error) {
	icon, err := oksvg.ReadIconStream(bytes.NewReader(source))
	if err != nil {
		return nil, err
	}
	large := size * grain
	for i := range icon.SVGPaths { // the library leaves the width of lines as it is
		icon.SVGPaths[i].LineWidth *= float64(large) / icon.ViewBox.W
	}
	icon.SetTarget(0, 0, float64(large), float64(large))
	img := image.NewRGBA(image.Rect(0, 0, large, large))
	icon.Draw(rasterx.NewDasher(large, large, rasterx.NewScannerGV(large, large, img, img.Bounds())), 1)
	return shrink(img, size), nil
}

func shrink(img *image.RGBA, size int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			var r, g, b, a uint32
			for dy := range grain {
				for dx := range grain {
					c := img.RGBAAt(x*grain+dx, y*grain+dy)
					r, g, b, a = r+uint32(c.R), g+uint32(c.G), b+uint32(c.B), a+uint32(c.A)
				}
			}
			n := uint32(grain * grain)
			draw.Draw(out, image.Rect(x, y, x+1, y+1), image.NewUniform(color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)}), image.Point{}, draw.Src)
		}
	}
	return out
}

// dot paints a round spot with a clear ring around it. Place and size are parts
// of the picture's side.
func dot(img *image.NRGBA, cx, cy float64, c color.NRGBA) {
	const radius, ring = 0.23, 0.07
	side := float64(img.Rect.Dx())
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			in, out := 0, 0 // samples in the spot, and out of its ring
			for dy := range grain {
				for dx := range grain {
					px := (float64(x)+(float64(dx)+.5)/grain)/side - cx
					py := (float64(y)+(float64(dy)+.5)/grain)/side - cy
					switch d := px*px + py*py; {
					case d < radius*radius:
						in++
					case d > (radius+ring)*(radius+ring):
						out++
					}
				}
			}
			if out == grain*grain {
				continue
			}
			old := img.NRGBAAt(x, y)
			keep := float64(old.A) * float64(out) / (grain * grain)
			spot := 255 * float64(in) / (grain * grain)
			if a := keep + spot; a > 0 {
				mix := func(o, n uint8) uint8 { return uint8((float64(o)*keep + float64(n)*spot) / a) }
				img.SetNRGBA(x, y, color.NRGBA{mix(old.R, c.R), mix(old.G, c.G), mix(old.B, c.B), uint8(min(a, 255))})
			} else {
				img.SetNRGBA(x, y, color.NRGBA{})
			}
		}
	}
}

func encode(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	err := e.Encode(&b, img)
	return b.Bytes(), err
}

func write(dir, name string, b []byte) error {
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}
