package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// shade is a colour in the dark and in the light look.
type shade struct{ dark, light color.NRGBA }

func rgb(v uint32) color.NRGBA { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

func solid(dark, light uint32) shade { return shade{rgb(dark), rgb(light)} }

// veil is black or white that lets most of what is under it through.
func veil(dark, light uint8) shade {
	return shade{color.NRGBA{255, 255, 255, dark}, color.NRGBA{0, 0, 0, light}}
}

var (
	background   = solid(0x14171C, 0xF7F8FA)
	surface      = solid(0x1B1F26, 0xFFFFFF)
	raised       = solid(0x232833, 0xEEF1F5)
	line         = solid(0x2E3542, 0xDFE3EA)
	text         = solid(0xE6E9EF, 0x1A1F29)
	muted        = solid(0x98A2B3, 0x5B6577)
	accent       = solid(0x5AA2F0, 0x2467B8)
	accentGround = solid(0x1E3350, 0xE3EEFB)
	ready        = solid(0x4FB97C, 0x23804A)
	readyGround  = solid(0x17301F, 0xEEF9F2)
	asking       = solid(0xE8B040, 0x8A5C00) // light: a little darker than the picture's, for 4.5:1 on every ground
	askingGround = solid(0x3A2E14, 0xFFF3D6)
	failed       = solid(0xE5695F, 0xB93A32)
	failedGround = solid(0x3B1F1F, 0xFCE8E6)
	off          = solid(0x667085, 0x8A94A6)
	onColour     = solid(0x10141A, 0xFFFFFF) // text on accent, ready, asking, failed
)

// palette is every colour of the design by the name under which Fyne's widgets
// and ours ask for it.
var palette = map[fyne.ThemeColorName]shade{
	ColorMuted:        muted,
	ColorOff:          off,
	ColorSurface:      surface,
	ColorRaised:       raised,
	ColorAccentGround: accentGround,
	ColorAskingGround: askingGround,
	ColorFailedGround: failedGround,
	ColorReadyGround:  readyGround,

	theme.ColorNameBackground:          background,
	theme.ColorNameForeground:          text,
	theme.ColorNamePrimary:             accent,
	theme.ColorNameHyperlink:           accent,
	theme.ColorNameSuccess:             ready,
	theme.ColorNameWarning:             asking,
	theme.ColorNameError:               failed,
	theme.ColorNameForegroundOnPrimary: onColour,
	theme.ColorNameForegroundOnSuccess: onColour,
	theme.ColorNameForegroundOnWarning: onColour,
	theme.ColorNameForegroundOnError:   onColour,
	theme.ColorNameButton:              raised,
	theme.ColorNameDisabledButton:      raised,
	theme.ColorNameDisabled:            off,
	theme.ColorNamePlaceHolder:         muted,
	theme.ColorNameInputBackground:     surface,
	theme.ColorNameInputBorder:         line,
	theme.ColorNameSeparator:           line,
	theme.ColorNameSelection:           accentGround,
	theme.ColorNameMenuBackground:      raisedMenu,
	theme.ColorNameOverlayBackground:   surface,
	theme.ColorNameHeaderBackground:    surface,
	theme.ColorNameHover:               veil(0x12, 0x0C),
	theme.ColorNamePressed:             veil(0x20, 0x18),
	theme.ColorNameFocus:               shade{color.NRGBA{0x5A, 0xA2, 0xF0, 0x48}, color.NRGBA{0x24, 0x67, 0xB8, 0x30}},
	theme.ColorNameScrollBar:           veil(0x50, 0x48),
	theme.ColorNameScrollBarBackground: veil(0, 0),
	theme.ColorNameShadow:              shade{color.NRGBA{0, 0, 0, 0x70}, color.NRGBA{0, 0, 0, 0x30}},
}

var raisedMenu = solid(0x232833, 0xFFFFFF)
