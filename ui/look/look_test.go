package look_test

import (
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/assets"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

var modes = []look.Mode{look.Dark, look.Light}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text that can't be read on its ground is no text.
func TestContrast(t *testing.T) {
	test.NewTempApp(t)
	type pair struct{ text, ground fyne.ThemeColorName }
	var pairs []pair
	for _, ground := range []fyne.ThemeColorName{theme.ColorNameBackground, look.ColorSurface, look.ColorRaised, theme.ColorNameSelection, theme.ColorNameMenuBackground} {
		for _, text := range []fyne.ThemeColorName{theme.ColorNameForeground, look.ColorMuted} {
			pairs = append(pairs, pair{text, ground})
		}
	}
	for _, ground := range []fyne.ThemeColorName{theme.ColorNameBackground, look.ColorSurface} {
		for _, text := range []fyne.ThemeColorName{theme.ColorNamePrimary, theme.ColorNameSuccess, theme.ColorNameWarning, theme.ColorNameError} {
			pairs = append(pairs, pair{text, ground})
		}
	}
	pairs = append(pairs, pair{theme.ColorNameForegroundOnPrimary, theme.ColorNamePrimary}, pair{theme.ColorNameForegroundOnError, theme.ColorNameError},
		pair{theme.ColorNameForegroundOnSuccess, theme.ColorNameSuccess}, pair{theme.ColorNameForegroundOnWarning, theme.ColorNameWarning})
	for _, tone := range []look.Tone{look.Ready, look.Busy, look.Asking, look.Failed} {
		pairs = append(pairs, pair{tone.Color(), tone.Ground()}, pair{theme.ColorNameForeground, tone.Ground()})
	}
	for _, mode := range modes {
		th := look.NewTheme(mode)
		for _, p := range pairs {
			if got := contrast(th.Color(p.text, 0), th.Color(p.ground, 0)); got < 4.5 {
				t.Errorf("%s: %s on %s has %.2f:1, at least 4.5:1 wanted", mode, p.text, p.ground, got)
			}
		}
		for _, tone := range []look.Tone{look.Off, look.Ready, look.Busy, look.Asking, look.Failed} {
			if got := contrast(th.Color(tone.Color(), 0), th.Color(theme.ColorNameBackground, 0)); got < 2.7 {
				t.Errorf("%s: the dot of %v has %.2f:1", mode, tone, got)
			}
		}
	}
}

func TestModes(t *testing.T) {
	test.NewTempApp(t)
	system, dark, light := look.NewTheme(look.System), look.NewTheme(look.Dark), look.NewTheme(look.Light)
	for _, name := range []fyne.ThemeColorName{theme.ColorNameBackground, look.ColorMuted, theme.ColorNameInnerWindowBorder} {
		if system.Color(name, theme.VariantDark) != dark.Color(name, theme.VariantLight) || system.Color(name, theme.VariantLight) != light.Color(name, theme.VariantDark) {
			t.Errorf("%s doesn't follow the desktop, or a choice doesn't win", name)
		}
		if dark.Color(name, 0) == light.Color(name, 0) {
			t.Errorf("%s is the same in both looks", name)
		}
	}
}

func TestIconsDraw(t *testing.T) {
	looktest.App(t, look.Light)
	empty := looktest.Capture(looktest.Window(t, container.NewWithoutLayout(), fyne.NewSize(24, 24)), 1)
	for _, name := range assets.Icons() {
		for _, scale := range []float32{1, 2} {
			got := looktest.Capture(looktest.Window(t, widget.NewIcon(look.Icon(name)), fyne.NewSize(24, 24)), scale)
			drawn := 0
			for y := range got.Bounds().Dy() {
				for x := range got.Bounds().Dx() {
					if got.At(x, y) != empty.At(0, 0) {
						drawn++
					}
				}
			}
			if share := float64(drawn) / (24 * 24 * float64(scale*scale)); share < 0.02 || share > 0.75 {
				t.Errorf("%s at %v covers %.2f of its square", name, scale, share)
			}
		}
	}
}

func TestElide(t *testing.T) {
	looktest.App(t, look.Light)
	wide := func(s string) float32 { return fyne.MeasureText(s, 14, fyne.TextStyle{}).Width }
	for _, s := range []string{"", "short", "npx -y @modelcontextprotocol/server-filesystem /home/someone/with/a/long/path", strings.Repeat("WiM", 100_000), strings.Repeat("i", 300)} {
		got, cut := look.Elide(s, 120, 14, fyne.TextStyle{})
		if wide(got) > 121 {
			t.Errorf("%.20q… is %v wide", s, wide(got))
		}
		if cut != (got != s) || cut != (len(s) > 1000 || wide(s) > 120.5) {
			t.Errorf("%.20q…: cut is %v", s, cut)
		}
		if cut && wide(got) < 90 {
			t.Errorf("%.20q…: only %v of 120 used", s, wide(got))
		}
	}
}

func TestBreak(t *testing.T) {
	looktest.App(t, look.Light)
	for _, s := range []string{"one two three four five six seven eight", "a/path/that/has/no/blank/in/it/at/all/and/goes/on", "first\n\nthird", "日本語のとても長い文章はどこで折り返しますか"} {
		lines := look.Break(s, 100, 14, fyne.TextStyle{})
		squeeze := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if squeeze(strings.Join(lines, "")) != squeeze(s) {
			t.Errorf("%q became %q", s, lines)
		}
		for _, l := range lines {
			if fyne.MeasureText(l, 14, fyne.TextStyle{}).Width > 101 {
				t.Errorf("%q is too wide", l)
			}
		}
	}
}

func TestShow(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"no audio\u202e after":     "no audio‹U+202E› after",
		"a\u200b\u200b\u200bb":     "a‹U+200B ×3›b",
		"\xff\xff\xfe":             "‹byte FF ×2›‹byte FE›",
		"a\u200bb":                 "a‹U+200B›b",
		"tag\U000E0041":            "tag‹U+E0041›",
		"two\nlines":               "two‹line break›lines",
		"bell\a":                   "bell‹U+0007›",
		"bad\xffbyte":              "bad‹byte FF›byte",
		"replaced\ufffd":           "replaced‹U+FFFD›",
		"soft\u00adhyphen":         "soft‹U+00AD›hyphen",
		"👨\u200d👩\u200d👧":          "👨\u200d👩\u200d👧",
		"pay\u200dpal":             "pay‹U+200D›pal",
		"❤\ufe0f":                  "❤\ufe0f",
		"a\ufe0f":                  "a‹U+FE0F›",
		"blank\u3164":              "blank‹U+3164›",
		"می\u200cخواهم":            "می\u200cخواهم",
		"private\ue000":            "private‹U+E000›",
		"isolate\u2066x\u2069":     "isolate‹U+2066›x‹U+2069›",
		"\u2028separator\u2003em":  "‹U+2028›separator‹U+2003›em",
		"Ünïcödé — “quotes” 日本":    "Ünïcödé — “quotes” 日本",
		"looks like ‹U+202E› name": "looks like ‹U+202E› name",
	} {
		if got := look.Show(in); got != want {
			t.Errorf("Show(%q) = %q, want %q", in, got, want)
		}
	}
	if pieces := look.Pieces("‹U+202E›\u202e"); len(pieces) != 2 || pieces[0].Hidden || !pieces[1].Hidden {
		t.Errorf("a name and what it names can't be told apart: %v", pieces)
	}
	if look.HasHidden("a\r\n\tb") || !look.HasHidden("a\u202eb") {
		t.Error("HasHidden counts line breaks, or misses what hides")
	}
}

