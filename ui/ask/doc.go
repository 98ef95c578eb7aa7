// Package ask shows the core's questions to a person, each in a window of its
// own, and hands back what the person chose. It decides nothing, opens no
// connection and starts no goroutine: the window process gives it snapshots and
// Actions, all on Fyne's goroutine. Whatever a server, a host or a model wrote is
// shown as plain text, with names for the characters that hide something.
package ask
