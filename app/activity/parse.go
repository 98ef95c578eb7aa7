package activity

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"bridgekeeper/app/wire"
)

// A record is read many times faster by looking for what we write ourselves than
// by a reader of all JSON. What isn't written in that form is not ours.

// record is one line, cut into pieces of it.
type record struct {
	n          uint64 // 0 in lines from before there was a chain
	prev, torn []byte // digests in hexadecimal, as far as we know yet
	explains   bool   // there is a torn
	time       []byte // in timeFormat
	id         uint64
	end        bool   // the end of a call; else the begin of an entry
	rest       []byte // the other members: `,"key":value` each, and `}`
}

// parse cuts a line without its newline. It does not look into the rest.
func parse(line []byte) (r record, ok bool) {
	b, ok := bytes.CutPrefix(line, []byte(`{"`))
	if !ok {
		return r, false
	}
	if after, chained := bytes.CutPrefix(b, []byte(`n":`)); chained {
		if r.n, b, ok = cutNumber(after); !ok || r.n == 0 {
			return r, false
		}
		if r.prev, b, ok = cutDigest(b, `,"prev":"`); !ok {
			return r, false
		}
		if bytes.HasPrefix(b, []byte(`,"torn"`)) {
			r.explains = true
			if r.torn, b, ok = cutDigest(b, `,"torn":"`); !ok {
				return r, false
			}
		}
		if b, ok = bytes.CutPrefix(b, []byte(`,"`)); !ok {
			return r, false
		}
	}
	if b, ok = bytes.CutPrefix(b, []byte(`time":"`)); !ok || len(b) < len(timeFormat) || !isTime(b[:len(timeFormat)]) {
		return r, false
	}
	r.time, b = b[:len(timeFormat)], b[len(timeFormat):]
	if b, ok = bytes.CutPrefix(b, []byte(`","call":"`)); !ok {
		return r, false
	}
	i := 0
	for ; i < len(b) && i < 16; i++ {
		d := unhex(b[i])
		if d > 15 {
			break
		}
		r.id = r.id<<4 | uint64(d)
	}
	if i == 0 || i >= len(b) || b[i] != '"' || b[len(b)-1] != '}' {
		return r, false
	}
	r.rest = b[i+1:]
	r.end = bytes.HasPrefix(r.rest, []byte(`,"outcome":`))
	return r, true
}

// whole reports whether the line is complete to its last member.
func (r *record) whole() bool {
	f := members{rest: r.rest}
	for {
		if _, _, more := f.next(); !more {
			return !f.bad
		}
	}
}

func cutNumber(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && i < 19 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	return n, b[i:], i > 0
}

