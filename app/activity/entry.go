package activity

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"unicode/utf8"

	"bridgekeeper/app/wire"
)

// Decision is what the gate said.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Kinds of entries; an entry without one is a call.
const (
	KindCall     = wire.ActivityCall
	KindQuestion = wire.ActivityQuestion
	KindChange   = wire.ActivityChange
	KindRecord   = wire.ActivityRecord
)

// Entry is a call that is about to be sent, or was denied; or, for Note,
// something else that a person should find again.
type Entry struct {
	Kind               string // "" is a call
	Host, Server, Tool string
	Session            string // a name for the host's session; not the id that it is known by, which is a key
	Decision           Decision
	Rule               string // why: the rule that decided, in words
	By                 string // who decided: policy, terminal, window, cli, host, nobody
	Arguments          []byte // as the host sent them
	Text               string // of a Note: what happened, in words
}

// ID names an entry in the record, for the End of a Begin. It grows, and is unique
// over runs of the core as long as the clock doesn't go back.
type ID uint64

const (
	// maxField bounds a name in the record: a tool's name comes from the host's
	// request and may be megabytes long.
	maxField = 256
	// maxText bounds a Note's sentences.
	maxText = 2000
	// maxArgs bounds arguments that are recorded whole: the record is for finding
	// out what happened, not a copy of all files that were written by tools.
	maxArgs = 16 << 10
	// maxLine is above the longest line that we write: arguments of which every
	// byte is escaped. A longer one is not ours.
	maxLine = 256 << 10
)

// prepared is an entry with what can be computed before the lock is taken.
type prepared struct {
	Entry
	size    int
	sum     [8]byte
	args    []byte // JSON in one line; nil when they aren't recorded
	argText []byte // instead of args, when they aren't JSON or too long
}

func (l *Log) prepare(e Entry) prepared {
	p := prepared{Entry: e, size: len(e.Arguments)}
	if l.redact != nil {
		p.Rule = string(l.redact([]byte(e.Rule)))
		p.Text = string(l.redact([]byte(e.Text)))
	}
	if p.size == 0 {
		return p
	}
	sum := sha256.Sum256(e.Arguments)
	p.sum = [8]byte(sum[:8])
	if l.arguments.Load() {
		args := e.Arguments
		if l.redact != nil {
			args = l.redact(args)
		}
		p.args, p.argText = whole(args)
	}
	return p
}

// whole returns arguments as JSON of one line, or as a text.
func whole(args []byte) (asJSON, text []byte) {
	if len(args) > 4*maxArgs { // blanks alone may make up for less
		return nil, args[:maxArgs+1]
	}
	var b bytes.Buffer
	if json.Compact(&b, args) != nil || !utf8.Valid(b.Bytes()) {
		return nil, args
	}
	if b.Len() > maxArgs {
		return nil, b.Bytes()
	}
	return b.Bytes(), nil
}
