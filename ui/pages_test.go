package ui

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// live is a window over a fake core; after each request it must be refreshed.
type live struct {
	*stage
	fake *localapitest.Fake
}

func newLive(t *testing.T, servers ...string) *live {
	fake := localapitest.New()
	for _, name := range servers {
		if err := fake.AddServer(t.Context(), wire.AddServer{Name: name, Entry: wire.Entry{Command: "x", Env: map[string]string{"KEY": "secret"}}}); err != nil {
			t.Fatal(err)
		}
	}
	c, stop := served(t, fake)
	t.Cleanup(stop)
	l := &live{fake: fake, stage: newStage(t, c, fake.Snapshot(), false, WindowSize)}
	return l
}

// again brings what the core says now.
func (l *live) again() { l.model.Apply(l.fake.Snapshot()) }

// shown are all objects that can be seen.
func (s *stage) shown() []fyne.CanvasObject { return visible(s.win.Content()) }

func visible(o fyne.CanvasObject) []fyne.CanvasObject {
	if !o.Visible() {
		return nil
	}
	all := []fyne.CanvasObject{o}
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		below = o.Objects
	case fyne.Widget:
		below = test.WidgetRenderer(o).Objects()
	}
	for _, one := range below {
		all = append(all, visible(one)...)
	}
	return all
}

// texts are all words that can be read.
func (s *stage) texts() string {
	var all []string
	for _, o := range s.shown() {
		switch o := o.(type) {
		case *look.Text:
			all = append(all, o.String())
		case *look.Para:
			all = append(all, o.String())
		case *look.Button:
			all = append(all, o.Text())
		case *widget.Label:
			all = append(all, o.Text)
		}
	}
	return strings.Join(all, "\n")
}

// press taps the button with a text, the nth of them.
func (s *stage) press(t *testing.T, text string, nth int) {
	t.Helper()
	for _, o := range s.shown() {
		if b, ok := o.(*look.Button); ok && b.Text() == text {
			if nth--; nth < 0 {
				test.Tap(b)
				return
			}
		}
	}
	t.Fatalf("there is no button %q in:\n%s", text, s.texts())
}

func key(w fyne.Focusable, name fyne.KeyName) { w.TypedKey(&fyne.KeyEvent{Name: name}) }

func TestServersPage(t *testing.T) {
	l := newLive(t, "a", "b")
	l.press(t, "Stop", 1)
	if got := l.fake.Acts(); !slices.Equal(got, []string{"stop b"}) {
		t.Errorf("orders %v", got)
	}
	l.fake.Update(func(s *wire.Snapshot) {
		s.Servers[0].State, s.Servers[0].LastExit = "failed", &wire.Exit{Code: 1, Reason: "it exited with code 1", Stderr: []string{"error: KEY is not set"}}
	})
	l.again()
	for _, want := range []string{"a stopped", "It exited with code 1.", "error: KEY is not set", "Change KEY…"} {
		if !strings.Contains(l.texts(), want) {
			t.Errorf("%q is missing in:\n%s", want, l.texts())
		}
	}
	l.press(t, "Change KEY…", 0)
	if e, ok := l.win.Canvas().Focused().(*widget.Entry); !ok || !e.Password {
		t.Errorf("the keyboard is at %T", l.win.Canvas().Focused())
	}
}

// After Enter the keyboard was nowhere, and the next keys were lost.
func TestOpenByKeyboard(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	p := s.pages[PageServers].(*serversPage)
	c := s.win.Canvas()
	c.Focus(p.rows)
	key(c.Focused(), fyne.KeyReturn)
	if c.Focused() != fyne.Focusable(p.view.tabs.items[0]) {
		t.Fatalf("the keyboard is at %T", c.Focused())
	}
	key(c.Focused(), fyne.KeyRight)
	key(c.Focused(), fyne.KeySpace)
	if p.view.tabs.chosen != partTools {
		t.Errorf("part %d is shown", p.view.tabs.chosen)
	}
}

// A click on Remove next to a server's name lost its keys for good.
func TestRemoveIsUndone(t *testing.T) {
	l := newLive(t, "a", "b")
	l.model.inline = false // nothing is carried out: the model's own tests do that
	p := l.pages[PageServers].(*serversPage)
	l.win.Canvas().Focus(p.rows)
	key(p.rows, fyne.KeyDown)
	key(p.rows, fyne.KeyDelete)
	if len(p.servers) != 1 || p.servers[0].Name != "a" || !strings.Contains(l.texts(), "b was removed.") {
		t.Fatalf("%d servers, %s", len(p.servers), l.texts())
	}
	l.press(t, "Undo", 0)
	if len(p.servers) != 2 || strings.Contains(l.texts(), "was removed") {
		t.Errorf("%d servers, %s", len(p.servers), l.texts())
	}
}

