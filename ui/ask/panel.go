package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/ui/look"
)

// searchFrom is how many rows a page has before searching it helps.
const searchFrom = 15

// panel is a box with a page in it: a head with a title, search and copy, and the
// sheet.
type panel struct {
	fyne.CanvasObject
	sheet *sheet
	title *look.Text
	find  *entry
	count *look.Text
	box   *fyne.Container
	parts *fyne.Container // of the head
}

// newPanel is a panel that copies copied(); nil for nothing to copy.
func (p *Popup) newPanel(title string, ls []line, copied func() string) *panel {
	n := &panel{sheet: p.newSheet(ls), title: look.Muted(title), count: look.Muted("").Whole()}
	n.find = p.newEntry(false)
	n.find.SetPlaceHolder(lang.L("Search"))
	n.find.OnChanged = n.search
	n.find.OnSubmitted = func(string) { n.sheet.next(1); n.tell(len(n.sheet.found)) }
	room := container.NewGridWrap(fyne.NewSize(150, n.find.MinSize().Height), n.find)
	up := look.IconButton(look.Icon("up"), lang.L("The one before"), func() { n.sheet.next(-1); n.tell(len(n.sheet.found)) })
	down := look.IconButton(look.Icon("down"), lang.L("The next one"), func() { n.sheet.next(1); n.tell(len(n.sheet.found)) })
	p.watch(up)
	p.watch(down)
	least := look.NewBlock("", 0) // a head without buttons is as high as one with
	least.Least = fyne.NewSize(1, 28)
	head := []fyne.CanvasObject{n.count, room, up, down, least}
	if copied != nil {
		c := look.IconButton(look.Icon("copy"), lang.L("Copy all of it, as it was sent"), func() { p.app.Clipboard().SetContent(copied()) })
		p.watch(c)
		head = append(head, c)
	}
	n.parts = look.Ends(n.title, head...)
	n.box = look.Column(0, look.Inset(n.parts, sheetPad, 3), look.Rule(), n.sheet)
	look.Stretch(n.box, n.sheet)
	n.CanvasObject = look.Box(n.box, "")
	n.searchable(head[:4])
	return n
}

// searchable shows the search where a page is long.
func (n *panel) searchable(parts []fyne.CanvasObject) {
	n.sheet.fit(bodyWidth)
	for _, o := range parts {
		if len(n.sheet.paper.rows) < searchFrom {
			o.Hide()
		} else {
			o.Show()
		}
	}
}

// head puts one more button into the head.
func (n *panel) head(o fyne.CanvasObject) { n.parts.Add(o) }

func (n *panel) search(what string) { n.tell(n.sheet.search(what)) }

func (n *panel) tell(found int) {
	switch {
	case n.find.Text == "":
		n.count.Set("", "")
	case found == 0:
		n.count.Set(lang.L("not there"), "")
	default:
		n.count.Set(lang.L("{{.N}} of {{.All}}", filled{"N": n.sheet.current + 1, "All": found}), "")
	}
	n.box.Refresh()
}

// watch lets the pop-up see a button's keys first, and brings the button into
// sight when it has the keyboard.
func (p *Popup) watch(b *look.Button) {
	b.Keys = p.keys
	b.OnFocus = func() { p.reveal(b) }
}

// entry is Fyne's, whose keys the pop-up sees first.
type entry struct {
	widget.Entry
	p    *Popup
	left func() // the keyboard went elsewhere
}

func (p *Popup) newEntry(lines bool) *entry {
	e := &entry{p: p}
	e.MultiLine = lines
	if lines {
		e.Wrapping = fyne.TextWrapWord
	}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey is for Fyne.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	if !e.p.keys(k) {
		e.Entry.TypedKey(k)
	}
}

// TypedRune is for Fyne: what is typed in the first moment was meant for another
// window.
func (e *entry) TypedRune(r rune) {
	if !e.p.keys(&fyne.KeyEvent{}) {
		e.Entry.TypedRune(r)
	}
}

// FocusGained is for Fyne.
func (e *entry) FocusGained() {
	e.Entry.FocusGained()
	e.p.reveal(e)
}

// FocusLost is for Fyne.
func (e *entry) FocusLost() {
	e.Entry.FocusLost()
	if e.left != nil {
		e.left()
	}
}

// AcceptsTab is for Fyne: Tab goes on to the next field, also from a text of
// several lines, or the keyboard would be caught there.
func (e *entry) AcceptsTab() bool { return false }
