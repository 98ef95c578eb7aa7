package httpd

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"bridgekeeper/bridge/rpc"
)

// heartbeat is how long a host that asked for progress hears nothing at most:
// some take half a minute without progress for a call that hangs.
const heartbeat = 10 * time.Second

// pulse is the progress of one call as its host sees it: the server's own, and
// ours where the server is silent. Its values always increase, as the
// specification wants (progress, "Behavior Requirements"). It is guarded by its
// exchange's mu.
type pulse struct {
	token []byte      // the host's, raw
	next  *time.Timer // fires when the silence may have lasted too long
	last  float64     // the newest value that the host was told
	told  bool        // it was told any
	at    time.Time   // when that was, or the call began
}

func newPulse(token []byte) *pulse {
	return &pulse{token: bytes.Clone(token), at: time.Now()} // the body's buffer is used again
}

// tinyStep is what a value of ours is above the one before: a server's own next
// step is far larger.
const tinyStep = 1e-6

// above returns the next value after last.
func above(last float64) float64 {
	if next := last + tinyStep; next > last {
		return next
	}
	return math.Nextafter(last, math.Inf(1))
}

// heard takes progress of the server and returns what the host is told: the same
// bytes, but for a value that is not above the last one. Its message is worth
// telling all the same.
func (p *pulse) heard(m *rpc.Message) []byte {
	params := m.Bytes(m.Params)
	at := rpc.Find(params, "progress")
	if !at.Ok() {
		return m.Raw
	}
	value, err := strconv.ParseFloat(string(params[at.Start:at.End]), 64)
	if err != nil {
		return m.Raw // no number, or none that can be compared
	}
	raw := m.Raw
	if p.told && value <= p.last {
		value = above(p.last)
		at = rpc.Span{Start: m.Params.Start + at.Start, End: m.Params.Start + at.End}
		raw = rpc.Splice(nil, raw, rpc.Edit{Span: at, With: formatProgress(value)})
	}
	p.last, p.told, p.at = value, true, time.Now()
	return raw
}

// beat makes progress of our own.
func (p *pulse) beat() []byte {
	p.last, p.told, p.at = above(p.last), true, time.Now()
	params := rpc.AppendMember([]byte(nil), "progressToken", p.token)
	params = rpc.AppendMember(params, "progress", formatProgress(p.last))
	params = rpc.AppendMember(params, "message", []byte(`"still running"`))
	return rpc.AppendNotification(nil, rpc.Progress, append(append([]byte{'{'}, params...), '}'))
}

func formatProgress(value float64) []byte { return strconv.AppendFloat(nil, value, 'f', -1, 64) }

// beat tells the host that its call still runs, when it has heard nothing for a
// while, and looks again later.
func (x *exchange) beat() {
	st := x.open()
	x.mu.Lock()
	defer x.mu.Unlock()
	if st == nil || x.closed {
		return
	}
	wait := x.server.beat - time.Since(x.pulse.at)
	if wait <= 0 {
		st.add(x.pulse.beat())
		wait = x.server.beat
	}
	x.pulse.next.Reset(wait)
}
