package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Span is a half-open range of bytes of a message; the zero Span means absent.
type Span struct{ Start, End int }

// Ok reports whether the member was there.
func (s Span) Ok() bool { return s.End > s.Start }

// Message is one scanned JSON-RPC message. The spans index Raw, which the
// message aliases; whoever holds the message must not change Raw.
type Message struct {
	Raw []byte

	ID     Span // the raw value, quotes included; absent for notifications
	Method Span // the raw string, quotes included
	Params Span
	Result Span
	Error  Span

	// Members of params that a gateway routes by. They are set only when params
	// is an object.
	Name          Span
	URI           Span
	Arguments     Span
	Ref           Span
	Cursor        Span
	Level         Span
	RequestID     Span // of notifications/cancelled
	ProgressToken Span // of notifications/progress
	Meta          Span

	// Members of params._meta.
	MetaProgressToken Span
	MetaVersion       Span // io.modelcontextprotocol/protocolVersion
	MetaClientInfo    Span
	MetaCapabilities  Span
	MetaLogLevel      Span

	// Repeated says that a member a gateway acts on is there twice, or beside a
	// spelling of other case: two readers could disagree about what the message
	// says, so a message of a host that has it must be refused.
	Repeated bool
}

// Errors of Scan. ErrNotJSON covers everything that is no JSON text at all.
var (
	ErrNotJSON   = errors.New("not JSON")
	ErrNotObject = errors.New("not a JSON object")
	ErrTooDeep   = errors.New("nested too deep")
	ErrUTF8      = errors.New("not UTF-8")
)

// MaxDepth bounds nesting. Readers behind us recurse, and none of those we
// tried survives much more; real messages stay under 50.
const MaxDepth = 20_000

// Scan reads one message. The text must be one JSON object in UTF-8 and
// nothing else but white space around it; it is checked wholly (RFC 8259), so
// that what we pass on can be read by the peer.
func Scan(raw []byte) (Message, error) {
	m := Message{Raw: raw}
	if !utf8.Valid(raw) {
		return m, ErrUTF8
	}
	s := scanner{b: raw}
	i := s.space(0)
	if i >= len(raw) {
		return m, ErrNotJSON
	}
	if raw[i] != '{' {
		// Tell an array (a batch) or a bare value from junk.
		end, err := s.value(i)
		if err != nil {
			return m, err
		}
		if s.space(end) != len(raw) {
			return m, s.syntax(end)
		}
		return m, ErrNotObject
	}
	end, err := s.object(i, 1, func(key Span, at int) (int, error) { return m.member(&s, key, at) })
	if err != nil {
		return m, err
	}
	if s.space(end) != len(raw) {
		return m, s.syntax(end)
	}
	return m, nil
}

// member notes one top-level member and returns the end of its value.
func (m *Message) member(s *scanner, key Span, at int) (end int, err error) {
	slot := m.slot(s.key(key))
	if slot == &m.Params && s.at(at) == '{' {
		end, err = s.object(at, 2, func(key Span, at int) (int, error) { return m.param(s, key, at) })
	} else {
		end, err = s.value(at)
	}
	m.note(slot, at, end)
	return end, err
}

func (m *Message) param(s *scanner, key Span, at int) (end int, err error) {
	slot := m.paramSlot(s.key(key))
	if slot == &m.Meta && s.at(at) == '{' {
		end, err = s.object(at, 3, func(key Span, at int) (int, error) {
			end, err := s.value(at)
			m.note(m.metaSlot(s.key(key)), at, end)
			return end, err
		})
	} else {
		end, err = s.value(at)
	}
	m.note(slot, at, end)
	return end, err
}

func (m *Message) note(slot *Span, start, end int) {
	if slot == nil {
		return
	}
	if slot.Ok() {
		m.Repeated = true
	}
	*slot = Span{start, end}
}

func (m *Message) slot(key []byte) *Span {
	switch string(key) {
	case "id":
		return &m.ID
	case "method":
		return &m.Method
	case "params":
		return &m.Params
	case "result":
		return &m.Result
	case "error":
		return &m.Error
	}
	m.lookalike(key, "id", "method", "params", "result", "error")
	return nil
}

func (m *Message) paramSlot(key []byte) *Span {
	switch string(key) {
	case "name":
		return &m.Name
	case "uri":
		return &m.URI
	case "arguments":
		return &m.Arguments
	case "ref":
		return &m.Ref
	case "cursor":
		return &m.Cursor
	case "level":
		return &m.Level
	case "requestId":
		return &m.RequestID
	case "progressToken":
		return &m.ProgressToken
	case "_meta":
		return &m.Meta
	}
	m.lookalike(key, "name", "uri", "arguments", "ref", "requestId")
	return nil
}

func (m *Message) metaSlot(key []byte) *Span {
	switch string(key) {
	case "progressToken":
		return &m.MetaProgressToken
	case MetaProtocolVersion:
		return &m.MetaVersion
	case MetaClientInfo:
		return &m.MetaClientInfo
	case MetaClientCapabilities:
		return &m.MetaCapabilities
	case MetaLogLevel:
		return &m.MetaLogLevel
	}
	return nil
}

// lookalike flags a key that differs from one we act on by case only: Go's
// encoding/json, behind many servers, would take it for the same.
func (m *Message) lookalike(key []byte, names ...string) {
	for _, name := range names {
		if len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			m.Repeated = true
		}
	}
}

// Members calls visit for each member of the object in raw, which must be
// valid JSON; key is unescaped. visit returns false to stop. It reports an
// error when raw is no object.
func Members(raw []byte, visit func(key []byte, value Span) bool) error {
	s := scanner{b: raw}
	i := s.space(0)
	if s.at(i) != '{' {
		return ErrNotObject
	}
	stop := errors.New("stop")
	_, err := s.object(i, 1, func(key Span, at int) (int, error) {
		end, err := s.value(at)
		if err == nil && !visit(s.key(key), Span{at, end}) {
			return end, stop
		}
		return end, err
	})
	if err == stop {
		return nil
	}
	return err
}

// Elements calls visit for each element of the array in raw, which must be
// valid JSON. visit returns false to stop.
func Elements(raw []byte, visit func(value Span) bool) error {
	s := scanner{b: raw}
	i := s.space(0)
	if s.at(i) != '[' {
		return fmt.Errorf("not a JSON array")
	}
	i = s.space(i + 1)
	if s.at(i) == ']' {
		return nil
	}
	for {
		end, err := s.value(s.space(i))
		if err != nil {
			return err
		}
		if !visit(Span{s.space(i), end}) {
			return nil
		}
		i = s.space(end)
		switch s.at(i) {
		case ',':
			i++
		case ']':
			return nil
		default:
			return s.syntax(i)
		}
	}
}

// Find returns the span of the last member called name in the object raw.
func Find(raw []byte, name string) (found Span) {
	_ = Members(raw, func(key []byte, value Span) bool { // no object: nothing found
		if string(key) == name {
			found = value
		}
		return true
	})
	return found
}
