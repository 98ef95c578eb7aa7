package ui

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/ui/look"
)

// offersPane lists the resources or the prompts of one server, reads them and
// fills them in, with what the server offers as completion.
type offersPane struct {
	frame   *frame
	methods []string // that list them
	verb    string   // on the button
	nothing string   // when there are none
	server  string
	list    []offer
	chosen  string
	asked   int // counts, so that an old answer isn't shown for another offer
	raw     []byte

	box    fyne.CanvasObject
	rows   *rows
	column *fyne.Container
	detail *scrolled
	fields []*offerField
	run    *look.Button
	state  *look.Text
	out    *widget.Label
	outBox *fyne.Container
}

func newOffersPane(f *frame, verb, nothing string, methods ...string) *offersPane {
	p := &offersPane{frame: f, methods: methods, verb: verb, nothing: nothing, column: look.Column(look.Gap), state: look.Muted(""), out: widget.NewLabel("")}
	p.rows = newRows(func() int { return len(p.list) }, func() fyne.CanvasObject { return newOfferRow() },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.list) {
				o.(*offerRow).title.Set(p.list[i].title, p.list[i].name)
			}
		})
	p.rows.onChoose = func(i int) { p.show(p.list[i]) }
	p.rows.onOpen = func(i int) { p.use() }
	p.out.TextStyle.Monospace, p.out.SizeName = true, theme.SizeNameCaptionText
	p.out.Wrapping, p.out.Selectable = fyne.TextWrapBreak, true
	copied := look.NewButton(lang.L("Copy"), look.Quiet, func() { p.frame.copy(string(p.raw), lang.L("The result is on the clipboard.")) })
	p.outBox = look.Column(4, look.Ends(look.Muted(lang.L("Result")), copied), look.Stack(look.NewBlock(look.ColorSurface, 4), p.out))
	p.run = look.NewButton(verb, look.Ordinary, p.use)
	p.detail = newScrolled(look.Inset(p.column, 18, 8))
	p.box = container.New(sideBySide{0.42}, p.rows, container.NewBorder(nil, nil, look.Rule(), nil, p.detail.box))
	return p
}

// begin starts with another server.
func (p *offersPane) begin(server string) {
	p.server, p.list, p.chosen = server, nil, ""
	p.rows.choose(-1)
	p.column.Objects = nil
	p.rows.Refresh()
	p.detail.again()
}

// load gets the list anew.
func (p *offersPane) load() {
	server := p.server
	var list []offer
	p.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		list, err = listOffers(ctx, c, server, p.methods...)
		return err
	}, func(err error) {
		if server == p.server {
			p.take(list, err)
		}
	})
}

func (p *offersPane) take(list []offer, err error) {
	p.list = list
	p.rows.Refresh()
	i := slices.IndexFunc(list, func(o offer) bool { return o.name == p.chosen })
	switch {
	case err != nil:
		p.say(explain(err))
	case len(list) == 0:
		p.say(p.nothing)
	case i < 0:
		p.rows.choose(0)
		p.show(list[0])
	default:
		p.rows.choose(i)
	}
}

func (p *offersPane) say(text string) {
	p.chosen = ""
	p.column.Objects = []fyne.CanvasObject{faint(text)}
	p.detail.again()
}

func (p *offersPane) show(o offer) {
	p.chosen = o.name
	p.asked++
	p.column.Objects = []fyne.CanvasObject{look.Strong(o.title)}
	if o.about != "" {
		p.column.Add(faint(o.about))
	}
	p.fields = nil
	for _, f := range o.fields {
		field := newOfferField(f.Name, first(f.Title, f.Name), f.Description, f.Required)
		field.entry.OnChanged = func(text string) { p.complete(o, field, text) }
		p.fields = append(p.fields, field)
		p.column.Add(field.box)
	}
	p.state.Set("", "")
	p.outBox.Hide()
	p.column.Add(container.NewBorder(nil, nil, p.run, nil, look.Inset(p.state, look.Wide, 8)))
	p.column.Add(p.outBox)
	p.run.Able(true)
	p.detail.top()
	p.detail.again()
}

// complete offers what the server knows of a value that is being typed.
func (p *offersPane) complete(o offer, f *offerField, text string) {
	f.typed++
	n, server := f.typed, p.server
	var values []string
	p.frame.model.Do(func(ctx context.Context, c *client.Client) error {
		data, err := c.Request(ctx, server, o.complete(f.name, text))
		if err == nil {
			values = readCompletion(data)
		}
		return err
	}, func(err error) {
		if err == nil && n == f.typed && !slices.Equal(values, f.values) { // a server without completions says so each time
			f.values = values
			f.entry.SetOptions(values)
		}
	})
}

// use reads or fills in what is chosen.
func (p *offersPane) use() {
	i := slices.IndexFunc(p.list, func(o offer) bool { return o.name == p.chosen })
	if i < 0 {
		return
	}
	values := map[string]string{}
	for _, f := range p.fields {
		values[f.name] = f.entry.Text
		if f.required && f.entry.Text == "" {
			p.fail(lang.L("“{{.Field}}” is needed.", named{"Field": f.name}))
			return
		}
	}
	p.asked++
	n, server, req := p.asked, p.server, p.list[i].use(values)
	p.run.Able(false)
	p.state.Paint(look.ColorMuted)
	p.state.Set(lang.L("Running…"), "")
	var data []byte
	p.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		data, err = c.Request(ctx, server, req)
		return err
	}, func(err error) {
		if n != p.asked {
			return
		}
		p.run.Able(true)
		p.raw = data
		p.state.Set("", "")
		if err != nil {
			p.fail(explain(err))
		} else {
			p.out.SetText(head4k(look.ShowLines(readOffer(data))))
		}
		show(p.outBox, err == nil)
		p.detail.again()
	})
}

func (p *offersPane) fail(text string) {
	p.state.Paint(theme.ColorNameError)
	p.state.Set(text, "")
}

// head4k is the beginning of a text, as much as a label draws without a stall.
func head4k(text string) string {
	if len(text) > maxResult {
		return text[:maxResult] + "…"
	}
	return text
}

// offerField is one value, with what the server offers for it.
type offerField struct {
	name     string
	required bool
	entry    *widget.SelectEntry
	values   []string
	typed    int
	box      *fyne.Container
}

func newOfferField(name, label, about string, required bool) *offerField {
	f := &offerField{name: name, required: required, entry: widget.NewSelectEntry(nil)}
	if required {
		label += " *"
	}
	f.box = look.Column(2, look.Plain(label), f.entry)
	if about != "" {
		f.box.Add(look.Small(about))
	}
	return f
}

// offerRow is one resource or prompt of the list.
type offerRow struct {
	row
	title *look.Text
}

func newOfferRow() *offerRow {
	r := &offerRow{title: look.Plain("")}
	r.init(r, 32, func(s fyne.Size) { put(r.title, look.Margin, s.Width-look.Margin-look.Gap, 0, s.Height) }, r.title)
	return r
}
