package activity

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"
)

// A line is {"n":NUMBER,"prev":"DIGEST", and then its body. Bodies wait without
// number and digest until they are written: only then their order is known. They
// are put together by hand: this is on the way of every call, and encoding/json
// takes longer than the write.

const timeFormat = "2006-01-02T15:04:05.000Z"

// appendTimeLocked begins a body. The clock is read under mu, so that times are
// in the order of the lines.
func (l *Log) appendTimeLocked(b []byte) []byte {
	b = append(b, `"time":"`...)
	return l.clock.append(b, time.Now())
}

func appendBegin(b []byte, id ID, e *prepared) []byte {
	b = appendID(b, id)
	if e.Kind != "" && e.Kind != KindCall {
		b = appendText(b, `,"kind":`, e.Kind, maxField)
	}
	b = appendSome(b, `,"host":`, e.Host)
	b = appendSome(b, `,"server":`, e.Server)
	b = appendSome(b, `,"tool":`, e.Tool)
	b = appendSome(b, `,"session":`, e.Session)
	b = appendSome(b, `,"decision":`, string(e.Decision))
	b = appendSome(b, `,"rule":`, e.Rule)
	b = appendSome(b, `,"by":`, e.By)
	if e.Text != "" {
		b = appendText(b, `,"text":`, e.Text, maxText)
	}
	if e.size > 0 {
		b = append(b, `,"argBytes":`...)
		b = strconv.AppendInt(b, int64(e.size), 10)
		b = append(b, `,"argSum":"`...)
		b = hex.AppendEncode(b, e.sum[:])
		b = append(b, '"')
	}
	switch {
	case e.args != nil:
		b = append(b, `,"args":`...)
		b = append(b, e.args...)
	case e.argText != nil:
		b = appendText(b, `,"args":`, string(e.argText), maxArgs)
	}
	return append(b, "}\n"...)
}

func appendEnd(b []byte, id ID, outcome string, bytes int, dur time.Duration) []byte {
	b = appendID(b, id)
	b = appendText(b, `,"outcome":`, outcome, maxField)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, int64(bytes), 10)
	b = append(b, `,"ms":`...)
	b = strconv.AppendFloat(b, float64(dur.Microseconds())/1000, 'f', -1, 64)
	return append(b, "}\n"...)
}

func appendID(b []byte, id ID) []byte {
	b = append(b, `","call":"`...)
	b = strconv.AppendUint(b, uint64(id), 16)
	return append(b, '"')
}

func appendSome(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	return appendText(b, key, s, maxField)
}

// appendText adds a key and a text of at most most bytes, and a mark when it was longer.
func appendText(b []byte, key, s string, most int) []byte {
	b = append(b, key...)
	b = append(b, '"')
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	from := 0
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == utf8.RuneError && n == 1:
			b = append(b, `\ufffd`...)
		case r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029':
			b = appendEscape(b, r)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
		from = i
	}
	b = append(b, s[from:]...)
	if cut {
		b = append(b, "…"...)
	}
	return append(b, '"')
}

// plain are the bytes that stand for themselves.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// clock writes times and keeps the last second, since most lines share it.
type clock struct {
	second int64
	text   [len(timeFormat)]byte
}

func (c *clock) append(b []byte, now time.Time) []byte {
	if s := now.Unix(); s != c.second || c.text[0] == 0 {
		c.second = s
		copy(c.text[:], now.UTC().AppendFormat(nil, timeFormat))
	}
	ms := now.Nanosecond() / 1e6
	c.text[20], c.text[21], c.text[22] = byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10)
	return append(b, c.text[:]...)
}
