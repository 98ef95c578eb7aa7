package rpc

import "bytes"

// Edit replaces one span of a message. An empty span inserts before Start.
type Edit struct {
	Span Span
	With []byte
}

// Splice appends raw to dst with the edits applied. The edits must not overlap;
// they may come in any order. There are never more than a handful.
func Splice(dst, raw []byte, edits ...Edit) []byte {
	sortEdits(edits)
	at := 0
	for _, e := range edits {
		dst = append(dst, raw[at:e.Span.Start]...)
		dst = append(dst, e.With...)
		at = e.Span.End
	}
	return append(dst, raw[at:]...)
}

// Pieces is Splice without the copy: the parts of the result in order.
func Pieces(raw []byte, edits ...Edit) [][]byte {
	sortEdits(edits)
	pieces := make([][]byte, 0, 2*len(edits)+1)
	at := 0
	for _, e := range edits {
		pieces = append(pieces, raw[at:e.Span.Start], e.With)
		at = e.Span.End
	}
	return append(pieces, raw[at:])
}

// sortEdits orders edits by place; equal places keep their order.
func sortEdits(edits []Edit) {
	for i := 1; i < len(edits); i++ {
		for k := i; k > 0 && edits[k].Span.Start < edits[k-1].Span.Start; k-- {
			edits[k], edits[k-1] = edits[k-1], edits[k]
		}
	}
}

// Flatten makes a valid JSON text one line, in place: line breaks can stand
// between its tokens only, where a blank means the same.
func Flatten(raw []byte) {
	for _, c := range [2]byte{'\n', '\r'} {
		for at := 0; ; {
			i := bytes.IndexByte(raw[at:], c)
			if i < 0 {
				break
			}
			at += i
			raw[at] = ' '
		}
	}
}

// InsertMember returns the edit that adds a member at the front of the object
// that starts at the span; value is raw JSON.
func InsertMember(raw []byte, object Span, name string, value []byte) Edit {
	return InsertMembers(raw, object, AppendMember(nil, name, value))
}

// InsertMembers is InsertMember for members made with AppendMember. One object
// takes one such edit: two would not know of each other's commas.
func InsertMembers(raw []byte, object Span, members []byte) Edit {
	s := scanner{b: raw}
	if s.at(s.space(object.Start+1)) != '}' {
		members = append(members, ',')
	}
	return Edit{Span{object.Start + 1, object.Start + 1}, members}
}

// AppendMember appends `"name":value` to members, after a comma when needed.
func AppendMember(members []byte, name string, value []byte) []byte {
	if len(members) > 0 {
		members = append(members, ',')
	}
	members = append(AppendQuote(members, name), ':')
	return append(members, value...)
}

// RemoveMember returns the edit that takes the member called name, with one
// comma beside it, out of the object at the span; false when it isn't there.
func RemoveMember(raw []byte, object Span, name string) (Edit, bool) {
	s := scanner{b: raw[:object.End]}
	var found, last Span // last: the member before, whole
	_, err := s.object(object.Start, 1, func(key Span, at int) (int, error) {
		end, err := s.value(at)
		switch {
		case err != nil:
			return end, err
		case string(s.key(key)) == name && last.Ok():
			found = Span{last.End, end} // the comma in front goes too
		case string(s.key(key)) == name:
			found = Span{key.Start, end}
			if next := s.space(end); s.at(next) == ',' {
				found.End = next + 1
			}
		}
		last = Span{key.Start, end}
		return end, nil
	})
	return Edit{Span: found}, err == nil && found.Ok()
}