// cutDigest takes digits for what they are: only verify has to read them.
func cutDigest(b []byte, key string) (digits, rest []byte, ok bool) {
	const n = 2 * len(digest{})
	b, ok = bytes.CutPrefix(b, []byte(key))
	if !ok || len(b) <= n || b[n] != '"' {
		return nil, b, false
	}
	return b[:n], b[n+1:], true
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// isTime reports whether digits and signs are where timeFormat has them, and it
// is a time that JSON can say.
func isTime(b []byte) bool {
	for i, c := range []byte("0000-00-00T00:00:00.000Z") {
		if c == '0' && (b[i] < '0' || b[i] > '9') || c != '0' && b[i] != c {
			return false
		}
	}
	two := func(i int, least, most string) bool {
		s := string(b[i : i+2])
		return least <= s && s <= most
	}
	return two(5, "01", "12") && two(8, "01", "31") && two(11, "00", "23") && two(14, "00", "59") && two(17, "00", "59")
}

func timeOf(b []byte) time.Time {
	d := func(from, to int) (n int) {
		for _, c := range b[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	return time.Date(d(0, 4), time.Month(d(5, 7)), d(8, 10), d(11, 13), d(14, 16), d(17, 19), d(20, 23)*1e6, time.UTC)
}

// members walks over the rest of a line.
type members struct {
	rest []byte
	bad  bool // it isn't in our form
}

// next returns a key and its raw value.
func (f *members) next() (key, value []byte, more bool) {
	b := f.rest
	if len(b) == 1 && b[0] == '}' {
		return nil, nil, false
	}
	if len(b) < 6 || b[0] != ',' || b[1] != '"' {
		f.bad = true
		return nil, nil, false
	}
	b = b[2:]
	end := bytes.IndexByte(b, '"')
	if end < 0 || end+2 >= len(b) || b[end+1] != ':' {
		f.bad = true
		return nil, nil, false
	}
	key, b = b[:end], b[end+2:]
	n := valueEnd(b)
	if n <= 0 {
		f.bad = true
		return nil, nil, false
	}
	f.rest = b[n:]
	return key, b[:n], true
}

// valueEnd is the length of the value that b begins with; 0 when it has no end.
func valueEnd(b []byte) int {
	switch b[0] {
	case '"':
		return stringEnd(b)
	case '{', '[':
		depth := 0
		for i := 0; i < len(b); {
			switch b[i] {
			case '"':
				n := stringEnd(b[i:])
				if n == 0 {
					return 0
				}
				i += n
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return 0
	}
	return max(bytes.IndexAny(b, ",}"), 0)
}

// stringEnd is the length of the string that b begins with; 0 when it has no end.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return 0
		}
		i += k
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if i++; slashes%2 == 0 {
			return i
		}
	}
	return 0
}

// maxWords bounds the table of texts that come again and again.
const maxWords = 4096

// words keeps one copy of each text that is read.
type words map[string]string

// text is a string's value.
func (w words) text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	raw := value[1 : len(value)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		var s string
		err := json.Unmarshal(value, &s)
		return s, err == nil
	}
	if s, known := w[string(raw)]; known {
		return s, true
	}
	s := string(raw)
	if len(w) < maxWords {
		w[s] = s
	}
	return s, true
}

// entry makes an entry of the line of its begin.
func (r *record) entry(w words) (a wire.Activity, ok bool) {
	a = wire.Activity{ID: strconv.FormatUint(r.id, 16), Time: timeOf(r.time), Kind: KindCall}
	f := members{rest: r.rest}
	ok = true
	for ok {
		key, value, more := f.next()
		if !more {
			return a, !f.bad
		}
		switch string(key) {
		case "kind":
			a.Kind, ok = w.text(value)
		case "host":
			a.Host, ok = w.text(value)
		case "server":
			a.Server, ok = w.text(value)
		case "tool":
			a.Tool, ok = w.text(value)
		case "session":
			a.Session, ok = w.text(value)
		case "decision":
			a.Decision, ok = w.text(value)
		case "rule":
			a.Rule, ok = w.text(value)
		case "by":
			a.By, ok = w.text(value)
		case "text":
			a.Text, ok = w.text(value)
		case "argSum":
			a.ArgSum, ok = w.text(value)
		case "argBytes":
			a.ArgBytes, ok = number(value)
		case "args":
			a.Args = bytes.Clone(value)
			ok = json.Valid(a.Args)
		}
	}
	return a, false
}

func number(value []byte) (int, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return int(n), err == nil && n >= 0
}

// ending is how a call came out.
type ending struct {
	outcome string
	at      int64 // milliseconds since 1970; 0 while it runs
	bytes   int
	ms      float64
}

func (r *record) ending(w words) (e ending, ok bool) {
	e.at = timeOf(r.time).UnixMilli()
	f := members{rest: r.rest}
	ok = true
	for ok {
		key, value, more := f.next()
		if !more {
			return e, !f.bad
		}
		switch string(key) {
		case "outcome":
			e.outcome, ok = w.text(value)
		case "bytes":
			e.bytes, ok = number(value)
		case "ms":
			var err error
			e.ms, err = strconv.ParseFloat(string(value), 64)
			ok = err == nil && e.ms >= 0 && e.ms <= math.MaxFloat64 // "inf" is a number to Go, not to JSON
		}
	}
	return e, false
}

// put adds the end to the entry.
func (e *ending) put(a *wire.Activity) {
	if e.at != 0 {
		a.Outcome, a.Ended, a.Bytes, a.MS = e.outcome, time.UnixMilli(e.at).UTC(), e.bytes, e.ms
	}
}
