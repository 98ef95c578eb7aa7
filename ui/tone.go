package ui

// tone is what a colour means: how something does.
type tone int

const (
	toneOff tone = iota
	toneReady
	toneBusy
	toneAsking
	toneFailed
)
