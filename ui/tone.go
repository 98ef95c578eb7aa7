package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// tone is what a colour means: how something does.
type tone int

const (
	toneOff tone = iota
	toneReady
	toneBusy
	toneAsking
	toneFailed
)

// color is a tone's colour for dots and words.
func (t tone) color() fyne.ThemeColorName {
	switch t {
	case toneReady:
		return theme.ColorNameSuccess
	case toneBusy:
		return theme.ColorNamePrimary
	case toneAsking:
		return theme.ColorNameWarning
	case toneFailed:
		return theme.ColorNameError
	}
	return colorOff
}

// words is the colour of the words of a state: what is as it should be has none.
func (t tone) words() fyne.ThemeColorName {
	if t == toneReady || t == toneOff {
		return theme.ColorNameForeground
	}
	return t.color()
}

// ground is the colour behind a tag.
func (t tone) ground() fyne.ThemeColorName {
	switch t {
	case toneReady, toneBusy:
		return colorAccentGround
	case toneAsking:
		return colorAskingGround
	case toneFailed:
		return colorFailedGround
	}
	return colorRaised
}
