package look

import (
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/assets"
)

// icons keeps one resource for each icon: Fyne caches pictures by it.
var icons sync.Map // name -> fyne.Resource

// Icon is a drawing of ours by its name in assets/icons, in the colour of text.
// One that doesn't exist is a programmer's error.
func Icon(name string) fyne.Resource {
	if r, ok := icons.Load(name); ok {
		return r.(fyne.Resource)
	}
	r, _ := icons.LoadOrStore(name, theme.NewThemedResource(fyne.NewStaticResource(name+".svg", assets.Icon(name))))
	return r.(fyne.Resource)
}

// IconIn is an icon in another colour of the theme.
func IconIn(name string, color fyne.ThemeColorName) fyne.Resource {
	return theme.NewColoredResource(Icon(name), color)
}

// AppIcon is the program's icon.
func AppIcon() fyne.Resource { return fyne.NewStaticResource("bridgekeeper.png", assets.AppPNG()) }
