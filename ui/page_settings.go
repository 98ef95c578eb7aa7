package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
)

// prefTheme is the key under which the choice of light or dark is kept.
const prefTheme = "theme"

// Values of prefTheme; "" follows the system.
const (
	themeLight = "light"
	themeDark  = "dark"
)

// settingsPage is what concerns everything: how the window looks, what is held,
// and where the rest is written.
type settingsPage struct {
	frame  *frame
	box    *fyne.Container
	look   *picker
	hold   *widget.Check
	facts  *facts
	config string
	url    string
	logs   string
	file   *button
	folder *button
}

func newSettingsPage(f *frame) *settingsPage {
	p := &settingsPage{frame: f, facts: newFacts()}
	p.look = newPicker([]option{{"", lang.L("as the system")}, {themeLight, lang.L("light")}, {themeDark, lang.L("dark")}}, func(value string) {
		f.app.Preferences().SetString(prefTheme, value)
		UseTheme(f.app)
	})
	p.look.set(f.app.Preferences().String(prefTheme))
	p.hold = widget.NewCheck(lang.L("Hold everything: every call and question is denied until you switch this off"), nil)
	p.file = newButton(lang.L("Open the config file"), func() { f.openFile(p.config) })
	p.folder = newButton(lang.L("Open the logs' folder"), func() { f.openFile(p.logs) })
	address := newButton(lang.L("Copy the endpoint"), func() { f.copy(p.url, lang.L("The address is on the clipboard.")) })
	about := paragraph(lang.L("What isn't here is in the config file. It is read again as soon as you save it."))
	about.Importance = widget.LowImportance
	form := below(wide,
		labelled(lang.L("Colours"), p.look), labelled(lang.L("In a hurry"), p.hold),
		inset(rule(), 0, gap), p.facts.box, about, across(gap, p.file, p.folder, address))
	p.box = container.NewBorder(head(title(lang.L("Settings")), muted("")), nil, nil, nil, container.NewVScroll(inset(form, margin, gap)))
	return p
}

func (p *settingsPage) content() fyne.CanvasObject { return p.box }
func (p *settingsPage) seen(bool)                  {}

func (p *settingsPage) apply(s *wire.Snapshot) {
	p.config, p.url, p.logs = s.Config.Path, s.Core.URL, s.Core.LogDir
	p.hold.OnChanged = nil
	p.hold.SetChecked(!s.Core.Held.IsZero())
	p.hold.OnChanged = func(on bool) { p.frame.hold(on) }
	show(p.folder, p.logs != "")
	show(p.file, p.config != "")
	now := p.frame.now()
	up := ""
	if !s.Core.Started.IsZero() {
		up = lang.L("for {{.Span}}", named{"Span": span(now.Sub(s.Core.Started))})
	}
	p.facts.set([]fact{
		{lang.L("Version"), s.Core.Version, ""},
		{lang.L("Runs"), up, exact(s.Core.Started)},
		{lang.L("Endpoint"), s.Core.URL, ""},
		{lang.L("Config file"), s.Config.Path, ""},
		{lang.L("Logs"), s.Core.LogDir, ""},
		{lang.L("Sessions"), sessions(s.Core.Sessions), ""},
	})
}

func sessions(n int) string {
	if n == 0 {
		return ""
	}
	return lang.N("{{.Count}} open", n, named{"Count": n})
}