func TestAddPage(t *testing.T) {
	l := newLive(t, "memory")
	l.Visit(PageAdd)
	p := l.pages[PageAdd].(*addPage)
	if !p.add.Disabled() {
		t.Error("nothing can be added")
	}
	p.command.SetText(`TOKEN=abc npx -y "@acme/server-memory" --dir '/a b'`)
	if p.name.Text != "memory-2" || p.add.Disabled() {
		t.Fatalf("the name is %q, %s", p.name.Text, p.says)
	}
	p.name.SetText("memory")
	if !p.add.Disabled() || !strings.Contains(l.texts(), "already") {
		t.Error("a name that is taken may be used")
	}
	p.name.SetText("mine")
	l.press(t, "Add server", 0)
	e, ok := l.fake.Entry("mine")
	if !ok || e.Command != "npx" || !slices.Equal(e.Args, []string{"-y", "@acme/server-memory", "--dir", "/a b"}) || e.Env["TOKEN"] != "abc" || e.Trust != wire.TrustPending {
		t.Errorf("added %+v, %v", e, ok)
	}
	if l.now != PageServers || p.command.Text != "" {
		t.Errorf("it stays at %s with %q", l.now, p.command.Text)
	}
	l.again()

	l.Visit(PageAdd)
	p.tabs.choose(1)
	p.paste.SetText(`{"mcpServers":{"mine":{"command":"a"},"other":{"command":"b"}}}`)
	l.press(t, "Add 2 servers", 0)
	if _, ok := l.fake.Entry("mine-2"); !ok {
		t.Error("mine-2 is missing")
	}
	if _, ok := l.fake.Entry("other"); !ok {
		t.Error("other is missing")
	}
	p.paste.SetText(`{"a":`)
	if !strings.Contains(p.pasteSay.String(), "too early") || !p.addAll.Disabled() {
		t.Errorf("it says %q", p.pasteSay)
	}
}

