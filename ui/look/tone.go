package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Tone is what a colour means.
type Tone int

// Tones.
const (
	Off    Tone = iota // doesn't run, or says nothing
	Ready              // as it should be
	Busy               // on its way
	Asking             // wants a person
	Failed             // doesn't work
)

// Color is for a tone's dots and words.
func (t Tone) Color() fyne.ThemeColorName {
	switch t {
	case Ready:
		return theme.ColorNameSuccess
	case Busy:
		return theme.ColorNamePrimary
	case Asking:
		return theme.ColorNameWarning
	case Failed:
		return theme.ColorNameError
	}
	return ColorOff
}

// Words is for text in a tone: what is as it should be has no colour.
func (t Tone) Words() fyne.ThemeColorName {
	if t == Ready || t == Off {
		return theme.ColorNameForeground
	}
	return t.Color()
}

// Ground is what stands behind a tone's words in a tag.
func (t Tone) Ground() fyne.ThemeColorName {
	switch t {
	case Ready:
		return ColorReadyGround
	case Busy:
		return ColorAccentGround
	case Asking:
		return ColorAskingGround
	case Failed:
		return ColorFailedGround
	}
	return ColorRaised
}
