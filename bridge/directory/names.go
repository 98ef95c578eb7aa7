package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Separator stands between a server's name and its tool's on the merged
// endpoint. Server names can't contain it.
const Separator = "__"

// Bounds of a name that hosts see.
const (
	// maxSeen is what every host accepts: models take names of at most 64
	// characters, of which a host uses up to 20 for a prefix of its own, such as
	// mcp__bridgekeeper__. It is one bound for all hosts, because a list must not
	// depend on who asks (2026-07-28), and names get written into host settings.
	maxSeen = 64 - 20
	// aliasHash is the number of hash digits at an alias's end: 40 bits, so that
	// of 20,000 aliases no two are expected to be equal. Should two be, the later
	// tool is hidden with a warning, as with any other collision.
	aliasHash = 10
	// maxServerPart is what an alias keeps of the server's name.
	maxServerPart = 16
)

// seenAs is the name under which hosts see a tool or prompt on the merged
// endpoint: server__own, or an alias where a host would refuse that. It depends
// on the two names alone, so that it outlives restarts and other tools.
//
// An alias ends with _ and hash digits. Names of servers that end so are given
// an alias too: no plain name can be equal to an alias.
func seenAs(server, own string) string {
	plain := server + Separator + own
	if len(plain) <= maxSeen && clean(plain) == plain && !looksHashed(plain) {
		return plain
	}
	sum := sha256.Sum256([]byte(server + "\x00" + own))
	part := serverPart(server) + Separator
	readable := clean(own)
	if room := maxSeen - len(part) - 1 - aliasHash; len(readable) > room {
		readable = readable[:room]
	}
	if readable = strings.Trim(readable, "_"); readable != "" {
		readable += "_"
	}
	return part + readable + hex.EncodeToString(sum[:])[:aliasHash]
}

// serverPart is how every alias of the server's tools begins.
func serverPart(server string) string {
	server = clean(server)
	return server[:min(len(server), maxServerPart)]
}

// clean replaces each run of characters that hosts refuse by one underscore.
func clean(name string) string {
	var b strings.Builder
	refused := false
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteRune(c)
			refused = false
		case !refused:
			b.WriteByte('_')
			refused = true
		}
	}
	return b.String()
}

// looksHashed reports whether a name ends as aliases do.
func looksHashed(name string) bool {
	at := len(name) - aliasHash
	return at > 0 && name[at-1] == '_' && strings.Trim(name[at:], "0123456789abcdef") == ""
}
