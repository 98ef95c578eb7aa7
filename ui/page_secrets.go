package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// secretsPage lists the variables of servers that may hold secrets. Their values
// never come here: they are changed, not read.
type secretsPage struct {
	frame *frame
	list  []variable
	box   fyne.CanvasObject
	about *look.Text
	rows  *rows
	none  fyne.CanvasObject
	edit  func(server, env string)
}

// variable is one variable of one server.
type variable struct{ server, name string }

func newSecretsPage(f *frame, edit func(server, env string)) *secretsPage {
	p := &secretsPage{frame: f, about: about(), edit: edit}
	p.rows = newRows(func() int { return len(p.list) }, func() fyne.CanvasObject { return newVariableRow(p) },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.list) {
				o.(*variableRow).update(p.list[i])
			}
		})
	p.rows.onOpen = func(i int) { p.edit(p.list[i].server, p.list[i].name) }
	note := faint(lang.L("These are the variables of your servers. Their values stand in the config file, which only you can read; nobody is shown them here, and no host ever gets them."))
	p.none = empty(lang.L("No secrets yet"), lang.L("Passwords and keys that a server needs are its variables. You give them when you add it, or later in its settings."),
		look.NewButton(lang.L("Add server"), look.Accent, func() { f.visit(PageAdd) }))
	p.box = framed(look.Column(0, head(pageTitle(lang.L("Secrets")), p.about), look.Inset(note, look.Margin, 4)), nil, look.Stack(p.rows, p.none))
	return p
}

func (p *secretsPage) content() fyne.CanvasObject { return p.box }
func (p *secretsPage) seen(bool)                  {}

func (p *secretsPage) apply(s *wire.Snapshot) {
	p.list = p.list[:0]
	for _, one := range s.Servers {
		for _, name := range sortedKeys(one.Entry.Env) {
			p.list = append(p.list, variable{one.Name, name})
		}
	}
	none := len(p.list) == 0
	show(p.none, none)
	show(p.rows, !none)
	p.about.Set(lang.N("{{.Count}} variables", len(p.list), named{"Count": len(p.list)}), "")
	p.rows.refresh(fmt.Sprint(p.list))
}

// variableRow is one variable.
type variableRow struct {
	row
	now          variable
	name, server *look.Text
	button       *look.Button
}

func newVariableRow(p *secretsPage) *variableRow {
	r := &variableRow{name: look.Mono(""), server: look.Muted("")}
	r.button = look.NewButton(lang.L("Change…"), look.Ordinary, func() { p.edit(r.now.server, r.now.name) })
	r.init(r, 44, func(s fyne.Size) {
		m := r.button.MinSize()
		put(r.button, s.Width-look.Margin-m.Width, 0, 0, s.Height)
		room := s.Width - 2*look.Margin - m.Width - look.Wide
		put(r.name, look.Margin, room*0.5-look.Wide, 0, s.Height)
		put(r.server, look.Margin+room*0.5, room*0.5, 0, s.Height)
	}, r.name, r.server, r.button)
	return r
}

func (r *variableRow) update(v variable) {
	r.now = v
	r.name.Set(v.name, "")
	r.server.Set(lang.L("of {{.Server}}", named{"Server": v.server}), "")
	color := theme.ColorNameForeground
	if !has(strings.ToLower(v.name), secretNames) {
		color = look.ColorMuted // most likely no secret
	}
	r.name.Paint(color)
}