func FuzzShow(f *testing.F) {
	f.Add("a\u202eb\xff\u200d")
	f.Fuzz(func(t *testing.T, s string) {
		if got := look.Show(s); look.Show(got) != got {
			t.Errorf("%q shown still hides: %q", s, got)
		}
		back := ""
		for _, p := range look.Pieces(s) {
			if !p.Hidden {
				back += p.Text
			}
		}
		if look.HasHidden(back) && !strings.ContainsAny(back, "\u200c\u200d\ufe0e\ufe0f") {
			t.Errorf("%q: a piece hides", s)
		}
	})
}

func TestAgo(t *testing.T) {
	looktest.Language(t, "en_GB")
	now := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 12 * time.Second: "12 s ago", 90 * time.Second: "1 min ago", 2*time.Hour + 5*time.Minute: "2 h 5 min ago",
		3*24*time.Hour + 4*time.Hour: "3 d 4 h ago", 40 * 24 * time.Hour: "40 d ago", -time.Hour: "just now",
	} {
		if got := look.Ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := look.Ago(time.Time{}, now); got != "never" {
		t.Errorf("no time is %q", got)
	}
}

func TestButtonKeys(t *testing.T) {
	looktest.App(t, look.Light)
	n := 0
	b := look.NewButton("Stop", look.Ordinary, func() { n++ })
	looktest.Window(t, b, fyne.NewSize(100, 40))
	for _, key := range []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter, fyne.KeyEscape, fyne.KeyA} {
		b.TypedKey(&fyne.KeyEvent{Name: key})
	}
	test.Tap(b)
	if n != 4 {
		t.Errorf("pressed %d times, want 4", n)
	}
	b.Able(false)
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	test.Tap(b)
	if n != 4 {
		t.Error("a disabled button was pressed")
	}
	b.Able(true)
	b.Keys = func(*fyne.KeyEvent) bool { return true }
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if n != 4 {
		t.Error("a key that was kept pressed the button")
	}
}

