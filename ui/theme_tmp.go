package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

const (
	colorMuted        fyne.ThemeColorName = "muted"
	colorOff          fyne.ThemeColorName = "off"
	colorSurface      fyne.ThemeColorName = "surface"
	colorRaised       fyne.ThemeColorName = "raised"
	colorAccentGround fyne.ThemeColorName = "accentGround"
	colorAskingGround fyne.ThemeColorName = "askingGround"
	colorFailedGround fyne.ThemeColorName = "failedGround"
)

type tmpTheme struct{ fyne.Theme }

func newTheme() fyne.Theme { return tmpTheme{theme.DefaultTheme()} }

func hex(v uint32) color.Color { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

var tmpColors = map[fyne.ThemeColorName][2]uint32{
	theme.ColorNameBackground: {0x14171C, 0xF7F8FA}, colorSurface: {0x1B1F26, 0xFFFFFF}, colorRaised: {0x232833, 0xEEF1F5},
	theme.ColorNameSeparator: {0x2E3542, 0xDFE3EA}, theme.ColorNameForeground: {0xE6E9EF, 0x1A1F29}, colorMuted: {0x98A2B3, 0x5B6577},
	theme.ColorNamePrimary: {0x5AA2F0, 0x2467B8}, colorAccentGround: {0x1E3350, 0xE3EEFB}, theme.ColorNameSuccess: {0x4FB97C, 0x23804A},
	theme.ColorNameWarning: {0xE8B040, 0x9A6700}, colorAskingGround: {0x3A2E14, 0xFFF3D6}, theme.ColorNameError: {0xE5695F, 0xB93A32}, colorFailedGround: {0x3B1F1F, 0xFCE8E6},
	colorOff: {0x667085, 0x8A94A6}, theme.ColorNameButton: {0x232833, 0xEEF1F5}, theme.ColorNameInputBackground: {0x1B1F26, 0xFFFFFF},
	theme.ColorNameInputBorder: {0x2E3542, 0xDFE3EA}, theme.ColorNameSelection: {0x1E3350, 0xE3EEFB}, theme.ColorNameHover: {0x1B1F26, 0xEEF1F5},
	theme.ColorNameMenuBackground: {0x232833, 0xFFFFFF}, theme.ColorNameOverlayBackground: {0x1B1F26, 0xFFFFFF}, theme.ColorNamePlaceHolder: {0x98A2B3, 0x5B6577},
	theme.ColorNameHyperlink: {0x5AA2F0, 0x2467B8}, theme.ColorNameForegroundOnPrimary: {0x14171C, 0xFFFFFF},
}

func (t tmpTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if c, ok := tmpColors[n]; ok {
		if v == theme.VariantDark {
			return hex(c[0])
		}
		return hex(c[1])
	}
	return t.Theme.Color(n, v)
}

func (t tmpTheme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case theme.SizeNameText:
		return 14
	case theme.SizeNameCaptionText:
		return 12
	case theme.SizeNameSubHeadingText:
		return 20
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 6
	case theme.SizeNameInnerPadding:
		return 8
	}
	return t.Theme.Size(n)
}
