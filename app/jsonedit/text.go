package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	// MaxFile is far above any real settings and keeps a wrong file (a database, a
	// log) from being taken apart. One host keeps its history in its file.
	MaxFile = 32 << 20
	// maxDepth keeps the parser's recursion, and so our stack, small.
	maxDepth = 100
)

var bom = []byte("\xef\xbb\xbf")

// Text is a file taken apart: its bytes and their syntax tree, whose offsets
// count in Src.
type Text struct {
	Src  []byte // without the byte order mark
	Root hujson.Value

	bom bool
	pad bool // a newline was added, because the parser wants one after a comment
}

// Mistake is why a text can't be understood, and where.
type Mistake struct {
	Kind      MistakeKind
	Sentence  string // without the place
	Line, Col int    // from 1, in characters; 0 when the whole file is meant
}

// MistakeKind tells the mistakes apart that a caller has other words for.
type MistakeKind int

// Kinds of mistakes: one at a place, no text at all, more than MaxFile.
const (
	Syntax MistakeKind = iota
	Empty
	TooLarge
)

func (m *Mistake) Error() string {
	if m.Line == 0 || m.Kind != Syntax {
		return m.Sentence
	}
	return fmt.Sprintf("line %d, column %d: %s", m.Line, m.Col, m.Sentence)
}

// Parse reads JSON with comments and trailing commas.
func Parse(data []byte) (Text, *Mistake) {
	var t Text
	t.Src, t.bom = bytes.CutPrefix(data, bom)
	if len(data) > MaxFile {
		return t, &Mistake{Kind: TooLarge, Sentence: fmt.Sprintf("the file is larger than %d MiB", MaxFile>>20)}
	}
	if len(bytes.TrimSpace(t.Src)) == 0 {
		return t, &Mistake{Kind: Empty, Sentence: "the file is empty", Line: 1, Col: 1}
	}
	if !bytes.HasSuffix(t.Src, []byte("\n")) {
		t.Src, t.pad = append(bytes.Clone(t.Src), '\n'), true
	}
	if at := tooDeep(t.Src); at >= 0 {
		return t, t.mistakeAt(at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	root, err := hujson.Parse(t.Src)
	if err != nil {
		at, sentence := t.explain(err)
		return t, t.mistakeAt(at, sentence)
	}
	t.Root = root
	return t, nil
}

// Bytes is the file again: what Parse was given, when nothing was changed.
func (t Text) Bytes() []byte {
	out := t.Src
	if t.pad {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	if t.bom {
		out = append(bytes.Clone(bom), out...)
	}
	return out
}

func (t Text) mistakeAt(at int, sentence string) *Mistake {
	line, col := t.Position(at)
	return &Mistake{Sentence: sentence, Line: line, Col: col}
}

// Position turns an offset into a line and a column in characters, from 1.
func (t Text) Position(at int) (line, col int) {
	at = min(at, len(t.Src))
	start := bytes.LastIndexByte(t.Src[:at], '\n') + 1
	return bytes.Count(t.Src[:at], []byte("\n")) + 1, utf8.RuneCount(t.Src[start:at]) + 1
}

// tooDeep returns where nesting passes maxDepth, or -1.
func tooDeep(src []byte) int {
	depth := 0
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			i = endOfString(src, i)
			continue
		case c == '/':
			if end := endOfComment(src, i); end > i {
				i = end
				continue
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
		i++
	}
	return -1
}

func endOfString(src []byte, at int) int {
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// endOfComment returns the offset behind the comment that starts at an offset,
// without a line comment's newline, or the offset itself when none starts there.
func endOfComment(src []byte, at int) int {
	rest := src[at:]
	end := 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n')
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 4
		}
	}
	if end < 0 {
		return len(src)
	}
	return at + end
}

// skipExtra returns the first offset at or after at that is neither space nor comment.
func skipExtra(src []byte, at int) int {
	for at < len(src) {
		switch src[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '/':
			end := endOfComment(src, at)
			if end == at {
				return at
			}
			at = end
		default:
			return at
		}
	}
	return at
}

var parserPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// explain turns the parser's error into the offset of the mistake and a
// sentence. The parser counts columns in bytes.
func (t Text) explain(err error) (at int, sentence string) {
	msg := err.Error()
	if m := parserPlace.FindStringSubmatch(msg); m != nil {
		var line, col int
		fmt.Sscan(m[1], &line)
		fmt.Sscan(m[2], &col)
		at = offset(t.Src, line, col)
		msg = msg[len(m[0]):]
	}
	if cause := errors.Unwrap(err); cause != nil && strings.Contains(msg, "unexpected EOF") {
		return len(bytes.TrimRight(t.Src, " \t\r\n")), t.unfinished(msg)
	}
	return at, t.mistake(at, msg)
}

func offset(src []byte, line, col int) int {
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(src[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return min(at+col-1, len(src))
}

func (t Text) unfinished(msg string) string {
	switch {
	case strings.Contains(msg, "string"):
		return "the file ends inside a text: a closing quote is missing"
	case strings.Contains(msg, "comment"):
		return "the file ends inside a comment: */ is missing"
	case strings.Contains(msg, "array"):
		return "the file ends inside a list: ] is missing"
	}
	return "the file ends too early: } is missing"
}

func (t Text) mistake(at int, msg string) string {
	found := "the end of the file"
	if at < len(t.Src) {
		r, _ := utf8.DecodeRune(t.Src[at:])
		found = fmt.Sprintf("%q", r)
		if r == '\n' || r == '\r' {
			found = "the end of the line"
		}
	}
	switch {
	case strings.Contains(msg, "invalid literal: \""):
		return "this text has a character or escape that JSON does not allow (a line break, or a single \\)"
	case strings.Contains(msg, "invalid literal"):
		return "this is neither true, false, null nor a number: texts and names need double quotes"
	case strings.Contains(msg, "at start of object name"):
		return "found " + found + " where the name of a key should start: names need double quotes"
	case strings.Contains(msg, "after object name"):
		return "found " + found + " where a colon should follow the name"
	case strings.Contains(msg, "after object value"):
		return "found " + found + " where a comma or } should follow the value"
	case strings.Contains(msg, "after array value"):
		return "found " + found + " where a comma or ] should follow the value"
	case strings.Contains(msg, "after top-level value"):
		return "found " + found + " behind the end of the file's value"
	case strings.Contains(msg, "at start of value"):
		return "found " + found + " where a value should start"
	case strings.Contains(msg, "invalid UTF-8"):
		return "this comment is not valid UTF-8"
	}
	return msg
}
