// Package ui is the window: a client of the local API like the command line,
// made with Fyne. It shows what the core's snapshots say and asks the core for
// what a person wants; it owns no state that lasts but how the window looks.
//
// It never touches the config, servers or their files itself, and never imports
// fyne.io/fyne/v2/app: that is ui/run's, which builds a Main here and shows it, so
// that tests of pages need no display. model.go is the one place where news
// crosses to Fyne's goroutine; everything else runs on that goroutine.
package ui