// TestGallery draws everything there is, for the eye.
func TestGallery(t *testing.T) {
	for _, mode := range modes {
		for _, scale := range []float32{1, 2} {
			looktest.App(t, mode)
			w := looktest.Window(t, gallery(), fyne.NewSize(760, 520))
			img := looktest.Capture(w, scale)
			if img.Bounds().Dx() != int(760*scale) {
				t.Errorf("%v at %v is %v", mode, scale, img.Bounds())
			}
			looktest.Shoot(t, w, scale, "gallery-"+string(mode)+map[float32]string{1: "", 2: "-200"}[scale])
		}
	}
}

func gallery() fyne.CanvasObject {
	icons := container.NewGridWithColumns(18)
	for _, name := range assets.Icons() {
		icons.Add(container.NewGridWrap(fyne.NewSquareSize(20), widget.NewIcon(look.Icon(name))))
	}
	spark, bars := look.NewSpark(), look.NewBars(theme.ColorNamePrimary, theme.ColorNameWarning)
	spark.Set([]int{2, 3, 2, 5, 7, 4, 4, 8, 6, 9, 5, 3, 6, 7})
	bars.Set([][]int{{4, 0}, {6, 1}, {2, 2}, {9, 0}, {5, 1}, {7, 0}, {3, 1}})
	off := look.NewButton("Send", look.Accent, nil)
	off.Able(false)
	menu := look.NewButton("Allow once", look.Ordinary, nil)
	menu.Menu = true
	focused := look.NewButton("Deny", look.Danger, nil)
	focused.FocusGained()
	entry := widget.NewEntry()
	entry.SetText("Your answer")
	return look.Inset(look.Column(12,
		look.Ends(look.Title("Servers"), look.NewButton("Pause all", look.Ordinary, nil), look.NewButton("Add server", look.Accent, nil)),
		look.Across(12, look.State(look.Ready, "Ready"), look.State(look.Busy, "Starting"), look.State(look.Asking, "Waiting for your trust"), look.State(look.Failed, "Stopped after 5 crashes"), look.State(look.Off, "Off")),
		look.Across(8, look.Tag("changes things", look.Asking), look.Tag("destructive", look.Off), look.Tag("SRV-EXIT", look.Failed), look.Tag("new", look.Busy), look.Tag("read-only", look.Ready), look.Key("Esc")),
		look.Rule(),
		look.Across(8, focused, menu, look.NewButton("Plain", look.Ordinary, nil), off, look.NewButton("Open its log", look.Quiet, nil), look.IconButton(look.Icon("copy"), "Copy", nil)),
		look.Card(look.Column(8, look.Strong("postgres stopped"), look.Words("It exited with code 1 before it answered. Its last words say that the database refused the password, which is a long sentence that has to be broken somewhere."), look.Small("5 crashes in 2 minutes"), look.Mono("FATAL: password authentication failed for user \"app\"")), theme.ColorNameError),
		look.Across(20, spark, bars, icons),
		container.NewGridWithColumns(2, entry, widget.NewSelect([]string{"Full", "Short"}, nil)),
		look.Mono("npx -y @modelcontextprotocol/server-filesystem /home/someone/with/a/path/that/is/longer/than/the/window/is/wide/and/more"),
	), 22, 18)
}