func TestSuggestName(t *testing.T) {
	for text, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-github": "github", "npx @playwright/mcp@latest": "playwright", "uvx mcp-server-git": "git",
		"docker run -i --rm mcp/postgres:16": "postgres", "/opt/My.Tool/bin/tool-mcp.exe --x": "tool", `C:\x\notes.exe`: "notes", "node /a/b/index.js": "index", "x": "x", "___": "server",
	} {
		e, err := parseCommand(strings.ReplaceAll(text, `\`, `\\`))
		if err != nil {
			t.Fatal(err)
		}
		if got := suggestName(e); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestServerSettings(t *testing.T) {
	l := newLive(t, "a")
	p := l.pages[PageServers].(*serversPage)
	p.edit("a", "")
	f := p.view.settings
	if !f.save.Disabled() {
		t.Error("nothing has changed, and yet it can be saved")
	}
	f.command.SetText("y 'b c'")
	f.env.lines[0].value.SetText("new")
	f.start.SetSelectedIndex(1)
	f.off.SetText("drop_*, kill")
	l.again() // the core's news must not undo what is typed
	l.press(t, "Save", 0)
	e, _ := l.fake.Entry("a")
	if e.Command != "y" || !slices.Equal(e.Args, []string{"b c"}) || e.Env["KEY"] != "new" || e.Start != "on-demand" || !slices.Equal(e.Off, []string{"drop_*", "kill"}) {
		t.Errorf("saved %+v", e)
	}
	l.again()
	if !f.save.Disabled() {
		t.Error("it can be saved again")
	}
	f.minute.SetText("many")
	l.press(t, "Save", 0)
	if !strings.Contains(l.texts(), "whole number") {
		t.Error("a wrong number is taken")
	}
}

func TestToolsPane(t *testing.T) {
	l := newLive(t, "a")
	p := l.pages[PageServers].(*serversPage)
	p.open("a")
	p.view.tabs.choose(partTools)
	tools := p.view.tools
	if len(tools.shown) != 3 || tools.chosen != "echo" {
		t.Fatalf("%d tools, %q", len(tools.shown), tools.chosen)
	}
	tools.detail.json.SetText(`{"a":1}`)
	l.press(t, "Try it", 0)
	if !strings.Contains(l.texts(), "Done in") {
		t.Errorf("the result isn't shown:\n%s", l.texts())
	}
	tools.rows.Select(1)
	l.press(t, "Try it", 0)
	if !strings.Contains(l.texts(), "Reboot was denied. Nobody could be asked.") {
		t.Errorf("the refusal isn't told:\n%s", l.texts())
	}
	key(tools.rows, fyne.KeySpace)
	if e, _ := l.fake.Entry("a"); !slices.Equal(e.Off, []string{"reboot"}) {
		t.Errorf("off: %v", e.Off)
	}
	l.again()
	key(tools.rows, fyne.KeySpace)
	if e, _ := l.fake.Entry("a"); len(e.Off) != 0 {
		t.Errorf("off: %v", e.Off)
	}
	tools.preset.SetSelectedIndex(1)
	if e, _ := l.fake.Entry("a"); e.Ask != wire.PresetEverything {
		t.Errorf("ask: %q", e.Ask)
	}
	tools.search.SetText("twice")
	if len(tools.shown) != 1 {
		t.Errorf("%d tools are found", len(tools.shown))
	}
}

func TestMatches(t *testing.T) {
	for pattern, want := range map[string]bool{"drop_table": true, "drop_*": true, "*table": true, "*": true, "d*_*e": true, "drop": false, "*x*": false, "drop_table*x": false, "": false} {
		if got := matches(pattern, "drop_table"); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

func TestHostsPage(t *testing.T) {
	l := newLive(t, "a")
	l.Visit(PageHosts)
	l.press(t, "Connect an app", 0)
	p := l.pages[PageHosts].(*hostsPage)
	p.join.name.SetText("a b")
	l.press(t, "Make a token", 0)
	if !strings.Contains(l.texts(), "can't be the name") {
		t.Errorf("a bad name is taken:\n%s", l.texts())
	}
	p.join.name.SetText("zed")
	l.press(t, "Make a token", 0)
	if p.join.token.Text != "bk_token-of-zed" || !strings.Contains(p.join.text.Text, "Bearer bk_token-of-zed") {
		t.Errorf("the token is %q", p.join.token.Text)
	}
	p.join.how.SetSelectedIndex(0)
	if !strings.HasPrefix(p.join.text.Text, "claude mcp add") || strings.Contains(p.join.text.Text, "TOKEN") {
		t.Errorf("it says %q", p.join.text.Text)
	}
	l.again()
	l.press(t, "I have put it in", 0)
	if strings.Contains(l.texts()+p.join.token.Text+p.join.text.Text, "bk_token") {
		t.Error("the token is still there")
	}
	p.panel.ask.SetSelectedIndex(4)
	if h := l.fake.Snapshot().Hosts[0]; h.Terms.Ask != wire.PresetNever {
		t.Errorf("terms %+v", h.Terms)
	}
	p.panel.remove()
	l.press(t, "Take it away", 0)
	if n := len(l.fake.Snapshot().Hosts); n != 0 {
		t.Errorf("%d hosts", n)
	}
}

func TestRecipes(t *testing.T) {
	for name, want := range map[string]string{"claude-code": "Claude Code", "my-cursor": "Cursor", "vscode": "VS Code", "codex": "Codex", "copilot": "Copilot CLI", "gemini": "Gemini CLI", "zed": "Zed", "my-app": "", "x": ""} {
		if got := recipeFor(name).app; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	docs, err := os.ReadFile("../docs/connect.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recipes {
		text := r.fill(wire.NewHost{URL: "http://127.0.0.1:2734/mcp", Token: "TOKEN"})
		if !strings.Contains(string(docs), text) {
			t.Errorf("docs/connect.md says it otherwise than\n%s", text)
		}
	}
}

func TestQuestionsPage(t *testing.T) {
	l := newLive(t, "a")
	l.fake.Ask(wire.Question{ID: "q1", Kind: wire.AskCall, Host: "h", Server: "a", Tool: "reboot", Why: "It may destroy.", Choices: []string{wire.ChooseDeny}})
	l.again()
	l.Visit(PageQuestions)
	if !strings.Contains(l.texts(), "Let h run reboot of a?") {
		t.Errorf("got %s", l.texts())
	}
	l.press(t, "Look", 0)
	for _, o := range l.shown() {
		if r, ok := o.(*questionRow); ok {
			test.Tap(r)
		}
	}
	if !slices.Equal(l.asked, []string{"q1", "q1"}) {
		t.Errorf("opened %v", l.asked)
	}
	if err := l.fake.Answer(t.Context(), "q1", wire.Answer{Choice: wire.ChooseDeny}); err != nil {
		t.Fatal(err)
	}
	l.again()
	if !strings.Contains(l.texts(), "denied by you") {
		t.Errorf("got %s", l.texts())
	}
}

func TestHold(t *testing.T) {
	l := newLive(t, "a")
	l.press(t, "Hold everything", 0)
	l.again()
	if !strings.Contains(l.texts(), "Everything is held") {
		t.Errorf("got %s", l.texts())
	}
	l.press(t, "Go on", 0)
	if held := l.fake.Snapshot().Core.Held; !held.IsZero() {
		t.Error("it is still held")
	}
}

func TestLogsPage(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	s.Visit(PageLogs)
	p := s.pages[PageLogs].(*logsPage)
	chatter(p.ring, 200)
	p.draw()
	if !p.follow || !p.atEnd() || p.selected() != 0 {
		t.Errorf("follow %v, at the end %v", p.follow, p.atEnd())
	}
	p.rows.ScrollToOffset(100)
	chatter2 := wire.LogLine{Seq: 500, Server: "github", Source: "stderr", Text: "late"}
	p.ring.add(chatter2)
	p.draw()
	if p.follow || p.rows.GetScrollOffset() != 100 {
		t.Errorf("it ran away to %v", p.rows.GetScrollOffset())
	}
	s.press(t, "Go to the newest", 0)
	if !p.atEnd() {
		t.Error("it isn't at the end")
	}
	p.togglePause()
	p.ring.add(wire.LogLine{Seq: 501, Server: "github", Source: "stderr", Text: "later"})
	p.draw()
	if n := len(p.view.lines); n != 201 || !strings.Contains(s.texts(), "paused, 1 new") {
		t.Errorf("%d lines, %s", n, s.texts())
	}
	p.togglePause()
	key(p.rows, fyne.KeyHome)
	p.rows.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	key(p.rows, fyne.KeyDown)
	key(p.rows, fyne.KeyDown)
	p.rows.TypedShortcut(&fyne.ShortcutCopy{})
	if got := strings.Count(s.frame.app.Clipboard().Content(), "\n"); got != 3 {
		t.Errorf("%d lines were copied", got)
	}
	p.search.SetText("fatal")
	if n := len(p.view.lines); n == 0 || n >= 100 {
		t.Errorf("%d lines are found", n)
	}
	s.frame.logs("postgres")
	if p.server.value() != "postgres" || p.search.Text != "" {
		t.Errorf("it shows %q, %q", p.server.value(), p.search.Text)
	}
}

// Somebody without a mouse could not get out of the list.
func TestKeyboardReachesEverything(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil, sample(), false, WindowSize)
			scene(s)
			c := s.win.Canvas()
			c.Focus(s.items[PageServers])
			first, seen := c.Focused(), map[fyne.Focusable]bool{}
			for range 400 {
				seen[c.Focused()] = true
				c.FocusNext()
				if c.Focused() == first {
					break
				}
			}
			if c.Focused() != first {
				t.Fatal("the keyboard doesn't come round")
			}
			for _, o := range s.shown() {
				w, ok := o.(fyne.Focusable)
				if d, can := o.(fyne.Disableable); !ok || can && d.Disabled() {
					continue
				}
				if !seen[w] {
					t.Errorf("%T can't be reached", o)
				}
			}
		})
	}
}

func TestSidebarByKeyboard(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	c := s.win.Canvas()
	c.Focus(s.items[PageServers])
	key(c.Focused(), fyne.KeyDown)
	key(c.Focused(), fyne.KeyReturn)
	if s.now != PageQuestions {
		t.Errorf("at %s", s.now)
	}
	key(c.Focused(), fyne.KeyUp)
	key(c.Focused(), fyne.KeyUp)
	if c.Focused() != fyne.Focusable(s.items[PageSettings]) {
		t.Error("it doesn't go round")
	}
}

// A page that nobody looks at went on working.
func TestHiddenPagesRest(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	p := s.pages[PageLogs].(*logsPage)
	s.model.inline = false // Keep hands work out
	s.Visit(PageLogs)
	if len(p.stop) == 0 {
		t.Fatal("it doesn't begin")
	}
	s.Visit(PageHosts)
	if len(p.stop) != 0 {
		t.Error("it goes on behind another page")
	}
	s.Visit(PageLogs)
	s.Seen(false)
	if len(p.stop) != 0 {
		t.Error("it goes on behind a hidden window")
	}
}

func TestThemeIsKept(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	s.Visit(PageSettings)
	s.pages[PageSettings].(*settingsPage).look.SetSelectedIndex(2)
	if got := s.frame.app.Preferences().String(prefTheme); got != string(look.Dark) {
		t.Errorf("kept %q", got)
	}
}

func TestFirstRun(t *testing.T) {
	l := newLive(t)
	if !strings.Contains(l.texts(), "Three steps") {
		t.Fatalf("got %s", l.texts())
	}
	l.press(t, "Add the examples", 0)
	if e, ok := l.fake.Entry("rooms"); !ok || e.Command != "/opt/bridgekeeper" {
		t.Errorf("added %+v", e)
	}
	l.again()
	if !strings.Contains(l.texts(), "✓") {
		t.Errorf("the first step isn't done:\n%s", l.texts())
	}
	l.press(t, "Finish later", 0)
	if strings.Contains(l.texts(), "Three steps") {
		t.Error("it is still there")
	}
}
