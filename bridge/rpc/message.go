package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Kind tells the four shapes of a JSON-RPC message apart.
type Kind int

const (
	Invalid Kind = iota
	Request
	Notification
	Response
)

// Kind returns the message's shape; Invalid for an object that is none of them
// (also a request whose id is null, which MCP forbids).
func (m *Message) Kind() Kind {
	switch {
	case m.Method.Ok() && m.Raw[m.Method.Start] != '"':
		return Invalid
	case m.Method.Ok() && !m.ID.Ok():
		return Notification
	case m.Method.Ok() && m.validID():
		return Request
	case m.Method.Ok():
		return Invalid
	case m.Result.Ok() != m.Error.Ok():
		return Response
	}
	return Invalid
}

// validID: a string or a number, never null (basic/index, "Requests").
func (m *Message) validID() bool {
	c := m.Raw[m.ID.Start]
	return c == '"' || c == '-' || c >= '0' && c <= '9'
}

// Bytes returns the raw value of a span, nil when it is absent.
func (m *Message) Bytes(s Span) []byte {
	if !s.Ok() {
		return nil
	}
	return m.Raw[s.Start:s.End]
}

// Text returns the string that a span holds, unescaped; "" when it is absent
// or no string.
func (m *Message) Text(s Span) string { return Text(m.Bytes(s)) }

// Is reports whether the method is name.
func (m *Message) Is(name string) bool {
	raw := m.Bytes(m.Method)
	if len(raw) == len(name)+2 {
		return string(raw[1:len(raw)-1]) == name
	}
	return bytes.IndexByte(raw, '\\') >= 0 && m.MethodName() == name
}

// MethodName returns the method; "" when there is none.
func (m *Message) MethodName() string { return m.Text(m.Method) }

// Text returns the string in the raw JSON value, unescaped; "" for any other
// value.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	in := raw[1 : len(raw)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return string(in)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// Quote returns text as a JSON string, with as few escapes as JSON allows.
func Quote(text string) []byte { return AppendQuote(nil, text) }

// AppendQuote appends text as a JSON string.
func AppendQuote(dst []byte, text string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// QuoteAll returns the texts as a JSON array.
func QuoteAll(texts []string) []byte {
	out := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendQuote(out, text)
	}
	return append(out, ']')
}

// Uint reads a raw value as one of our own ids: plain digits that fit.
func Uint(raw []byte) (uint64, bool) {
	if len(raw) == 0 || len(raw) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range raw {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// Error is a JSON-RPC error object. Data is raw JSON or nil.
type Error struct {
	Code    int
	Message string
	Data    []byte
}

func (e *Error) Error() string { return e.Message }

// Append appends the error object as JSON.
func (e *Error) Append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendQuote(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}

// ReadError reads an error object; what it lacks is filled in.
func ReadError(raw []byte) *Error {
	e := &Error{Code: CodeInternal}
	_ = Members(raw, func(key []byte, at Span) bool { // no object: the defaults stay
		value := raw[at.Start:at.End]
		switch string(key) {
		case "code":
			if code, err := strconv.Atoi(string(value)); err == nil {
				e.Code = code
			}
		case "message":
			e.Message = Text(value)
		case "data":
			e.Data = bytes.Clone(value)
		}
		return true
	})
	return e
}

// AppendResult appends a whole response with the raw id and raw result.
func AppendResult(dst, id, result []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends a whole error response. A nil id is written as null,
// which JSON-RPC wants where the request's id couldn't be read.
func AppendError(dst, id []byte, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, id...)
	dst = append(dst, `,"error":`...)
	dst = e.Append(dst)
	return append(dst, '}')
}

// AppendNotification appends a whole notification; nil params are left out.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = AppendQuote(dst, method)
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}
