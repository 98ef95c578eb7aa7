package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// toolsPane lists the tools of one server: which of them hosts may see, when a
// person is asked, and a form to try each.
type toolsPane struct {
	frame  *frame
	server string
	entry  wire.Entry
	all    []wire.Tool
	shown  []wire.Tool // those that the search takes
	infos  map[string]toolInfo
	chosen string

	box    fyne.CanvasObject
	preset *picker
	search *widget.Entry
	about  *look.Text
	count  *look.Text
	bar    *fyne.Container
	rows   *rows
	detail *toolDetail
}

func newToolsPane(f *frame) *toolsPane {
	p := &toolsPane{frame: f, about: look.Muted(""), count: look.Muted("").Whole()}
	p.preset = newPicker(append([]option{{"", lang.L("As the default says")}}, presets()...), func(value string) {
		f.editServer(p.server, wire.EditServer{Ask: &value}, nil)
	})
	p.search = widget.NewEntry()
	p.search.SetPlaceHolder(lang.L("Search tools"))
	p.search.OnChanged = func(string) { p.filter() }
	p.rows = newRows(func() int { return len(p.shown) }, func() fyne.CanvasObject { return newToolRow(p) },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.shown) {
				o.(*toolRow).update(p.shown[i])
			}
		})
	p.rows.onChoose = func(i int) { p.choose(p.shown[i]) }
	p.rows.onOpen = func(i int) { p.toggle(p.shown[i].Name) }
	p.detail = newToolDetail(f)
	asks := look.Muted(lang.L("Ask me before")).Whole()
	p.bar = newToolbar(f, 700, []fyne.CanvasObject{p.search, p.about},
		[]fyne.CanvasObject{asks, p.preset, p.about}, []fyne.CanvasObject{p.search},
		[]fyne.CanvasObject{p.search, p.count, asks, p.preset})
	top := look.Inset(p.bar, look.Margin, 4)
	p.box = framed(top, nil, container.New(sideBySide{0.42}, p.rows,
		container.NewBorder(nil, nil, look.Rule(), nil, p.detail.box.box)))
	return p
}

// use begins with another server.
func (p *toolsPane) use(server string) {
	p.server, p.all, p.infos, p.chosen = server, nil, map[string]toolInfo{}, ""
	p.search.SetText("")
	p.rows.choose(-1)
	p.filter()
}

func (p *toolsPane) apply(s wire.Server) {
	p.entry = s.Entry
	p.preset.set(s.Entry.Ask)
	p.rows.refresh(fmt.Sprint(s.Name, s.Entry.Off, len(p.all)))
}

// load gets the tools anew.
func (p *toolsPane) load() {
	server := p.server
	var tools []wire.Tool
	p.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		tools, err = c.Tools(ctx, server)
		return err
	}, func(err error) {
		if server != p.server {
			return
		}
		if err != nil {
			p.detail.none(explain(err))
			return
		}
		p.take(tools)
	})
}

// take shows a list of tools.
func (p *toolsPane) take(tools []wire.Tool) {
	p.all, p.infos = tools, map[string]toolInfo{}
	p.filter()
	if p.chosen == "" && len(p.shown) > 0 {
		p.rows.choose(0)
		p.choose(p.shown[0])
	}
}

func (p *toolsPane) info(t wire.Tool) toolInfo {
	info, ok := p.infos[t.Name]
	if !ok {
		info = readTool(t.Definition)
		p.infos[t.Name] = info
	}
	return info
}

func (p *toolsPane) filter() {
	low := strings.ToLower(p.search.Text)
	p.shown = p.shown[:0:0]
	for _, t := range p.all {
		if low == "" || containsFold(t.Name, low) || containsFold(p.info(t).title, low) || containsFold(p.info(t).description, low) {
			p.shown = append(p.shown, t)
		}
	}
	off := 0
	for _, t := range p.all {
		if p.offBy(t.Name) != "" {
			off++
		}
	}
	about := toolCount(len(p.all))
	if off > 0 {
		about = join(about, lang.L("{{.Count}} off", named{"Count": off}))
	}
	p.about.Set(about, "")
	p.count.Set(about, "")
	p.bar.Refresh()
	p.rows.choose(slices.IndexFunc(p.shown, func(t wire.Tool) bool { return t.Name == p.chosen }))
	p.rows.Refresh()
	if len(p.all) == 0 {
		p.detail.none(lang.L("It has listed no tools yet."))
	}
}

