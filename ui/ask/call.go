package ask

import (
	"encoding/json"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// call asks whether a tool may run.
func (p *Popup) call() content {
	d := p.q.Call
	c := content{title: runs("Let {{.Host}} run {{.Tool}}?", map[string]look.Run{"Host": {Text: p.host()}, "Tool": {Text: clipped(p.q.Tool, maxName), Mono: true}})}
	c.below = runs("Tool of {{.Server}}", map[string]look.Run{"Server": named(p.q.Server)})
	if d.Title != "" {
		c.below = append(c.below, look.Run{Text: " · “" + clipped(d.Title, maxName) + "”"})
	}
	h := readHints(d.Annotations)
	c.tags = h.tags()
	if d.Description != "" {
		c.parts = append(c.parts, p.description(d.Description))
	}
	args := p.arguments()
	c.parts, c.stretch = append(c.parts, args.CanvasObject), args
	c.parts = append(c.parts, look.Small(h.words(p.q.Server, d.Trusted)))
	return c
}

// host is the one whose call it is.
func (p *Popup) host() string {
	if p.q.Host == "" {
		return lang.L("an unknown app")
	}
	return clipped(p.q.Host, maxName)
}

// briefRunes is how much of a description is shown at first: the arguments are
// what counts.
const briefRunes = 130

// description is what the server says of its tool; a long one opens on demand.
func (p *Popup) description(text string) fyne.CanvasObject {
	if len(text) > longText {
		return p.quote(text)
	}
	rich := look.NewRich(look.ColorMuted, theme.SizeNameText)
	all := []rune(text)
	if len(all) <= briefRunes {
		rich.Set(look.Run{Text: text})
		return rich
	}
	rich.Set(look.Run{Text: string(all[:briefRunes]) + "…"})
	var more *look.Button
	more = look.NewButton(lang.L("Read all of it"), look.Quiet, func() {
		rich.Set(look.Run{Text: text})
		more.Hide()
		p.relayout()
	})
	p.watch(more)
	return look.Column(2, rich, container.New(outdent{}, look.Across(0, more)))
}

// relayout lays the body out anew after a part changed its height.
func (p *Popup) relayout() {
	if p.win != nil && p.win.Content() != nil {
		size := p.win.Canvas().Content().Size()
		p.win.Content().Refresh()
		p.win.Canvas().Content().Resize(size.AddWidthHeight(0, 1))
		p.win.Canvas().Content().Resize(size)
	}
}

// arguments are those of the call, in full.
func (p *Popup) arguments() *panel {
	d := p.q.Call
	title := lang.L("Arguments")
	if d.ArgBytes >= 2000 {
		title += " · " + sizeIn(d.ArgBytes)
	}
	if d.Cut && d.Arguments == nil {
		return p.newPanel(title, []line{{spans: []span{{lang.L("They are long. Fetching them…"), inkNote}}}}, nil)
	}
	raw := d.Arguments
	return p.newPanel(title, lines(raw), func() string { return string(raw) })
}

// hints are a tool's annotations: the server's own word.
type hints struct {
	said                                         bool
	readOnly, destructive, idempotent, openWorld bool
}

// readHints reads annotations; what isn't there is what the protocol assumes.
func readHints(raw json.RawMessage) hints {
	h := hints{destructive: true, openWorld: true}
	var a struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		Idempotent  *bool `json:"idempotentHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return h
	}
	for _, one := range []struct {
		from *bool
		to   *bool
	}{{a.ReadOnly, &h.readOnly}, {a.Destructive, &h.destructive}, {a.Idempotent, &h.idempotent}, {a.OpenWorld, &h.openWorld}} {
		if one.from != nil {
			h.said, *one.to = true, *one.from
		}
	}
	return h
}

func (h hints) tags() []fyne.CanvasObject {
	switch {
	case !h.said:
		return []fyne.CanvasObject{look.Tag(lang.L("effect unknown"), look.Asking)}
	case h.readOnly:
		return []fyne.CanvasObject{look.Tag(lang.L("says it only reads"), look.Off)}
	case h.destructive:
		return []fyne.CanvasObject{look.Tag(lang.L("changes things"), look.Asking), look.Tag(lang.L("destructive"), look.Off)}
	}
	return []fyne.CanvasObject{look.Tag(lang.L("changes things"), look.Asking)}
}

// words says what the server says of its tool, and what that is worth.
func (h hints) words(server string, trusted bool) string {
	if !h.said {
		return lang.L("The server doesn't say what this tool does to things, so it may change or delete them.")
	}
	var text string
	switch {
	case h.readOnly && h.openWorld:
		text = lang.L("Says the server itself: it only reads, and may reach the internet.")
	case h.readOnly:
		text = lang.L("Says the server itself: it only reads.")
	default:
		text = lang.L("Says the server itself: it adds things and deletes none.")
		if h.destructive {
			text = lang.L("Says the server itself: it may change or delete things.")
		}
		if h.idempotent {
			text += " " + lang.L("Running it twice does no more than once.")
		}
		if h.openWorld {
			text += " " + lang.L("It may reach the internet.")
		}
	}
	if !trusted {
		text += " " + lang.L("You don't trust its word yet.")
	}
	return text
}

// newHost asks whether a program may use the servers.
func (p *Popup) newHost() content {
	return content{
		tags:  []fyne.CanvasObject{look.Tag(lang.L("new app"), look.Asking)},
		title: runs("Let {{.Host}} use your servers?", map[string]look.Run{"Host": {Text: p.host()}}),
		below: []look.Run{{Text: lang.L("It will see the tools of all servers that are on. You are still asked before anything dangerous runs.")}},
	}
}

// lower asks whether protection may be lowered.
func (p *Popup) lower() content {
	d := p.q.Lower
	c := content{
		tags:  []fyne.CanvasObject{look.Tag(lang.L("less protection"), look.Failed)},
		title: []look.Run{{Text: lang.L("Lower your protection?")}},
		parts: []fyne.CanvasObject{look.Words(d.What)},
	}
	var diff []wire.DiffLine
	if d.Before != "" {
		diff = append(diff, wire.DiffLine{Op: opGone, Text: d.Before})
	}
	if d.After != "" {
		diff = append(diff, wire.DiffLine{Op: opAdded, Text: d.After})
	}
	if diff != nil {
		panel := p.newPanel(lang.L("What would change"), diffLines(diff), nil)
		c.parts, c.stretch = append(c.parts, panel.CanvasObject), panel
	}
	return c
}

// unknown is a question of a core that is newer than this window: it can be read
// and denied.
func (p *Popup) unknown() content {
	p.whole = false
	raw, _ := json.Marshal(p.q) // of plain data: it can't fail
	panel := p.newPanel(lang.L("The question"), lines(raw), func() string { return string(raw) })
	return content{
		tags:    []fyne.CanvasObject{look.Tag(lang.L("unknown kind"), look.Off)},
		title:   []look.Run{{Text: lang.L("A question that this window doesn't know")}},
		below:   []look.Run{{Text: lang.L("Bridgekeeper was updated while this window was open. Close it and open it again to answer.")}},
		parts:   []fyne.CanvasObject{panel.CanvasObject},
		stretch: panel,
	}
}
