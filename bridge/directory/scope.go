package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Sharing says who shares one instance of a server.
type Sharing string

// The values are those of the config file's "sharing" key.
const (
	Shared     Sharing = "shared"      // all hosts: one instance
	PerHost    Sharing = "per-host"    // one for each host and set of capabilities
	PerSession Sharing = "per-session" // one for each session; a modern host has none, and gets its own as per-host
)

// Scope names an instance of a server and says what its client can do. The
// zero Scope is the shared instance, whose capabilities are the session's own.
type Scope struct {
	ID           string
	Capabilities []byte // exactly the host's, raw
}

// sessionScope begins the scope of an instance that is one session's.
const sessionScope = "session:"

// scope returns whose instance of the server the seat uses.
func (d *Directory) scope(seat *Seat, server string) Scope {
	if d.opts.Sharing == nil {
		return Scope{}
	}
	capabilities := seat.Capabilities
	if capabilities == nil {
		capabilities = []byte("{}")
	}
	switch d.opts.Sharing(server) {
	case PerSession:
		if seat.Session != "" {
			return Scope{sessionScope + seat.Session, capabilities}
		}
		fallthrough
	case PerHost:
		if s := d.View().Server(server); s != nil && s.Info != nil && s.Info.Era == upstream.Modern {
			return Scope{seat.Host, capabilities} // it is told with each request: one copy does
		}
		sum := sha256.Sum256(capabilities)
		return Scope{seat.Host + " " + hex.EncodeToString(sum[:4]), capabilities}
	}
	return Scope{}
}

// hears reports whether news of the instance of that scope is the seat's: of its
// own, or, for a host that isn't in a session, of any of its copies.
func (d *Directory) hears(seat *Seat, server, scope string) bool {
	own := d.scope(seat, server).ID
	if own == scope {
		return true
	}
	return own != "" && !strings.HasPrefix(own, sessionScope) && strings.HasPrefix(scope, seat.Host+" ")
}

// release ends the instances that ran for this seat's session alone.
func (d *Directory) release(seat *Seat) {
	if seat.Session == "" || d.opts.Sharing == nil {
		return
	}
	d.mu.Lock()
	names := d.seenLocked(seat)
	d.mu.Unlock()
	for _, name := range names {
		if d.opts.Sharing(name) == PerSession {
			scope := d.scope(seat, name)
			d.opts.Upstreams.Release(name, scope)
			d.tasks.drop(func(t *task) bool { return t.server == name && t.scope.ID == scope.ID })
		}
	}
}

// Declares reports a member of raw capabilities, or one inside it
// ("elicitation.url"). "elicitation.form" is also what an elicitation says that
// names no mode: before there were two, it was the only one.
func Declares(capabilities []byte, capability string) bool {
	if capability == "elicitation.form" && !has(capabilities, capability) {
		return has(capabilities, "elicitation") && !has(capabilities, "elicitation.url")
	}
	return has(capabilities, capability)
}

func has(capabilities []byte, capability string) bool {
	for member := range strings.SplitSeq(capability, ".") {
		at := rpc.Find(capabilities, member)
		if !at.Ok() {
			return false
		}
		capabilities = capabilities[at.Start:at.End]
	}
	return true
}
