package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// firstRun is what the window shows while there is neither a server nor a host:
// three steps, each with one button. A person may put it off.
type firstRun struct {
	frame *frame
	done  func() // the window looks anew what it shows
	later bool   // the person has put it off, or has finished
	begun bool   // it was needed once, so it stays until it is finished

	box    *fyne.Container
	form   *scrolled
	server *step
	host   *step
	end    *step
}

func newFirstRun(f *frame, done func()) *firstRun {
	r := &firstRun{frame: f, done: done}
	finish := func() {
		r.later = true
		done()
	}
	r.server = newStep("1", lang.L("Bring a server"), lang.L("Two examples come with Bridgekeeper: rooms of an office and its tickets. Or add one of your own."),
		look.NewButton(lang.L("Add the examples"), look.Ordinary, r.examples))
	r.host = newStep("2", lang.L("Connect an app"), lang.L("Each app gets a token and reaches all your servers through one address."),
		look.NewButton(lang.L("Connect an app"), look.Ordinary, func() {
			r.later = true
			f.visit(PageHosts)
		}))
	r.end = newStep("3", lang.L("Try it"), lang.L("Ask for something in your app. Before a tool changes anything, you are asked here."),
		look.NewButton(lang.L("Show my servers"), look.Ordinary, finish))
	about := faint(lang.L("Your servers run here once, every app shares them, and you are asked before anything dangerous."))
	if f.self == "" {
		r.server.button.OnTapped = func() { f.visit(PageAdd) }
		r.server.button.SetText(lang.L("Add server"))
	}
	own := look.NewButton(lang.L("Add a server of my own"), look.Quiet, func() { f.visit(PageAdd) })
	column := look.Column(look.Wide, look.Across(0, pageTitle(lang.L("Three steps, two minutes"))), about, r.server.box, r.host.box, r.end.box,
		container.NewBorder(nil, nil, own, look.NewButton(lang.L("Finish later"), look.Ordinary, finish)))
	r.form = newScrolled(look.Inset(container.New(columnLayout{650}, column), look.Margin, look.Margin))
	r.box = r.form.box
	return r
}

func (r *firstRun) content() fyne.CanvasObject { return r.box }

// wanted reports whether the window should show it.
func (r *firstRun) wanted(s *wire.Snapshot) bool {
	if !r.frame.model.Known() || r.later {
		return false
	}
	if len(s.Servers) == 0 && len(s.Hosts) == 0 {
		r.begun = true
	}
	return r.begun && (len(s.Servers) == 0 || len(s.Hosts) == 0)
}

func (r *firstRun) apply(s *wire.Snapshot) {
	r.server.finish(len(s.Servers) > 0, lang.N("{{.Count}} servers", len(s.Servers), named{"Count": len(s.Servers)}))
	r.host.finish(len(s.Hosts) > 0, lang.N("{{.Count}} hosts", len(s.Hosts), named{"Count": len(s.Hosts)}))
	next := r.server
	if len(s.Servers) > 0 {
		next = r.host
	}
	for _, one := range []*step{r.server, r.host, r.end} {
		one.mark(one == next)
	}
}

// examples adds the servers that are built in; one that is there already is fine.
func (r *firstRun) examples() {
	r.frame.do(func(ctx context.Context, c *client.Client) error {
		for _, name := range []string{"rooms", "tickets"} {
			err := c.AddServer(ctx, wire.AddServer{Name: name, Entry: wire.Entry{Command: r.frame.self, Args: []string{"example", name}}})
			if err != nil && wire.AsError(err).Code != wire.CodeServerExists {
				return err
			}
		}
		return nil
	}, nil)
}

// step is one of the three.
type step struct {
	which  string
	box    fyne.CanvasObject
	circle *look.Block
	number *look.Text
	button *look.Button
	result *look.Text
}

func newStep(number, name, about string, b *look.Button) *step {
	s := &step{which: number, circle: look.NewBlock(look.ColorRaised, 15), number: look.Strong(number).Whole(), button: b, result: look.Muted("").Whole()}
	s.circle.Least = fyne.NewSize(30, 30)
	s.result.Hide()
	words := faint(about)
	round := container.NewCenter(look.Stack(s.circle, container.NewCenter(s.number)))
	s.box = look.Card(container.NewBorder(nil, nil, round, container.NewCenter(look.Stack(s.button, s.result)),
		look.Inset(look.Column(2, look.Strong(name), words), 16, 0)), "")
	return s
}

func (s *step) finish(done bool, result string) {
	ground, words, number := look.ColorRaised, theme.ColorNameForeground, s.which
	if done {
		ground, words, number = theme.ColorNameSuccess, theme.ColorNameForegroundOnSuccess, "✓"
	}
	if s.number.String() == number && s.result.String() == result {
		return
	}
	show(s.result, done)
	show(s.button, !done)
	s.circle.Paint(ground, "")
	s.number.Paint(words)
	s.number.Set(number, "")
	s.result.Set(result, "")
	s.box.Refresh()
}

// mark makes the button of the step that comes next the page's accent.
func (s *step) mark(next bool) {
	want := look.Ordinary
	if next {
		want = look.Accent
	}
	if s.button.Kind != want {
		s.button.Kind = want
		s.button.Refresh()
	}
}

// columnLayout keeps a column of text in the middle, at most so wide.
type columnLayout struct{ most float32 }

func (l columnLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(300, o[0].MinSize().Height)
}

func (l columnLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	w := min(l.most, s.Width)
	o[0].Resize(fyne.NewSize(w, s.Height))
	o[0].Move(fyne.NewPos((s.Width-w)/2, 0))
}
