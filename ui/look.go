package ui

import (
	"fyne.io/fyne/v2"

	"bridgekeeper/ui/look"
)

// UseTheme makes the app look as the person has chosen.
func UseTheme(app fyne.App) {
	app.Settings().SetTheme(look.NewTheme(look.Mode(app.Preferences().StringWithFallback(prefTheme, string(look.System)))))
}
