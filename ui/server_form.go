package ui

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// serverForm edits one entry. What a person has changed is kept when the entry
// changes meanwhile; the rest follows it.
type serverForm struct {
	frame  *frame
	server string
	entry  wire.Entry // as the fields show it

	box     *scrolled
	command *widget.Entry
	cwd     *widget.Entry
	start   *picker
	idle    *widget.Entry
	sharing *picker
	trust   *picker
	changes *picker
	minute  *widget.Entry
	atOnce  *widget.Entry
	off     *widget.Entry
	env     *envForm
	save    *look.Button
	revert  *look.Button
	wrong   *look.Para
}

func newServerForm(f *frame) *serverForm {
	s := &serverForm{frame: f, env: newEnvForm(f), wrong: look.Words("")}
	changed := func(string) { s.changed() }
	entry := func(hint string) *widget.Entry {
		e := widget.NewEntry()
		e.SetPlaceHolder(hint)
		e.OnChanged = changed
		return e
	}
	s.command, s.cwd = entry(lang.L("npx -y @acme/server")), entry(lang.L("your home folder"))
	s.command.TextStyle.Monospace, s.cwd.TextStyle.Monospace = true, true
	s.idle = entry(lang.L("such as 10m"))
	s.minute, s.atOnce, s.off = entry(lang.L("no limit")), entry(lang.L("no limit")), entry(lang.L("such as delete_*, drop_table"))
	s.start = newPicker([]option{{"", lang.L("with Bridgekeeper")}, {"on-demand", lang.L("when it is used")}, {"manual", lang.L("when I start it")}}, changed)
	s.sharing = newPicker([]option{{"", lang.L("one copy for all hosts")}, {"per-host", lang.L("a copy for each host")}, {"per-session", lang.L("a copy for each session")}}, changed)
	s.trust = newPicker([]option{{"", lang.L("what its tools say of themselves is believed")}, {wire.TrustLimited, lang.L("it runs, but its word isn't believed")},
		{wire.TrustPending, lang.L("it doesn't run before I have looked at it")}}, changed)
	s.changes = newPicker([]option{{"", lang.L("ask me")}, {"accept", lang.L("accept them")}}, changed)
	s.env.onChange = s.changed
	s.save, s.revert = look.NewButton(lang.L("Save"), look.Accent, s.store), look.NewButton(lang.L("Revert"), look.Ordinary, s.reset)
	s.wrong.Paint(theme.ColorNameError)
	s.wrong.Hide()
	form := look.Column(look.Wide,
		labelled(lang.L("Command"), s.command), labelled(lang.L("Folder"), s.cwd), labelled(lang.L("Variables"), s.env.box),
		labelled(lang.L("Starts"), s.start), labelled(lang.L("Stops when idle for"), s.idle), labelled(lang.L("Shared"), s.sharing),
		labelled(lang.L("Trust"), s.trust), labelled(lang.L("New and changed tools"), s.changes), labelled(lang.L("Tools that are off"), s.off),
		labelled(lang.L("Calls a minute"), s.minute), labelled(lang.L("Calls at once"), s.atOnce),
		labelled("", look.Column(look.Gap, s.wrong, look.Across(look.Gap, s.save, s.revert))))
	s.box = newScrolled(look.Inset(form, look.Margin, look.Gap))
	return s
}

// use begins with another server.
func (s *serverForm) use(server string) {
	s.server = server
	if one, ok := s.frame.model.Server(server); ok {
		s.entry = one.Entry
	}
	s.reset()
	s.box.top()
}

// apply follows the entry as long as the person has changed nothing.
func (s *serverForm) apply(one wire.Server) {
	if !s.dirty() && !sameEntry(s.entry, one.Entry) {
		s.entry = one.Entry
		s.reset()
	}
}

func sameEntry(a, b wire.Entry) bool {
	return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Cwd == b.Cwd && a.Start == b.Start && a.IdleStop == b.IdleStop &&
		a.Sharing == b.Sharing && a.Trust == b.Trust && a.Changes == b.Changes && slices.Equal(a.Off, b.Off) && limits(a) == limits(b) &&
		slices.Equal(sortedKeys(a.Env), sortedKeys(b.Env))
}

func limits(e wire.Entry) wire.Limits {
	if e.Limits == nil {
		return wire.Limits{}
	}
	return *e.Limits
}

