//go:build race

package ui

// raced: pictures are drawn by Fyne alone, and under the race detector that takes
// minutes.
const raced = true
