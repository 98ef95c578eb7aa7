package activity

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// maxField bounds a text in the record: a tool's name comes from the host's
// request and may be megabytes long.
const maxField = 256

const timeFormat = "2006-01-02T15:04:05.000Z"

// The lines are put together by hand: this is on the way of every call, and
// encoding/json takes longer than the write.

func appendBegin(b []byte, now time.Time, id ID, e Entry) []byte {
	b = appendHead(b, now, id)
	b = appendText(b, `,"host":`, e.Host)
	b = appendText(b, `,"server":`, e.Server)
	b = appendText(b, `,"tool":`, e.Tool)
	b = appendText(b, `,"decision":`, string(e.Decision))
	b = appendText(b, `,"rule":`, e.Rule)
	return append(b, "}\n"...)
}

func appendEnd(b []byte, now time.Time, id ID, outcome string, bytes int, dur time.Duration) []byte {
	b = appendHead(b, now, id)
	b = appendText(b, `,"outcome":`, outcome)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, int64(bytes), 10)
	b = append(b, `,"ms":`...)
	b = strconv.AppendFloat(b, float64(dur.Microseconds())/1000, 'f', -1, 64)
	return append(b, "}\n"...)
}

func appendHead(b []byte, now time.Time, id ID) []byte {
	b = append(b, `{"time":"`...)
	b = now.UTC().AppendFormat(b, timeFormat)
	b = append(b, `","call":"`...)
	b = strconv.AppendUint(b, uint64(id), 16)
	return append(b, '"')
}

func appendText(b []byte, key, s string) []byte {
	b = append(b, key...)
	b = append(b, '"')
	cut := len(s) > maxField
	if cut {
		s = s[:maxField]
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != 0x7f {
			if c == '"' || c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, `\ufffd`...)
		case r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029':
			b = appendEscape(b, r)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	if cut {
		b = append(b, "…"...)
	}
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
