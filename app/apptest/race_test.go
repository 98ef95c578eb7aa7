//go:build race

package apptest

const raceBuild = true // the servers are the test binary: slow with the race detector
