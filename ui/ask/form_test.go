package ask

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// typing is keys into what has the keyboard; a name in brackets is a key.
func (p *Popup) typing(words ...string) {
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, "<"); ok {
			p.key(fyne.KeyName(strings.TrimSuffix(name, ">")))
			continue
		}
		for _, r := range w {
			p.win.Canvas().Focused().TypedRune(r)
		}
	}
}

// A form can be filled in and sent with nothing but the keyboard.
func TestFormByKeyboard(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form"))
	if !p.yes.Disabled() || p.hint.String() != "Still to fill in: E-mail" {
		t.Errorf("Send is off: %v; the hint says %q", p.yes.Disabled(), p.hint.String())
	}
	p.typing("<Tab>", "ada@example", "<Tab>")
	if !p.yes.Disabled() || !says(p, "An e-mail address looks like name@example.com") {
		// net/mail takes an address without a dot: the core decides about those.
		if p.yes.Disabled() {
			t.Error("Send is off and nothing says why")
		}
	}
	p.typing("<Tab>", "<Tab>", " ")
	for range 10 {
		if p.yes.Focused() {
			break
		}
		p.typing("<Tab>")
	}
	p.typing("<Return>")
	want := `{"name":"Ada","email":"ada@example","days":7,"detail":"full","history":false}`
	if len(b.core.answers) != 1 || string(b.core.answers[0].Content) != want || b.core.last() != wire.ChooseOnce {
		t.Errorf("answered %+v\nwant %s", b.core.answers, want)
	}
}

// Enter in a field must not send the form.
func TestEnterInAFieldSendsNothing(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form"))
	p.typing("<Tab>", "ada@example.com", "<Return>", "<KP_Enter>")
	if len(b.core.answers) != 0 {
		t.Errorf("answered %+v", b.core.answers)
	}
}

func TestErrorsBesideFields(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form"))
	p.typing("<Tab>", "not an address")
	if says(p, "An e-mail address looks like") {
		t.Error("it complains while one types")
	}
	p.typing("<Tab>")
	if !says(p, "An e-mail address looks like") || !p.yes.Disabled() {
		t.Error("nothing is said after the field was left, or Send is on")
	}
	p.typing("<BackSpace>", "x", "<Tab>")
	if !says(p, "A whole number is needed, like 7") {
		t.Error("a letter passes for a number")
	}
	test.Tap(p.yes)
	if len(b.core.answers) != 0 {
		t.Error("sent although wrong")
	}
}

// What a person didn't touch isn't sent; what is sent has the right types.
func TestContent(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form-all"))
	p.typing("2026-07-28", "<Tab>", "<Tab>", "<Tab>", "0.50", "<Tab>")
	for range 12 {
		if p.win.Canvas().Focused() == fyne.Focusable(tickNamed(t, p, "Microphone")) {
			break
		}
		p.typing("<Tab>")
	}
	p.typing(" ")
	test.Tap(p.yes)
	want := `{"when":"2026-07-28","ratio":0.50,"parts":["mic"]}`
	if len(b.core.answers) != 1 || string(b.core.answers[0].Content) != want {
		t.Errorf("answered %+v\nwant %s", b.core.answers, want)
	}
}

func tickNamed(t testing.TB, p *Popup, name string) *tick {
	t.Helper()
	for _, o := range objects(p) {
		if c, ok := o.(*tick); ok && c.Text == name {
			return c
		}
	}
	t.Fatalf("no box %q", name)
	return nil
}

func TestSensitiveFieldsWarn(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form-all"))
	if !says(p, "This looks like a password or a key.") {
		t.Error("no warning")
	}
	for _, o := range objects(p) {
		if e, ok := o.(*entry); ok && e.Password {
			return
		}
	}
	t.Error("what is typed can be read over the shoulder")
}

