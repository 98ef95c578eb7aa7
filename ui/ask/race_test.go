//go:build race

package ask

// raced says that the race detector is on: everything takes ten times as long.
const raced = true
