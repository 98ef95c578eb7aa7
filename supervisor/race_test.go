//go:build race

package supervisor

// raceEnabled makes children slow to start.
const raceEnabled = true
