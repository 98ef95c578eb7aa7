// Package note shows desktop notifications that bring a window up when they are
// clicked, and go away when they are no longer true. On Linux it speaks to the
// desktop itself, because Fyne's notifications tell nothing of a click; elsewhere,
// and without a session bus, it uses Fyne's. It decides nothing about what is
// shown, and puts no buttons on it: a question is answered where it can be read.
package note

import "fyne.io/fyne/v2"

// Sender shows notifications. Its methods are called on Fyne's goroutine, and so
// is what it calls.
type Sender struct {
	app  fyne.App
	desk *desktop // nil where Fyne's are used
}

// New is a Sender for an app. Close it at the end.
func New(app fyne.App) *Sender { return &Sender{app: app, desk: connect()} }

// Send shows a notification; clicked is called when a person clicks it, where that
// can be known. The returned function takes it away again, where that is possible.
func (s *Sender) Send(n *fyne.Notification, clicked func()) (gone func()) {
	if s.desk != nil {
		if gone, ok := s.desk.send(n, clicked); ok {
			return gone
		}
	}
	s.app.SendNotification(n)
	return func() {}
}

// Close forgets what was sent, and waits for the goroutine that listens for clicks.
func (s *Sender) Close() {
	if s.desk != nil {
		s.desk.close()
		s.desk = nil
	}
}
