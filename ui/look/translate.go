package look

import (
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/assets"
)

// Translate makes the words of all windows those of the person's language, where
// we have it. Call it once, before the first window.
func Translate() error { return lang.AddTranslationsFS(assets.Translations, "translations") }
