package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// maxWarnings bounds how many warnings stand above a page.
const maxWarnings = 3

// strips are what stands above every page because it concerns all of them: no
// core, everything held, a config that can't be read, the core's warnings.
type strips struct {
	frame  *frame
	box    *fyne.Container
	onMove func()
	said   string
}

func newStrips(f *frame) *strips { return &strips{frame: f, box: below(0)} }

// apply draws the strips anew when what they say has changed.
func (s *strips) apply(snap *wire.Snapshot, down *wire.Error) {
	type strip struct {
		text, label string
		act         func()
		tone        tone
	}
	var list []strip
	switch {
	case down != nil:
		list = append(list, strip{text: explain(down) + " " + lang.L("This window tries again by itself."), tone: toneFailed})
	case !snap.Core.Held.IsZero():
		list = append(list, strip{text: lang.L("Everything is held: every call and question is denied."), label: lang.L("Go on"),
			act: func() { s.frame.hold(false) }, tone: toneAsking})
	}
	if e := snap.Config.Error; e != nil && down == nil {
		list = append(list, strip{text: lang.L("The config file can't be read, so the one before it runs on.") + " " + explain(e),
			label: lang.L("Open the file"), act: func() { s.frame.openFile(snap.Config.Path) }, tone: toneFailed})
	}
	if down == nil {
		for _, text := range snap.Core.Warnings[:min(len(snap.Core.Warnings), maxWarnings)] {
			list = append(list, strip{text: sentence(clean(text)), tone: toneAsking})
		}
	}
	said := ""
	for _, one := range list {
		said += one.text + "\n"
	}
	if said == s.said {
		return
	}
	s.said = said
	s.box.RemoveAll()
	for _, one := range list {
		words := newHint(plain(one.text))
		words.color = one.tone.color()
		line := fyne.CanvasObject(words)
		if one.label != "" {
			line = container.NewBorder(nil, nil, nil, newButton(one.label, one.act), words)
		}
		s.box.Add(container.NewStack(newBlock(one.tone.ground(), 0), inset(line, margin, 8)))
	}
	if s.onMove != nil {
		s.onMove()
	}
}

// pageShortcut is Ctrl, on a Mac Cmd, with a key.
func pageShortcut(key fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
}
