package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// transcript prints what happens for a person who has never seen the product.
type transcript struct {
	to    io.Writer
	steps int
}

const lineWidth = 110 // of what is sent and received; longer lines are cut

func (t *transcript) step(title string) {
	t.steps++
	fmt.Fprintf(t.to, "\n%2d. %s\n", t.steps, title)
}

// sent shows what we say, got what came back, done what that proves.
func (t *transcript) sent(format string, args ...any) { t.line("→", format, args...) }
func (t *transcript) got(format string, args ...any)  { t.line("←", format, args...) }
func (t *transcript) done(format string, args ...any) { t.line("✓", format, args...) }

func (t *transcript) line(mark, format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintf(t.to, "    %s %s\n", mark, cut(strings.TrimRight(line, "\n")))
		mark = " "
	}
}

func cut(s string) string {
	if r := []rune(s); len(r) > lineWidth {
		return string(r[:lineWidth-1]) + "…"
	}
	return s
}

// words joins names for one line.
func words(names []string) string { return strings.Join(names, ", ") }

// compact is v as one line of JSON.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// text is the text content of a result.
func text(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}
