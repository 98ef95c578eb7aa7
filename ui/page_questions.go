package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// questionsPage lists what waits for a person, and what was settled lately.
type questionsPage struct {
	frame *frame
	open  []wire.Question
	past  []wire.Settled // newest first
	ids   string         // of the open questions when the past was asked for

	box   *fyne.Container
	about *look.Text
	rows  *rows
	none  fyne.CanvasObject
}

func newQuestionsPage(f *frame) *questionsPage {
	p := &questionsPage{frame: f, about: about(), ids: "?"}
	p.rows = newRows(func() int { return len(p.open) + len(p.past) }, func() fyne.CanvasObject { return newQuestionRow(p) },
		func(i int, o fyne.CanvasObject) {
			switch r := o.(*questionRow); {
			case i < len(p.open):
				r.update(&p.open[i], nil, f.now())
			case i < len(p.open)+len(p.past):
				r.update(nil, &p.past[i-len(p.open)], f.now())
			}
		})
	p.rows.onOpen = p.show
	p.none = empty(lang.L("Nothing waits for you"), lang.L("When a tool wants to do something that you want to be asked about, the question comes by itself, and stands here until it is answered."), nil)
	p.box = framed(head(pageTitle(lang.L("Questions")), p.about), nil, look.Stack(p.rows, p.none))
	return p
}

func (p *questionsPage) content() fyne.CanvasObject { return p.box }

func (p *questionsPage) seen(on bool) {
	if on {
		p.ids = "?" // the past may have grown
	}
}

func (p *questionsPage) apply(s *wire.Snapshot) {
	p.open = s.Questions
	ids := make([]string, 0, len(p.open))
	for _, q := range p.open {
		ids = append(ids, q.ID)
	}
	if now := strings.Join(ids, " "); now != p.ids {
		p.ids = now
		p.load()
	}
	p.draw()
}

// load gets what was settled lately.
func (p *questionsPage) load() {
	var past []wire.Settled
	p.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		past, err = c.PastQuestions(ctx)
		return err
	}, func(err error) {
		if err == nil { // the strip at the top tells of a core that is away
			p.take(past)
		}
	})
}

func (p *questionsPage) take(past []wire.Settled) {
	p.past = slices.Clone(past)
	slices.Reverse(p.past)
	p.draw()
}

func (p *questionsPage) draw() {
	none := len(p.open)+len(p.past) == 0
	show(p.none, none)
	show(p.rows, !none)
	text := lang.L("none waits")
	if n := len(p.open); n > 0 {
		text = lang.N("{{.Count}} wait for you", n, named{"Count": n})
	}
	p.about.Set(text, "")
	var says strings.Builder
	now := p.frame.now()
	for _, q := range p.open {
		fmt.Fprintln(&says, q.ID, look.Span(q.Deadline.Sub(now)), look.Ago(q.Asked, now))
	}
	for _, s := range p.past {
		fmt.Fprintln(&says, s.ID, look.Ago(s.At, now))
	}
	p.rows.refresh(says.String())
}

func (p *questionsPage) show(i int) {
	if i < len(p.open) {
		p.frame.ask(p.open[i].ID)
	}
}

// questionRow is one question, open or settled.
type questionRow struct {
	row
	page      *questionsPage
	id        string
	dot       *look.Block
	what, why *look.Text
	end, when *look.Text
	button    *look.Button
}

func newQuestionRow(p *questionsPage) *questionRow {
	r := &questionRow{page: p, dot: look.Dot(look.Asking), what: look.Strong(""), why: look.Muted(""), end: look.Plain(""), when: look.Muted("")}
	r.end.Align, r.when.Align = fyne.TextAlignTrailing, fyne.TextAlignTrailing
	r.button = look.NewButton(lang.L("Look"), look.Ordinary, func() { p.frame.ask(r.id) })
	r.init(r, serverRowHeight, func(s fyne.Size) {
		x, right := float32(look.Margin), s.Width-look.Margin
		put(r.dot, x, 0, 0, s.Height)
		x += 23
		if r.button.Visible() {
			m := r.button.MinSize()
			put(r.button, right-m.Width, 0, 0, s.Height)
			right -= m.Width + 16
		}
		end := min(200, (right-x)*0.4)
		put(r.end, right-end, end, 8, 20)
		put(r.when, right-end, end, 30, 17)
		put(r.what, x, right-end-x-look.Wide, 8, 20)
		put(r.why, x, right-end-x-look.Wide, 30, 17)
	}, r.dot, r.what, r.why, r.end, r.when, r.button)
	return r
}

