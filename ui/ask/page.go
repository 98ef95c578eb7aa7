package ask

import (
	"errors"
	"net/url"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/ui/look"
)

// maxURL is how many letters of an address are set; browsers take about as many.
const maxURL = 8000

// page asks whether a web page may be opened. Nothing is fetched; the browser
// opens after a yes that the core took.
func (p *Popup) page() content {
	d := p.q.URL
	c := p.asked(runs("{{.Server}} wants you to open a page", map[string]look.Run{"Server": {Text: p.q.Server}}))
	if d.Message != "" {
		c.parts = append(c.parts, p.quote(d.Message))
	}
	copied := look.IconButton(look.Icon("copy"), lang.L("Copy the address"), func() { p.app.Clipboard().SetContent(d.URL) })
	p.watch(copied)
	globe := container.NewGridWrap(fyne.NewSquareSize(22), widget.NewIcon(look.IconIn("globe", look.ColorMuted)))
	host := look.NewRich(theme.ColorNameForeground, theme.SizeNameHeadingText, look.Run{Text: d.Host, Bold: true})
	card := look.Card(look.Column(8,
		look.Ends(look.Across(look.Gap, globe, look.Muted(lang.L("Your browser would go to")).Whole()), copied),
		host,
		look.NewRich(look.ColorMuted, theme.SizeNameText, look.Run{Text: clipped(d.URL, maxURL), Mono: true}),
	), "")
	c.parts = append(c.parts, card)
	for _, n := range d.Notes {
		c.parts = append(c.parts, warning(n))
	}
	return c
}

// asked is the head of what a server asks while it does something.
func (p *Popup) asked(title []look.Run) content {
	tag := look.Tag(lang.L("a server asks"), look.Off)
	c := content{tags: []fyne.CanvasObject{tag}, title: title}
	switch {
	case p.q.Tool != "" && p.q.Host != "":
		c.below = runs("While running {{.Tool}} for {{.Host}}.", map[string]look.Run{"Tool": code(clipped(p.q.Tool, maxName)), "Host": named(clipped(p.q.Host, maxName))})
	case p.q.Host != "":
		c.below = runs("While working for {{.Host}}.", map[string]look.Run{"Host": named(clipped(p.q.Host, maxName))})
	default:
		c.below = []look.Run{{Text: lang.L("It isn't known which app's call made it ask.")}}
	}
	return c
}

// browse opens the page in the person's browser.
func (p *Popup) browse() error {
	u, err := url.Parse(p.q.URL.URL)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New(lang.L("Only addresses that begin with http or https are opened."))
	}
	return p.app.OpenURL(u)
}
