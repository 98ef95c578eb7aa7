package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"bridgekeeper/assets"
)

// A picture that was not made anew after its drawing changed shows the old one.
func TestPicturesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"icons", "tray"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"app", "drawn"} {
		if err := os.CopyFS(filepath.Join(dir, d), os.DirFS(filepath.Join("..", d))); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, pattern := range []string{"icons/*", "tray/*", "app/*"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			rel, _ := filepath.Rel(dir, name)
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join("..", rel))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what its drawing gives: run go generate ./assets (%v)", rel, err)
			}
			n++
		}
	}
	if n < 60 {
		t.Errorf("only %d pictures", n)
	}
}

func TestTray(t *testing.T) {
	shown := map[string]string{}
	for _, state := range assets.TrayStates {
		for _, size := range assets.TraySizes {
			img, err := png.Decode(bytes.NewReader(assets.Tray(state, size)))
			if err != nil || img.Bounds().Dx() != size {
				t.Fatalf("%s at %d: %v, %v", state, size, img, err)
			}
			clear := 0
			for y := range size {
				for x := range size {
					if _, _, _, a := img.At(x, y).RGBA(); a == 0 {
						clear++
					}
				}
			}
			if share := float64(clear) / float64(size*size); share < 0.15 || share > 0.8 {
				t.Errorf("%s at %d: %.2f of it is clear", state, size, share)
			}
		}
		b := string(assets.Tray(state, 16))
		if other, ok := shown[b]; ok {
			t.Errorf("%s looks like %s", state, other)
		}
		shown[b] = state
		if ico := assets.TrayICO(state); len(ico) < 6 || int(ico[4]) != len(assets.TraySizes) {
			t.Errorf("the ICO of %s holds %d sizes", state, ico[4])
		}
	}
	if img, _ := png.Decode(bytes.NewReader(assets.Tray(assets.TrayPlain, 500))); img.Bounds().Dx() != 64 {
		t.Error("what is larger than all isn't the largest")
	}
	if img, err := png.Decode(bytes.NewReader(assets.AppPNG())); err != nil || img.Bounds().Dx() != 512 {
		t.Error("the program's icon isn't 512 pixels wide", err)
	}
}
