// Package hostcfg knows the files of AI applications (hosts): which are there,
// which servers they have, and how our own entry gets into one of them and out again.
//
// It owns the journal of what it changed in hosts' files, with backups. It never
// writes a file that it couldn't read, expands or runs nothing of what it reads,
// never takes over that tools run unasked, and knows nothing of the running core:
// tokens are given to it. The app calls it.
package hostcfg

import (
	"crypto/sha256"
	"encoding/hex"
)

// EntryName is the name of our entry in hosts' files: letters only, because some
// hosts take names apart at _ or -.
const EntryName = "bridgekeeper"

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