func (r *questionRow) update(q *wire.Question, past *wire.Settled, now time.Time) {
	waits := q != nil
	if !waits {
		q = &past.Question
	}
	r.id = q.ID
	r.what.Set(askWords(*q), "")
	r.why.Set(look.Show(q.Why), "")
	if waits {
		r.dot.Paint(look.Asking.Color(), "")
		left := lang.L("waits until you decide")
		if !q.Deadline.IsZero() {
			left = lang.L("{{.Span}} left", named{"Span": look.Span(q.Deadline.Sub(now))})
		}
		r.end.Set(left, look.Exact(q.Deadline))
		r.end.Paint(theme.ColorNameWarning)
		r.when.Set(lang.L("asked {{.Ago}}", named{"Ago": look.Ago(q.Asked, now)}), look.Exact(q.Asked))
	} else {
		word, tone := settledWords(*past)
		r.dot.Paint(tone.Color(), "")
		r.end.Set(word, look.Show(past.Reason))
		r.end.Paint(tone.Words())
		r.when.Set(look.Ago(past.At, now), look.Exact(past.At))
	}
	if r.button.Visible() != waits {
		show(r.button, waits)
		r.place(r.Size())
	}
}

// Tapped opens the pop-up of a question that waits.
func (r *questionRow) Tapped(*fyne.PointEvent) {
	r.page.frame.focus(r.page.rows)
	if r.button.Visible() {
		r.page.frame.ask(r.id)
	}
}

// askWords is a question as one line.
func askWords(q wire.Question) string {
	n := named{"Host": q.Host, "Server": q.Server, "Tool": look.Show(q.Tool)}
	switch q.Kind {
	case wire.AskCall:
		if q.Host == "" {
			return lang.L("Run {{.Tool}} of {{.Server}}?", n)
		}
		return lang.L("Let {{.Host}} run {{.Tool}} of {{.Server}}?", n)
	case wire.AskForm:
		return lang.L("{{.Server}} wants to know something", n)
	case wire.AskURL:
		return lang.L("{{.Server}} wants a web page opened", n)
	case wire.AskSampling:
		return lang.L("{{.Server}} wants to ask a model", n)
	case wire.AskSamplingResult:
		return lang.L("May {{.Server}} have the model's answer?", n)
	case wire.AskFirstRun:
		return lang.L("May {{.Server}} run?", n)
	case wire.AskChangedTool:
		return lang.L("{{.Server}} changed {{.Tool}}", n)
	case wire.AskNewHost:
		return lang.L("{{.Host}} wants to be a host", n)
	case wire.AskLower:
		return lang.L("A program wants less protection")
	}
	return look.Show(q.Why)
}

// settledWords is how a question ended.
func settledWords(s wire.Settled) (string, look.Tone) {
	switch {
	case s.End == "expired":
		return lang.L("no answer in time: denied"), look.Asking
	case s.End == "withdrawn":
		return lang.L("withdrawn"), look.Off
	case s.End == "denied" || s.Choice == wire.ChooseDeny || s.Choice == wire.ChooseCancel:
		if s.By == "" {
			return lang.L("denied"), look.Failed
		}
		return lang.L("denied by you"), look.Failed
	case s.Choice == wire.ChooseSession:
		return lang.L("allowed for the session"), look.Ready
	case s.Choice == wire.ChooseMinutes:
		return lang.L("allowed for 15 minutes"), look.Ready
	case s.Choice == wire.ChooseTool, s.Choice == wire.ChooseArgs:
		return lang.L("always allowed"), look.Ready
	case s.Kind == wire.AskForm:
		return lang.L("answered by you"), look.Ready
	}
	return lang.L("allowed once by you"), look.Ready
}
