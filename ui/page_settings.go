package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// prefTheme is the key under which the choice of light or dark is kept.
const prefTheme = "theme"

// settingsPage is what concerns everything: how the window looks, what is held,
// and where the rest is written.
type settingsPage struct {
	frame  *frame
	box    *fyne.Container
	look   *picker
	hold   *widget.Check
	facts  *facts
	form   *scrolled
	terms  *terms
	config string
	url    string
	logs   string
	file   *look.Button
	folder *look.Button
}

func newSettingsPage(f *frame) *settingsPage {
	p := &settingsPage{frame: f, facts: newFacts(), terms: newTerms(f)}
	p.look = newPicker([]option{{string(look.System), lang.L("as the system")}, {string(look.Light), lang.L("light")}, {string(look.Dark), lang.L("dark")}}, func(value string) {
		f.app.Preferences().SetString(prefTheme, value)
		UseTheme(f.app)
	})
	p.look.set(f.app.Preferences().StringWithFallback(prefTheme, string(look.System)))
	p.hold = widget.NewCheck(lang.L("Hold everything"), nil)
	p.file = look.NewButton(lang.L("Open the config file"), look.Ordinary, func() { f.openFile(p.config) })
	p.folder = look.NewButton(lang.L("Open the logs' folder"), look.Ordinary, func() { f.openFile(p.logs) })
	address := look.NewButton(lang.L("Copy the endpoint"), look.Ordinary, func() { f.copy(p.url, lang.L("The address is on the clipboard.")) })
	about := faint(lang.L("What isn't here is in the config file. It is read again as soon as you save it."))
	form := look.Column(look.Wide,
		labelled(lang.L("Colours"), p.look), labelled(lang.L("In a hurry"), look.Column(0, p.hold, look.Inset(look.Small(lang.L("Every call and every question is denied until you switch this off.")), 8, 0))),
		look.Inset(look.Rule(), 0, look.Gap), p.terms.box, look.Inset(look.Rule(), 0, look.Gap), p.facts.box, about, look.Across(look.Gap, p.file, p.folder, address))
	p.form = newScrolled(look.Inset(form, look.Margin, look.Gap))
	p.terms.onMove = p.form.again
	p.box = framed(head(pageTitle(lang.L("Settings")), look.Muted("")), nil, p.form.box)
	return p
}

func (p *settingsPage) content() fyne.CanvasObject { return p.box }
func (p *settingsPage) seen(on bool) {
	if on {
		p.terms.load()
	}
}

func (p *settingsPage) apply(s *wire.Snapshot) {
	p.config, p.url, p.logs = s.Config.Path, s.Core.URL, s.Core.LogDir
	check(p.hold, !s.Core.Held.IsZero(), func(on bool) { p.frame.hold(on) })
	show(p.folder, p.logs != "")
	show(p.file, p.config != "")
	now := p.frame.now()
	up := ""
	if !s.Core.Started.IsZero() {
		up = lang.L("for {{.Span}}", named{"Span": look.Span(now.Sub(s.Core.Started))})
	}
	if p.facts.set([]fact{
		{lang.L("Version"), s.Core.Version, ""},
		{lang.L("Runs"), up, look.Exact(s.Core.Started)},
		{lang.L("Endpoint"), s.Core.URL, ""},
		{lang.L("Config file"), s.Config.Path, ""},
		{lang.L("Logs"), s.Core.LogDir, ""},
		{lang.L("Sessions"), sessions(s.Core.Sessions), ""},
	}) {
		p.form.again()
	}
}

func sessions(n int) string {
	if n == 0 {
		return ""
	}
	return lang.N("{{.Count}} open", n, named{"Count": n})
}
