package ask

import (
	"time"

	"fyne.io/fyne/v2"
)

// Clock is the time as pop-ups know it. After calls f on Fyne's goroutine unless
// it is stopped before.
type Clock interface {
	Now() time.Time
	After(d time.Duration, f func()) (stop func())
}

// wall is the real clock.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) After(d time.Duration, f func()) func() {
	stopped := false // on Fyne's goroutine only
	timer := time.AfterFunc(d, func() {
		fyne.Do(func() {
			if !stopped {
				f()
			}
		})
	})
	return func() {
		stopped = true
		timer.Stop()
	}
}
