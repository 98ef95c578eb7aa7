package activity

import (
	"bytes"
	"strings"

	"bridgekeeper/app/wire"
)

// filter is a query that is ready for looking at lines.
type filter struct {
	q            wire.ActivityQuery
	since, until string // in timeFormat: times in it compare like texts
	oldest       string // no older line is of interest
	needles      [][]byte
	any          bool // nothing but the time is asked for
}

func newFilter(q wire.ActivityQuery) *filter {
	f := &filter{q: q}
	if !q.Since.IsZero() {
		f.since = q.Since.UTC().Format(timeFormat)
		f.oldest = q.Since.Add(-clockSlack).UTC().Format(timeFormat)
	}
	if !q.Until.IsZero() {
		f.until = q.Until.UTC().Format(timeFormat)
	}
	for _, want := range []struct{ key, text string }{
		{`,"host":`, q.Host}, {`,"server":`, q.Server}, {`,"tool":`, q.Tool}, {`,"decision":`, q.Decision},
	} {
		if want.text != "" && !strings.Contains(want.text, "*") {
			f.needles = append(f.needles, appendText(nil, want.key, want.text, maxField))
		}
	}
	f.any = q.Host == "" && q.Server == "" && q.Tool == "" && q.Decision == "" && q.Outcome == "" && q.Kind == ""
	return f
}

// facts are what a filter looks at, beside the time; parts of a line.
type facts struct {
	kind, host, server, tool, decision []byte
}

// begins reports whether the begin of an entry fits, as far as it tells.
func (f *filter) begins(r *record) (fits bool) {
	if f.since != "" && string(r.time) < f.since || f.until != "" && string(r.time) > f.until {
		return false
	}
	if f.any {
		return true
	}
	for _, needle := range f.needles {
		if !bytes.Contains(r.rest, needle) {
			return false
		}
	}
	v, ok := r.facts()
	return ok && f.fits(&v)
}

func (f *filter) fits(v *facts) bool {
	q := &f.q
	return (q.Kind == "" || q.Kind == string(v.kind)) && (q.Decision == "" || q.Decision == string(v.decision)) &&
		like(q.Host, v.host) && like(q.Server, v.server) && like(q.Tool, v.tool)
}

// ends reports whether the outcome fits; r is the begin.
func (f *filter) ends(r *record, outcome string) bool {
	switch f.q.Outcome {
	case "":
		return true
	case wire.OutcomeRunning:
		return outcome == "" && r.runs()
	}
	return f.q.Outcome == outcome
}

// runs reports whether the begin is one of a call that was sent.
func (r *record) runs() bool {
	v, ok := r.facts()
	return ok && string(v.kind) == KindCall && string(v.decision) == string(Allow)
}

var callKind = []byte(KindCall)

// facts reads what filters look at. Values with escapes are rare and cost a copy.
func (r *record) facts() (v facts, ok bool) {
	v.kind = callKind
	f := members{rest: r.rest}
	for {
		key, value, more := f.next()
		if !more {
			return v, !f.bad
		}
		var to *[]byte
		switch string(key) {
		case "kind":
			to = &v.kind
		case "host":
			to = &v.host
		case "server":
			to = &v.server
		case "tool":
			to = &v.tool
		case "decision":
			to = &v.decision
		default:
			continue
		}
		if len(value) < 2 || value[0] != '"' {
			return v, false
		}
		*to = value[1 : len(value)-1]
		if bytes.IndexByte(*to, '\\') >= 0 {
			s, ok := words(nil).text(value)
			if !ok {
				return v, false
			}
			*to = []byte(s)
		}
	}
}

// like reports whether a text is what the pattern says, in which * stands for any
// run of characters; an empty pattern is content with everything.
func like(pattern string, text []byte) bool {
	if pattern == "" {
		return true
	}
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return bounded(pattern) == string(text)
	}
	text, ok := bytes.CutPrefix(text, []byte(first))
	for ok && star {
		first, rest, star = strings.Cut(rest, "*")
		if !star {
			return bytes.HasSuffix(text, []byte(first))
		}
		_, text, ok = bytes.Cut(text, []byte(first))
	}
	return ok
}

// bounded is a name as it is recorded.
func bounded(s string) string {
	if len(s) <= maxField {
		return s
	}
	return strings.ToValidUTF8(s[:maxField], "\ufffd") + "…"
}
