// Package look is how Bridgekeeper looks: the theme, the icons, and the small
// widgets that windows and pop-ups are made of. It knows nothing of servers,
// questions or the core, opens no window and starts no goroutine but the one timer
// of a tip. The packages under ui use it, on Fyne's goroutine only.
package look
