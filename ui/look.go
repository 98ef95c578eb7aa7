package ui

import "fyne.io/fyne/v2"

// UseTheme makes the app look as the person has chosen.
func UseTheme(app fyne.App) {
	app.Settings().SetTheme(newTheme())
}