func TestCheck(t *testing.T) {
	form := sample("form-all").Form
	for content, want := range map[string][]string{
		`{}`:                    {"when"},
		`{"when":"2026-07-28"}`: nil,
		`{"when":"28.7.2026","page":"no address","ratio":1.5,"parts":[],"code":"ab"}`:   {"code", "page", "parts", "ratio", "when"},
		`{"when":"2026-07-28","ratio":"much","parts":["cam","mic","net"],"code":"abc"}`: {"code", "parts", "ratio"},
		`{"when":"2026-07-28","ratio":1e9999,"code":"ABC"}`:                             {"ratio"},
		`{"when":"2026-07-28","ratio":1e-9999,"page":"https://example.com/x"}`:          nil,
		`not JSON`: {"when"},
	} {
		got := slices.Sorted(maps.Keys(basic{}.Check(form, []byte(content))))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", content, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"when":"2026-07-28","ratio":1e99}`, "^a+$", "1")
	f.Fuzz(func(t *testing.T, content, pattern, low string) {
		form := &wire.FormDetail{Fields: []wire.FormField{{Name: "when", Type: typeString, Pattern: pattern, Format: "uri"},
			{Name: "ratio", Type: typeNumber, Minimum: json.Number(low)}, {Name: "parts", Type: typeChoices, MaxItems: ptr(1)}}}
		basic{}.Check(form, []byte(content))
	})
}

// Options that look alike must be told apart.
func TestTitles(t *testing.T) {
	got := titles([]wire.FormOption{{Value: "a", Title: "Same"}, {Value: "b", Title: "Same"}, {Value: "c"}, {Value: "d", Title: "x\u202ey"}})
	if want := []string{"Same (a)", "Same (b)", "c", "x‹U+202E›y"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The field that has the keyboard must be in sight.
func TestTabScrolls(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form-all"))
	for n := range 30 {
		p.typing("<Tab>")
		o, ok := p.win.Canvas().Focused().(fyne.CanvasObject)
		if !ok {
			t.Fatal("the keyboard is nowhere")
		}
		y := b.app.Driver().AbsolutePositionForObject(o).Y
		if y < 0 || y+o.Size().Height > p.win.Canvas().Size().Height {
			t.Errorf("after %d Tabs the keyboard is at %T, %v to %v", n, o, y, y+o.Size().Height)
		}
	}
}

// Whatever a server writes, the window keeps its size and its buttons.
func TestHugeWords(t *testing.T) {
	long := strings.Repeat("word ", 40_000)
	b := newBench(t, look.Light)
	for _, id := range sampleIDs() {
		q := sample(id)
		q.Tool, q.Why, q.Notes = long[:5000], "x", []string{"note"}
		if q.Call != nil {
			q.Call.Title, q.Call.Description = long, long
		}
		if q.URL != nil {
			q.URL.Message, q.URL.URL = long, "https://example.com/"+strings.Repeat("x", 20_000)
		}
		if q.Form != nil {
			q.Form.Message = long
			for i := range q.Form.Fields {
				q.Form.Fields[i].Title, q.Form.Fields[i].Description = long, long
				for k := range q.Form.Fields[i].Options {
					q.Form.Fields[i].Options[k].Title = long
				}
			}
		}
		p := b.open(q)
		if size := p.win.Canvas().Size(); size.Width > width || size.Height > tallest {
			t.Errorf("%s is %v", id, size)
		}
		at := b.app.Driver().AbsolutePositionForObject(p.no)
		if at.X < 0 || at.Y < 0 || at.Y+p.no.Size().Height > tallest || at.X+p.no.Size().Width > width {
			t.Errorf("%s: the button that denies is at %v", id, at)
		}
		p.Leave()
	}
}

// The wheel over a panel that can't scroll moves what is around it.
func TestWheelGoesThrough(t *testing.T) {
	b := newBench(t, look.Light)
	q := sample("sampling")
	for range 6 {
		q.Sampling.Messages = append(q.Sampling.Messages, q.Sampling.Messages[0])
	}
	p := b.open(q)
	s := sheetOf(t, p)
	s.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -100)})
	if p.scroll.scroll.Offset.Y == 0 {
		t.Error("the wheel is caught")
	}
}
