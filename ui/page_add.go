package ui

import (
	"context"
	"path"
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

// addPage adds servers: from a command as one would type it, or from what a
// README or another app's file has.
type addPage struct {
	frame *frame
	taken []string // names that are in use
	found []wire.AddServer
	named bool // the person has written the name

	box     *fyne.Container
	tabs    *tabs
	forms   []*scrolled
	command *widget.Entry
	name    *widget.Entry
	env     *envForm
	trust   *widget.Check
	says    *look.Para
	add     *look.Button

	paste    *widget.Entry
	pasteSay *look.Para
	list     *fyne.Container
	addAll   *look.Button
}

func newAddPage(f *frame) *addPage {
	p := &addPage{frame: f}
	p.tabs = newTabs(f, nil, []string{lang.L("Command"), lang.L("Paste")}, p.commandPart(), p.pastePart())
	p.box = framed(look.Column(0, head(pageTitle(lang.L("Add server")), look.Muted("")), look.Inset(p.tabs.bar, look.Margin-look.Gap, 0), look.Inset(look.Rule(), 0, 6)), nil, p.tabs.body)
	p.changed()
	p.pasted()
	return p
}

func (p *addPage) content() fyne.CanvasObject { return p.box }

func (p *addPage) seen(on bool) {
	if on {
		p.frame.focus(p.command)
	}
}

func (p *addPage) apply(s *wire.Snapshot) {
	p.taken = p.taken[:0]
	for _, one := range s.Servers {
		p.taken = append(p.taken, one.Name)
	}
}

func (p *addPage) commandPart() fyne.CanvasObject {
	p.command, p.name, p.says = widget.NewEntry(), widget.NewEntry(), look.Words("")
	p.command.TextStyle.Monospace = true
	p.command.SetPlaceHolder(lang.L("npx -y @acme/server --folder /home/me"))
	p.command.OnChanged = func(string) { p.changed() }
	p.command.OnSubmitted = func(string) { p.store() }
	p.name.SetPlaceHolder(lang.L("what you and your apps call it"))
	p.name.OnChanged = func(text string) {
		p.named = text != ""
		p.changed()
	}
	p.name.OnSubmitted = p.command.OnSubmitted
	p.env = newEnvForm(p.frame)
	p.env.onChange = p.changed
	p.env.use(nil)
	p.trust = widget.NewCheck(lang.L("Show me exactly what would run, before it does"), nil)
	p.trust.SetChecked(true)
	p.add = look.NewButton(lang.L("Add server"), look.Accent, p.store)
	about := faint(lang.L("As you would type it at a terminal. No shell reads it, and none of your own variables reach it."))
	form := look.Column(look.Wide, about,
		labelled(lang.L("Command"), p.command), labelled(lang.L("Name"), p.name),
		labelled(lang.L("Variables"), p.env.box), labelled("", p.trust), labelled("", look.Column(look.Gap, p.says, look.Across(0, p.add))))
	p.forms = append(p.forms, newScrolled(look.Inset(form, look.Margin, look.Gap)))
	return p.forms[len(p.forms)-1].box
}

// changed suggests a name and says what is still missing.
func (p *addPage) changed() {
	if p.add == nil {
		return
	}
	entry, err := parseCommand(p.command.Text)
	if !p.named {
		name := ""
		if err == nil {
			name = free(suggestName(entry), p.taken)
		}
		if p.name.Text != name {
			p.name.SetText(name)
			p.named = false
		}
	}
	switch bad := wire.CheckName("server", p.name.Text); {
	case p.command.Text == "":
		p.say("", false)
		p.add.Able(false)
	case err != nil:
		p.say(sentence(err.Error()), true)
		p.add.Able(false)
	case bad != nil:
		p.say(explain(bad), true)
		p.add.Able(false)
	case slices.Contains(p.taken, p.name.Text):
		p.say(lang.L("There is a server of this name already."), true)
		p.add.Able(false)
	default:
		p.say("", false)
		p.add.Able(true)
	}
}

func (p *addPage) say(text string, bad bool) {
	p.says.Paint(theme.ColorNameForeground)
	if bad {
		p.says.Paint(theme.ColorNameError)
	}
	p.says.Set(text)
	show(p.says, text != "")
	p.refresh()
}

// suggestName makes a name of a command: of the package that a runner runs, else
// of the program.
func suggestName(e wire.Entry) string {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(e.Command, `\`, "/")), ".exe")
	switch name {
	case "npx", "bunx", "pnpm", "uvx", "uv", "docker", "podman", "node", "python", "python3", "deno", "pipx", "npx.cmd":
		for _, a := range e.Args {
			if strings.HasPrefix(a, "-") || a == "run" || a == "dlx" || a == "tool" || a == "exec" || strings.Contains(a, "=") {
				continue
			}
			name = a
			break
		}
	}
	name = strings.ReplaceAll(name, `\`, "/")
	if i := strings.LastIndex(name, "@"); i > 0 {
		name = name[:i]
	}
	if scope, rest, ok := strings.Cut(strings.TrimPrefix(name, "@"), "/"); ok && slices.Contains([]string{"mcp", "server", "mcp-server"}, rest) {
		name = scope
	}
	name = path.Base(name)
	if i := strings.LastIndexAny(name, ":"); i > 0 {
		name = name[:i]
	}
	for _, cut := range []string{".js", ".mjs", ".py", ".ts", "-mcp-server", "-mcp", "-server"} {
		name = strings.TrimSuffix(name, cut)
	}
	for _, cut := range []string{"mcp-server-", "server-", "mcp-"} {
		if rest := strings.TrimPrefix(name, cut); rest != "" {
			name = rest
		}
	}
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	clean = strings.Trim(clean, "-_")
	if wire.CheckName("server", clean) != nil {
		return "server"
	}
	return clean
}

// free is a name that isn't taken yet.
func free(name string, taken []string) string {
	for n := 2; slices.Contains(taken, name); n++ {
		base, number, ok := cutLast(name, "-")
		if !ok || number != thousands(n-1) {
			base = name
		}
		name = base + "-" + thousands(n)
	}
	return name
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (p *addPage) store() {
	entry, err := parseCommand(p.command.Text)
	if err != nil || p.add.Disabled() {
		p.changed()
		return
	}
	for name, value := range p.env.edits() {
		if entry.Env == nil {
			entry.Env = map[string]string{}
		}
		entry.Env[name] = *value
	}
	add := wire.AddServer{Name: p.name.Text, Entry: entry}
	if p.trust.Checked {
		add.Entry.Trust = wire.TrustPending
	}
	p.add.Able(false)
	p.frame.model.Do(func(ctx context.Context, c *client.Client) error { return c.AddServer(ctx, add) }, func(err error) {
		p.add.Able(true)
		if err != nil {
			p.say(explain(err), true)
			return
		}
		p.command.SetText("")
		p.name.SetText("")
		p.named = false
		p.env.use(nil)
		p.changed()
		p.frame.tell(lang.L("{{.Name}} was added.", named{"Name": add.Name}), "", nil, false)
		p.frame.visit(PageServers)
	})
}

func (p *addPage) pastePart() fyne.CanvasObject {
	p.paste, p.pasteSay, p.list = widget.NewMultiLineEntry(), look.Words(""), look.Column(4)
	p.paste.TextStyle.Monospace = true
	p.paste.SetMinRowsVisible(10)
	p.paste.SetPlaceHolder("{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@acme/files\"]\n    }\n  }\n}")
	p.paste.OnChanged = func(string) { p.pasted() }
	p.addAll = look.NewButton(lang.L("Add servers"), look.Accent, p.storeAll)
	about := faint(lang.L("Paste what a README shows or what another app has in its file. Nothing runs before you have looked at it."))
	form := look.Column(look.Wide, about, p.paste, p.list, p.pasteSay, look.Across(0, p.addAll))
	p.forms = append(p.forms, newScrolled(look.Inset(form, look.Margin, look.Gap)))
	return p.forms[len(p.forms)-1].box
}

// pasted reads what was pasted and shows what would be added.
func (p *addPage) pasted() {
	if p.addAll == nil {
		return
	}
	found, err := parsePaste(p.paste.Text)
	p.found = nil
	p.list.RemoveAll()
	p.addAll.Able(false)
	text := ""
	switch {
	case strings.TrimSpace(p.paste.Text) == "":
	case err != nil:
		text = sentence(err.Error())
	default:
		taken := slices.Clone(p.taken)
		for _, one := range found {
			if one.Name == "" {
				one.Name = suggestName(one.Entry)
			}
			one.Name = free(one.Name, taken)
			taken = append(taken, one.Name)
			one.Entry.Trust = wire.TrustPending
			if bad := wire.CheckName("server", one.Name); bad != nil {
				text = explain(bad)
				break
			}
			p.found = append(p.found, one)
			line := look.Mono(look.Show(commandLine(one.Entry.Command, one.Entry.Args)))
			p.list.Add(container.New(factLayout{}, look.Strong(look.Show(one.Name)), line))
		}
	}
	if text != "" {
		p.found = nil
	}
	p.pasteSay.Paint(theme.ColorNameError)
	p.pasteSay.Set(text)
	show(p.pasteSay, text != "")
	if n := len(p.found); n > 0 {
		p.addAll.SetText(lang.N("Add {{.Count}} servers", n, named{"Count": n}))
		p.addAll.Able(true)
	}
	p.refresh()
}

// storeAll adds what was found, one after the other; the first that fails stops it.
func (p *addPage) storeAll() {
	found := slices.Clone(p.found)
	added := 0
	p.addAll.Able(false)
	p.frame.model.Do(func(ctx context.Context, c *client.Client) error {
		for _, one := range found {
			if err := c.AddServer(ctx, one); err != nil {
				return err
			}
			added++
		}
		return nil
	}, func(err error) {
		if err != nil {
			p.addAll.Able(true)
			p.pasteSay.Set(lang.L("{{.Name}}: {{.Problem}}", named{"Name": found[added].Name, "Problem": explain(err)}))
			p.pasteSay.Show()
			p.refresh()
			return
		}
		p.paste.SetText("")
		p.frame.tell(lang.N("{{.Count}} servers were added.", added, named{"Count": added}), "", nil, false)
		p.frame.visit(PageServers)
	})
}

// refresh lays the shown part out anew after parts of it came or went.
func (p *addPage) refresh() {
	if p.tabs != nil {
		p.forms[p.tabs.chosen].again()
	}
}
