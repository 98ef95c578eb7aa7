// Package paste makes drafts of what a person pastes: a README's JSON in the
// form of any application, a command line, an install link.
//
// It is pure and runs, expands and looks up nothing. A text that it doesn't
// understand is an error that says why; what can't be added as it is, is a draft
// with the reason. The app calls it.
package paste

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

const (
	// maxText bounds a pasted text: the largest host's file seen is a few KiB.
	maxText = 1 << 20
	// maxLink bounds a link, before and after decoding.
	maxLink = 32 << 10
)

// Options are what reading depends on besides the text.
type Options struct {
	GOOS string // of this computer
	Home string // the person's folder, for commands that begin with ~/
	// Exists tells whether a program's file is there; nil: nobody knows.
	Exists func(path string) bool
	// Taken tells which names of secrets are in use; nil for none.
	Taken func(secret string) bool
}

func (o Options) windows() bool { return o.GOOS == "windows" }

// Bundle returns the address of a bundle, when the text is nothing else.
func Bundle(text string) (address string, ok bool) {
	address = strings.TrimSpace(text)
	if !web(address) || strings.ContainsAny(address, " \t\r\n") {
		return "", false
	}
	path, _, _ := strings.Cut(strings.ToLower(address), "?")
	path, _, _ = strings.Cut(path, "#")
	return address, strings.HasSuffix(path, ".mcpb") || strings.HasSuffix(path, ".dxt")
}

// Parse makes drafts of a text. Errors are *wire.Error with CodeBadDraft.
func Parse(text string, o Options) ([]*draft.Draft, error) {
	switch {
	case len(text) > maxText:
		return nil, bad("Paste the servers alone.", "the text is larger than %d MiB", maxText>>20)
	case !utf8.ValidString(text):
		return nil, bad("", "the text isn't UTF-8")
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if inner, ok := fenced(text); ok {
		text = inner
	}
	switch {
	case text == "":
		return nil, bad("Paste a server's JSON, its command line or its install link.", "there is nothing in the text")
	case isLink(text):
		return link(text, o)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["), strings.HasPrefix(text, `"`) && strings.Contains(text, "{"),
		strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"):
		return object(text, o)
	case web(text) && !strings.ContainsAny(text, " \t\r\n"):
		return []*draft.Draft{address(text)}, nil
	}
	return line(text, o)
}

func web(text string) bool {
	lower := strings.ToLower(text[:min(len(text), 8)])
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// fenced is the first block of code in a text with fences, as READMEs have them.
func fenced(text string) (string, bool) {
	_, rest, ok := strings.Cut("\n"+text, "\n```")
	if !ok {
		return "", false
	}
	_, body, ok := strings.Cut(rest, "\n") // the language stands behind the fence
	if !ok {
		return "", false
	}
	body, _, _ = strings.Cut(body, "\n```")
	return strings.TrimSpace(body), true
}

// address is a server on the net, given by nothing but its URL.
func address(url string) *draft.Draft {
	d := &draft.Draft{Source: wire.DraftSource{Kind: wire.SourceJSON}}
	d.Remote(draft.Literal(url), nil, draft.TransportOf(strings.HasSuffix(strings.TrimRight(url, "/"), "/sse"), url))
	d.Name = slug(suggestAddress(url))
	d.Label = d.URL
	return d
}

func bad(hint, format string, args ...any) *wire.Error {
	sentence := fmt.Sprintf(format, args...)
	return &wire.Error{Code: wire.CodeBadDraft, Message: strings.ToUpper(sentence[:1]) + sentence[1:] + ".", Hint: hint}
}
