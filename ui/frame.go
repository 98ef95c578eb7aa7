package ui

import (
	"context"
	"errors"
	"net/url"
	"time"

	"fyne.io/fyne/v2"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// Names of the pages, as Event.Show and the sidebar have them.
const (
	PageServers   = "servers"
	PageQuestions = "questions"
	PageLogs      = "logs"
	PageActivity  = "activity"
	PageHosts     = "hosts"
	PageSecrets   = "secrets"
	PageAdd       = "add"
	PageSettings  = "settings"
)

// frame is what pages need of the window around them.
type frame struct {
	model *Model
	win   fyne.Window
	app   fyne.App
	now   func() time.Time
	self  string  // path of this program, "" when it isn't known
	room  float32 // width of the page
	high  float32 // its height

	visit func(page string)                                      // goes to another page
	ask   func(id string)                                        // opens the pop-up of a question
	tell  func(text string, action string, act func(), bad bool) // says something at the bottom for a while
	logs  func(server string)                                    // goes to the log of one server
}

// page is one page of the window, built from data: what it shows comes with apply.
type page interface {
	content() fyne.CanvasObject
	// apply shows a snapshot. It is called after every change while the page can be
	// seen, and when it comes to be seen.
	apply(s *wire.Snapshot)
	// seen says whether the page can be seen now.
	seen(on bool)
}

// do runs a request; what goes wrong is told at the bottom of the window.
func (f *frame) do(work func(context.Context, *client.Client) error, then func()) {
	f.model.Do(work, func(err error) {
		if err != nil {
			f.fail(err)
			return
		}
		if then != nil {
			then()
		}
	})
}

// fail tells of an error: a sentence, and what to do.
func (f *frame) fail(err error) {
	f.tell(explain(err), "", nil, true)
}

// refused is what a stream's end tells a person: a refusal. That the core is away
// is told above every page, and a stream that is ended on purpose needs no word.
func refused(err error) string {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Code == wire.CodeNotRunning {
		return ""
	}
	return explain(e)
}

// explain is an error for a person: a sentence, and what to do.
func explain(err error) string {
	e := wire.AsError(err)
	text := sentence(look.Show(e.Message))
	if e.Hint != "" {
		text += " " + sentence(look.Show(e.Hint))
	}
	return text
}

// act orders start, stop or restart.
func (f *frame) act(server, verb string) {
	f.do(func(ctx context.Context, c *client.Client) error { return c.Act(ctx, server, verb) }, nil)
}

// open shows an address or a file with the program that the system has for it.
func (f *frame) open(address string) {
	u, err := url.Parse(address)
	if err == nil {
		err = f.app.OpenURL(u)
	}
	if err != nil {
		f.fail(err)
	}
}

// openFile shows a file or a folder.
func (f *frame) openFile(path string) {
	if len(path) > 1 && path[1] == ':' { // a drive of Windows
		path = "/" + path
	}
	f.open((&url.URL{Scheme: "file", Path: path}).String())
}

// copy puts text on the clipboard and says so.
func (f *frame) copy(text, said string) {
	f.app.Clipboard().SetContent(text)
	f.tell(said, "", nil, false)
}

// focus moves the keyboard to a widget. It doesn't ask the driver where the widget
// is: that knows only what was drawn once.
func (f *frame) focus(w fyne.Focusable) { f.win.Canvas().Focus(w) }
