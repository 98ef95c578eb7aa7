//go:build race

package stdio

// raceEnabled: a sync.Pool drops things at random then.
const raceEnabled = true
