package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Colours beside those that Fyne names. Ready is Fyne's success, asking its
// warning, failed its error, accent its primary.
const (
	ColorMuted        fyne.ThemeColorName = "muted"   // secondary text
	ColorOff          fyne.ThemeColorName = "off"     // dots of what doesn't run
	ColorSurface      fyne.ThemeColorName = "surface" // cards, the sidebar, inputs
	ColorRaised       fyne.ThemeColorName = "raised"  // buttons, tags
	ColorAccentGround fyne.ThemeColorName = "accentGround"
	ColorAskingGround fyne.ThemeColorName = "askingGround"
	ColorFailedGround fyne.ThemeColorName = "failedGround"
	ColorReadyGround  fyne.ThemeColorName = "readyGround"
)

// Sizes beside those that Fyne names.
const (
	SizeTitle                      = theme.SizeNameSubHeadingText // a page's title
	SizeControl fyne.ThemeSizeName = "control"                    // text on buttons
	SizeMono    fyne.ThemeSizeName = "mono"                       // commands, arguments, logs
)

// Distances, in steps of four.
const (
	Gap       = 8  // between controls
	Wide      = 12 // between groups of them
	Margin    = 22 // of a page and a pop-up
	Corner    = 6
	RowHeight = 60
	LogHeight = 24
)

// Mode is which of the two looks a person wants.
type Mode string

// Modes. System follows what the desktop prefers.
const (
	System Mode = "system"
	Dark   Mode = "dark"
	Light  Mode = "light"
)

// NewTheme is the theme in a mode; one that isn't known is System.
func NewTheme(mode Mode) fyne.Theme { return bridgeTheme{theme.DefaultTheme(), mode} }

// bridgeTheme is Fyne's own where it says nothing.
type bridgeTheme struct {
	fyne.Theme
	mode Mode
}

func (t bridgeTheme) dark(v fyne.ThemeVariant) bool {
	return t.mode == Dark || t.mode != Light && v == theme.VariantDark
}

func (t bridgeTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	pair, ok := palette[name]
	switch {
	case !ok && t.dark(v):
		return t.Theme.Color(name, theme.VariantDark)
	case !ok:
		return t.Theme.Color(name, theme.VariantLight)
	case t.dark(v):
		return pair.dark
	}
	return pair.light
}

func (t bridgeTheme) Size(name fyne.ThemeSizeName) float32 {
	if s, ok := sizes[name]; ok {
		return s
	}
	return t.Theme.Size(name)
}

var sizes = map[fyne.ThemeSizeName]float32{
	theme.SizeNameText:               14,
	theme.SizeNameCaptionText:        12,
	theme.SizeNameSubHeadingText:     20,
	theme.SizeNameHeadingText:        24,
	SizeControl:                      13,
	SizeMono:                         12.5,
	theme.SizeNamePadding:            4,
	theme.SizeNameInnerPadding:       8,
	theme.SizeNameLineSpacing:        3,
	theme.SizeNameInlineIcon:         18,
	theme.SizeNameInputBorder:        1,
	theme.SizeNameInputRadius:        Corner,
	theme.SizeNameButtonRadius:       Corner,
	theme.SizeNameCardRadius:         Corner,
	theme.SizeNameMenuRadius:         Corner,
	theme.SizeNamePopupRadius:        Corner,
	theme.SizeNameSelectionRadius:    4,
	theme.SizeNameDialogRadius:       10,
	theme.SizeNameScrollBar:          10,
	theme.SizeNameScrollBarSmall:     4,
	theme.SizeNameScrollBarRadius:    4,
	theme.SizeNameSeparatorThickness: 1,
}

// Color is a theme's colour as the app shows it now.
func Color(name fyne.ThemeColorName) color.Color { return theme.Color(name) }