func (p *toolsPane) choose(t wire.Tool) {
	p.chosen = t.Name
	p.detail.show(p.server, t, p.info(t))
}

// offBy returns the word of the entry that hides a tool, "" when none does.
func (p *toolsPane) offBy(tool string) string {
	for _, pattern := range p.entry.Off {
		if matches(pattern, tool) {
			return pattern
		}
	}
	return ""
}

// matches reports whether a pattern, in which * is any run of characters, takes name.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// toggle turns a tool off, or on again.
func (p *toolsPane) toggle(tool string) {
	off := slices.Clone(p.entry.Off)
	switch by := p.offBy(tool); {
	case by == "":
		off = append(off, tool)
	case by != tool:
		p.frame.tell(lang.L("“{{.Pattern}}” hides it together with others. Change that under Settings.", named{"Pattern": by}), "", nil, false)
		return
	default:
		off = slices.DeleteFunc(off, func(one string) bool { return one == tool })
	}
	p.frame.editServer(p.server, wire.EditServer{Off: &off}, nil)
}

// toolRow is one tool of the list.
type toolRow struct {
	row
	pane  *toolsPane
	tool  string
	check *widget.Check
	name  *look.Text
	kind  *look.Text
}

func newToolRow(p *toolsPane) *toolRow {
	r := &toolRow{pane: p, name: look.Mono(""), kind: look.Muted("")}
	r.name.Paint(theme.ColorNameForeground)
	r.kind.Align = fyne.TextAlignTrailing
	r.check = widget.NewCheck("", nil)
	r.init(r, 32, func(s fyne.Size) {
		m := r.check.MinSize()
		put(r.check, look.Margin-8, m.Width, 0, s.Height)
		x := look.Margin - 4 + m.Width
		put(r.kind, s.Width-100, 88, 0, s.Height)
		put(r.name, x, s.Width-x-104, 0, s.Height)
	}, r.check, r.name, r.kind)
	return r
}

func (r *toolRow) update(t wire.Tool) {
	r.tool = t.Name
	on := r.pane.offBy(t.Name) == ""
	r.check.OnChanged = nil
	r.check.SetChecked(on)
	r.check.OnChanged = func(bool) { r.pane.toggle(r.tool) }
	info := r.pane.info(t)
	r.name.Set(look.Show(t.Name), look.Show(info.title))
	color := theme.ColorNameForeground
	if !on || t.Seen == "" {
		color = look.ColorOff
	}
	r.name.Paint(color)
	word, tone := kindOf(t, info)
	r.kind.Set(word, hiddenWhy(t))
	r.kind.Paint(tone)
}

func hiddenWhy(t wire.Tool) string {
	if t.Hidden == "" {
		return ""
	}
	return lang.L("Hosts don't see it: {{.Why}}", named{"Why": look.Show(t.Hidden)})
}

// kindOf is what a tool may do, by its server's own word.
func kindOf(t wire.Tool, info toolInfo) (string, fyne.ThemeColorName) {
	switch {
	case t.ReadOnly:
		return lang.L("only reads"), theme.ColorNameSuccess
	case info.destructive:
		return lang.L("may destroy"), theme.ColorNameError
	}
	return lang.L("changes things"), theme.ColorNameWarning
}

// sideBySide gives the first of two objects a share of the width.
type sideBySide struct{ share float32 }

func (sideBySide) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(300, max(o[0].MinSize().Height, o[1].MinSize().Height))
}

func (l sideBySide) Layout(o []fyne.CanvasObject, s fyne.Size) {
	w := s.Width * l.share
	o[0].Resize(fyne.NewSize(w, s.Height))
	o[1].Move(fyne.NewPos(w, 0))
	o[1].Resize(fyne.NewSize(s.Width-w, s.Height))
}
