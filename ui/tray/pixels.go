//go:build !darwin || cgo

package tray

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
)

// The library turns pictures into a tray's pixels by the low byte of each colour
// multiplied by alpha, which is noise at soft edges. It decodes whatever format is
// registered, so ours is a PNG behind a mark that comes out with colours as they
// are: their both bytes are the same.
const straightMark = "bridgekeeper-straight\x00"

func init() {
	image.RegisterFormat("bridgekeeper-straight", straightMark, decodeStraight, func(r io.Reader) (image.Config, error) {
		m, err := decodeStraight(r)
		if err != nil {
			return image.Config{}, err
		}
		return image.Config{ColorModel: m.ColorModel(), Width: m.Bounds().Dx(), Height: m.Bounds().Dy()}, nil
	})
}

// straightPNG marks a PNG for the library.
func straightPNG(data []byte) []byte { return append([]byte(straightMark), data...) }

func decodeStraight(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	m, err := png.Decode(bytes.NewReader(data[min(len(straightMark), len(data)):]))
	if err != nil {
		return nil, err
	}
	return straight{m}, nil
}

// straight is a picture whose colours aren't multiplied by alpha.
type straight struct{ image.Image }

func (s straight) At(x, y int) color.Color {
	return straightColor(color.NRGBAModel.Convert(s.Image.At(x, y)).(color.NRGBA))
}

type straightColor color.NRGBA

// RGBA breaks the rule that colours are multiplied by alpha: see straightMark.
func (c straightColor) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 0x101, uint32(c.G) * 0x101, uint32(c.B) * 0x101, uint32(c.A) * 0x101
}
