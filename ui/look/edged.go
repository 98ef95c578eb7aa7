package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// Edged is a box like Box whose side is given, so that it can change its colour.
func Edged(side *Block, content fyne.CanvasObject) *fyne.Container {
	ground := NewBlock(ColorSurface, Corner)
	ground.Stroke = theme.ColorNameSeparator
	return Stack(ground, container.New(edged{3}, side, content))
}
