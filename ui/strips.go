package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
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

func newStrips(f *frame) *strips { return &strips{frame: f, box: look.Column(0)} }

// apply draws the strips anew when what they say has changed.
func (s *strips) apply(snap *wire.Snapshot, down *wire.Error) {
	type strip struct {
		text, label string
		act         func()
		tone        look.Tone
	}
	var list []strip
	switch {
	case down != nil:
		list = append(list, strip{text: explain(down) + " " + lang.L("This window tries again by itself."), tone: look.Failed})
	case !snap.Core.Held.IsZero():
		list = append(list, strip{text: lang.L("Everything is held: every call and question is denied."), label: lang.L("Go on"),
			act: func() { s.frame.hold(false) }, tone: look.Asking})
	}
	if e := snap.Config.Error; e != nil && down == nil {
		list = append(list, strip{text: lang.L("The config file can't be read, so the one before it runs on.") + " " + explain(e),
			label: lang.L("Open the file"), act: func() { s.frame.openFile(snap.Config.Path) }, tone: look.Failed})
	}
	if down == nil {
		for _, text := range snap.Core.Warnings[:min(len(snap.Core.Warnings), maxWarnings)] {
			list = append(list, strip{text: sentence(look.Show(text)), tone: look.Asking})
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
		words := look.Words(one.text)
		words.Paint(one.tone.Color())
		var button fyne.CanvasObject
		if one.label != "" {
			button = look.NewButton(one.label, look.Ordinary, one.act)
		}
		s.box.Add(look.Stack(look.NewBlock(one.tone.Ground(), 0), look.Inset(beside(words, button), look.Margin, 8)))
	}
	if s.onMove != nil {
		s.onMove()
	}
}

// pageShortcut is Ctrl, on a Mac Cmd, with a key.
func pageShortcut(key fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
}
