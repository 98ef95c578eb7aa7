package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// firstRun is what the window shows while there is neither a server nor a host:
// three steps, each with one button. A person may put it off.
type firstRun struct {
	frame *frame
	done  func() // the window looks anew what it shows
	later bool   // the person has put it off, or has finished
	begun bool   // it was needed once, so it stays until it is finished

	box    *fyne.Container
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
		newButton(lang.L("Add the examples"), r.examples))
	r.host = newStep("2", lang.L("Connect an app"), lang.L("Each app gets a token and reaches all your servers through one address."),
		newButton(lang.L("Connect an app"), func() {
			r.later = true
			f.visit(PageHosts)
		}))
	r.end = newStep("3", lang.L("That's all"), lang.L("Your servers run here once, every app shares them, and you are asked before anything dangerous."),
		newButton(lang.L("Show my servers"), finish))
	about := paragraph(lang.L("Your servers run here once, every app shares them, and you are asked before anything dangerous."))
	about.Importance = widget.LowImportance
	own := link(lang.L("Add a server of my own"), func() { f.visit(PageAdd) })
	column := below(wide, across(0, title(lang.L("Three steps, two minutes"))), about, r.server.box, r.host.box, r.end.box,
		container.NewBorder(nil, nil, own, newButton(lang.L("Finish later"), finish)))
	r.box = container.NewVScroll(container.New(columnLayout{650}, column)).Content.(*fyne.Container)
	r.box = container.NewStack(container.NewVScroll(inset(r.box, margin, margin)))
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
			err := c.AddServer(ctx, wire.AddServer{Name: name, Entry: wire.Entry{Command: "bridgekeeper", Args: []string{"example", name}}})
			if err != nil && wire.AsError(err).Code != wire.CodeServerExists {
				return err
			}
		}
		return nil
	}, nil)
}

// step is one of the three.
type step struct {
	box    fyne.CanvasObject
	circle *block
	number *phrase
	button *button
	result *phrase
}

func newStep(number, name, about string, b *button) *step {
	s := &step{circle: newBlock(colorRaised, 15), number: strong(number).whole(), button: b, result: muted("").whole()}
	s.circle.least = fyne.NewSize(30, 30)
	s.result.Hide()
	words := paragraph(about)
	words.Importance = widget.LowImportance
	round := container.NewCenter(container.NewStack(s.circle, container.NewCenter(s.number)))
	s.box = card(container.NewBorder(nil, nil, inset(round, 0, 0), container.NewCenter(container.NewStack(s.button, s.result)),
		inset(below(0, inset(strong(name), gap, 0), words), wide, 0)), "")
	return s
}

func (s *step) finish(done bool, result string) {
	show(s.result, done)
	show(s.button, !done)
	if done {
		s.circle.paint(theme.ColorNameSuccess)
		s.number.set("✓", "")
		s.number.paint(theme.ColorNameForegroundOnPrimary)
		s.result.set(result, "")
	}
}

// mark makes the button of the step that comes next the page's accent.
func (s *step) mark(next bool) {
	want := widget.MediumImportance
	if next {
		want = widget.HighImportance
	}
	if s.button.Importance != want {
		s.button.Importance = want
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