// known turns the config's word for a default into none.
func known(value, normal string) string {
	if value == normal {
		return ""
	}
	return value
}

// reset shows the entry as it is.
func (s *serverForm) reset() {
	e := s.entry
	s.command.SetText(commandLine(e.Command, e.Args))
	s.cwd.SetText(e.Cwd)
	s.start.set(known(e.Start, "always"))
	s.idle.SetText(e.IdleStop)
	s.sharing.set(known(e.Sharing, "shared"))
	s.trust.set(known(e.Trust, wire.TrustFull))
	s.changes.set(known(e.Changes, "ask"))
	s.minute.SetText(number(limits(e).PerMinute))
	s.atOnce.SetText(number(limits(e).AtOnce))
	s.off.SetText(strings.Join(e.Off, ", "))
	s.env.use(sortedKeys(e.Env))
	s.changed()
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// changed looks whether there is anything to save.
func (s *serverForm) changed() {
	if s.save == nil {
		return // still being built
	}
	show(s.idle, s.start.value() == "on-demand")
	s.wrong.Hide()
	for _, b := range []*look.Button{s.save, s.revert} {
		b.Able(s.dirty())
	}
	s.box.again()
}

func (s *serverForm) dirty() bool {
	e := s.entry
	return s.command.Text != commandLine(e.Command, e.Args) || s.cwd.Text != e.Cwd || s.start.value() != known(e.Start, "always") ||
		s.idle.Text != e.IdleStop || s.sharing.value() != known(e.Sharing, "shared") || s.trust.value() != known(e.Trust, wire.TrustFull) ||
		s.changes.value() != known(e.Changes, "ask") || s.minute.Text != number(limits(e).PerMinute) || s.atOnce.Text != number(limits(e).AtOnce) ||
		s.off.Text != strings.Join(e.Off, ", ") || len(s.env.edits()) > 0
}

// request is what the person wants changed: fields as they are stay out of it.
func (s *serverForm) request() (wire.EditServer, error) {
	var req wire.EditServer
	e := s.entry
	if s.command.Text != commandLine(e.Command, e.Args) {
		parsed, err := parseCommand(s.command.Text)
		if err != nil {
			return req, err
		}
		if parsed.Args == nil {
			parsed.Args = []string{}
		}
		req.Command, req.Args = &parsed.Command, &parsed.Args
		for name, value := range parsed.Env {
			req.Env = put1(req.Env, name, &value)
		}
	}
	change(&req.Cwd, s.cwd.Text, e.Cwd)
	change(&req.Start, s.start.value(), known(e.Start, "always"))
	change(&req.IdleStop, s.idle.Text, e.IdleStop)
	change(&req.Sharing, s.sharing.value(), known(e.Sharing, "shared"))
	change(&req.Trust, s.trust.value(), known(e.Trust, wire.TrustFull))
	change(&req.Changes, s.changes.value(), known(e.Changes, "ask"))
	for name, value := range s.env.edits() {
		req.Env = put1(req.Env, name, value)
	}
	if s.off.Text != strings.Join(e.Off, ", ") {
		off := words(s.off.Text)
		req.Off = &off
	}
	perMinute, err := whole(s.minute.Text, lang.L("Calls a minute"))
	if err != nil {
		return req, err
	}
	atOnce, err := whole(s.atOnce.Text, lang.L("Calls at once"))
	if err != nil {
		return req, err
	}
	if l := (wire.Limits{PerMinute: perMinute, AtOnce: atOnce}); l != limits(e) {
		req.Limits = &l
	}
	return req, nil
}

func put1(m map[string]*string, name string, value *string) map[string]*string {
	if m == nil {
		m = map[string]*string{}
	}
	m[name] = value
	return m
}

func change(field **string, now, before string) {
	if now != before {
		*field = &now
	}
}

// words splits a list at commas and blanks.
func words(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	if list == nil {
		list = []string{}
	}
	return list
}

func (s *serverForm) store() {
	req, err := s.request()
	if err != nil {
		s.complain(sentence(err.Error()))
		return
	}
	server := s.server
	s.frame.model.Do(editing(server, req), func(err error) {
		switch {
		case server != s.server:
		case err != nil:
			s.complain(explain(err))
		default:
			if one, ok := s.frame.model.Server(server); ok {
				s.entry = one.Entry
			}
			s.env.use(sortedKeys(s.entry.Env))
			s.reset()
			s.frame.tell(lang.L("Saved. {{.Name}} runs with it from its next start on.", named{"Name": server}), lang.L("Restart it now"),
				func() { s.frame.act(server, "restart") }, false)
		}
	})
}

func (s *serverForm) complain(text string) {
	s.wrong.Set(text)
	s.wrong.Show()
	s.box.again()
}

// focus moves the keyboard to the command, or to one variable.
func (s *serverForm) focus(env string) {
	if env != "" && s.env.focus(env) {
		return
	}
	s.frame.focus(s.command)
}

// labelled is one line of a form.
func labelled(name string, input fyne.CanvasObject) fyne.CanvasObject {
	label := look.Plain(name)
	label.Paint(look.ColorMuted)
	return container.New(labelLayout{}, label, input)
}

// labelLayout: the name at the left, as high as the first line of the input;
// above it when there is little room.
type labelLayout struct{}

const labelWidth, inputWidth = 170, 460

func (labelLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(labelWidth+100, max(36, o[1].MinSize().Height))
}

func (labelLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	put(o[0], 0, labelWidth-look.Wide, 0, 36)
	m := o[1].MinSize()
	o[1].Resize(fyne.NewSize(min(max(inputWidth, m.Width), s.Width-labelWidth), max(m.Height, min(s.Height, m.Height))))
	o[1].Move(fyne.NewPos(labelWidth, 0))
}

// envForm edits the variables of a server. Values never come from the core: a
// variable is kept, given a new value, added or removed.
type envForm struct {
	frame    *frame
	box      *fyne.Container
	before   []string
	lines    []*envLine
	onChange func()
}

type envLine struct {
	name   *widget.Entry
	value  *widget.Entry
	old    string // its name in the config; "" for one that is added
	remove bool
}

func newEnvForm(f *frame) *envForm { return &envForm{frame: f, box: look.Column(6)} }

func (f *envForm) use(names []string) {
	f.before, f.lines = names, nil
	for _, name := range names {
		f.lines = append(f.lines, f.newLine(name))
	}
	f.draw()
}

func (f *envForm) newLine(old string) *envLine {
	l := &envLine{name: widget.NewEntry(), value: widget.NewPasswordEntry(), old: old}
	l.name.SetText(old)
	l.name.TextStyle.Monospace = true
	l.name.SetPlaceHolder(lang.L("NAME"))
	l.value.SetPlaceHolder(lang.L("value"))
	if old != "" {
		l.name.Disable()
		l.value.SetPlaceHolder(lang.L("unchanged"))
	}
	l.name.OnChanged = func(string) { f.onChange() }
	l.value.OnChanged = func(string) { f.onChange() }
	return l
}

func (f *envForm) draw() {
	f.box.RemoveAll()
	for _, l := range f.lines {
		if l.remove {
			continue
		}
		drop := look.IconButton(look.Icon("trash"), lang.L("Remove"), func() {
			l.remove = true
			f.draw()
			f.onChange()
		})
		f.box.Add(container.NewBorder(nil, nil, nil, drop, container.NewGridWithColumns(2, l.name, l.value)))
	}
	f.box.Add(look.Across(0, look.NewButton(lang.L("Add a variable"), look.Ordinary, func() {
		l := f.newLine("")
		f.lines = append(f.lines, l)
		f.draw()
		f.onChange()
		f.frame.focus(l.name)
	})))
	f.box.Refresh()
}

// edits are the changes: a nil value removes a variable.
func (f *envForm) edits() map[string]*string {
	edits := map[string]*string{}
	for _, l := range f.lines {
		switch {
		case l.remove && l.old != "":
			edits[l.old] = nil
		case l.remove, l.old != "" && l.value.Text == "", l.old == "" && strings.TrimSpace(l.name.Text) == "":
		default:
			value := l.value.Text
			edits[strings.TrimSpace(l.name.Text)] = &value
		}
	}
	return edits
}

// focus moves the keyboard to the value of a variable.
func (f *envForm) focus(name string) bool {
	for _, l := range f.lines {
		if l.old == name && !l.remove {
			f.frame.focus(l.value)
			return true
		}
	}
	return false
}
