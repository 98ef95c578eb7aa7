package sampling

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Roles of a message.
const (
	User      = "user"
	Assistant = "assistant"
)

// Types of a part.
const (
	PartText       = "text"
	PartImage      = "image"
	PartAudio      = "audio"
	PartToolUse    = "tool_use"
	PartToolResult = "tool_result"
	PartLink       = "resource_link" // inside of tool results only, like the next
	PartResource   = "resource"
)

// Message is one message of a prompt, or a model's answer.
type Message struct {
	Role  string
	Parts []Part

	list bool         // content was written as a list
	span rawjson.Span // of the message, in the params
}

// Part is a piece of a message.
type Part struct {
	Type  string
	Text  string          // text; of a link or a resource what can be read of it
	MIME  string          // image, audio
	Data  string          // image, audio: base64
	ID    string          // tool_use; tool_result: of the tool_use that it answers
	Name  string          // tool_use
	Input json.RawMessage // tool_use: an object, byte for byte

	Content    []Part          // tool_result
	Structured json.RawMessage // tool_result
	IsError    bool            // tool_result

	text rawjson.Span // of a text part's text, in the params
}

func (r *Request) messages(at rawjson.Span) *Refusal {
	list, err := rawjson.Elements(at.Of(r.raw))
	if err != nil || len(list) > maxMessages {
		return refuse("The messages must be a list of at most %d.", maxMessages)
	}
	parts := 0
	for i, s := range list {
		m, err := readMessage(r.raw, at.In(s))
		if err != nil {
			return refuse("Message %d: %v.", i+1, err)
		}
		if parts += len(m.Parts); parts > maxParts {
			return refuse("The messages have more than %d parts.", maxParts)
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

// readMessage reads role and content of an object at a place in text.
func readMessage(all []byte, at rawjson.Span) (Message, error) {
	m := Message{span: at}
	members, err := rawjson.Members(at.Of(all))
	if err != nil {
		return m, err
	}
	for _, member := range members {
		place := at.In(member.Span)
		switch member.Name {
		case "role":
			if m.Role, _ = text(place.Of(all)); m.Role != User && m.Role != Assistant {
				return m, fmt.Errorf("its role must be user or assistant, it is %.40s", place.Of(all))
			}
		case "content":
			blocks := []rawjson.Span{place}
			if rawjson.Kind(place.Of(all)) == "array" {
				m.list = true
				if blocks, err = rawjson.Elements(place.Of(all)); err != nil || len(blocks) > maxParts {
					return m, fmt.Errorf("its content must be at most %d parts", maxParts)
				}
				for i := range blocks {
					blocks[i] = place.In(blocks[i])
				}
			}
			for _, b := range blocks {
				p, err := readPart(all, b, true)
				if err != nil {
					return m, err
				}
				m.Parts = append(m.Parts, p)
			}
		}
	}
	switch {
	case m.Role == "":
		return m, errors.New("its role is missing")
	case m.Parts == nil:
		return m, errors.New("its content is missing")
	}
	return m, nil
}

// readPart reads a block. Top is false inside of a tool's result, where there are
// no tools but resources.
func readPart(all []byte, at rawjson.Span, top bool) (p Part, err error) {
	members, err := rawjson.Members(at.Of(all))
	if err != nil {
		return p, fmt.Errorf("a part is %w", err)
	}
	get := func(name string) (json.RawMessage, rawjson.Span) {
		for _, m := range members {
			if m.Name == name {
				place := at.In(m.Span)
				return place.Of(all), place
			}
		}
		return nil, rawjson.Span{}
	}
	str := func(name string) string {
		raw, _ := get(name)
		s, ok := text(raw)
		if !ok && err == nil {
			err = fmt.Errorf("the %s of a part is missing or no text", name)
		}
		return s
	}
	switch p.Type = str("type"); {
	case err != nil:
	case p.Type == PartText:
		p.Text = str("text")
		_, p.text = get("text")
	case p.Type == PartImage, p.Type == PartAudio:
		if p.Data, p.MIME = str("data"), str("mimeType"); err == nil {
			if _, bad := base64.StdEncoding.DecodeString(p.Data); bad != nil {
				err = fmt.Errorf("the data of the %s is no base64", p.Type)
			}
		}
	case p.Type == PartToolUse && top:
		p.ID, p.Name = str("id"), str("name")
		if p.Input, _ = get("input"); err == nil && rawjson.Kind(p.Input) != "object" {
			err = fmt.Errorf("the input for the tool %.100q is no object", p.Name)
		}
		if len(p.ID) > maxName || len(p.Name) > maxName {
			err = fmt.Errorf("the name and id of a tool_use have at most %d bytes", maxName)
		}
	case p.Type == PartToolResult && top:
		p.ID = str("toolUseId")
		failed, _ := get("isError")
		p.IsError = string(failed) == "true"
		p.Structured, _ = get("structuredContent")
		if err == nil {
			p.Content, err = readResult(all, get)
		}
	case p.Type == PartLink && !top:
		p.Text = strings.TrimSpace(optional(get, "name") + " " + str("uri"))
	case p.Type == PartResource && !top:
		raw, _ := get("resource")
		var resource struct{ URI, Text string }
		if json.Unmarshal(raw, &resource) != nil {
			err = errors.New("a resource is wrong")
		}
		p.Text = cmp.Or(resource.Text, resource.URI)
	default:
		err = fmt.Errorf("a part has the type %.40q, which is unknown here", p.Type)
	}
	return p, err
}

func optional(get func(string) (json.RawMessage, rawjson.Span), name string) string {
	raw, _ := get(name)
	s, _ := text(raw)
	return s
}

func readResult(all []byte, get func(string) (json.RawMessage, rawjson.Span)) ([]Part, error) {
	raw, at := get("content")
	if raw == nil {
		return nil, nil
	}
	list, err := rawjson.Elements(raw)
	if err != nil || len(list) > maxParts {
		return nil, fmt.Errorf("the content of a tool_result must be a list of at most %d parts", maxParts)
	}
	var parts []Part
	for _, s := range list {
		p, err := readPart(all, at.In(s), false)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// checkTools keeps the order that models need: a message of tool results holds
// nothing else and answers each tool_use of the message before.
func (r *Request) checkTools() *Refusal {
	var open []string // ids of the message before
	for i, m := range r.Messages {
		var uses, results []string
		for _, p := range m.Parts {
			switch p.Type {
			case PartToolUse:
				if slices.Contains(uses, p.ID) {
					return refuse("Message %d: the tool_use %.100q is there twice.", i+1, p.ID)
				}
				uses = append(uses, p.ID)
			case PartToolResult:
				if slices.Contains(results, p.ID) {
					return refuse("Message %d: the tool_use %.100q is answered twice.", i+1, p.ID)
				}
				results = append(results, p.ID)
			}
		}
		switch {
		case len(uses) > 0 && m.Role != Assistant:
			return refuse("Message %d: a tool_use belongs into a message of the assistant.", i+1)
		case len(results) > 0 && m.Role != User:
			return refuse("Message %d: a tool_result belongs into a message of the user.", i+1)
		case len(results) > 0 && len(results) < len(m.Parts):
			return refuse("Message %d: tool results are mixed with other content.", i+1)
		}
		for _, id := range open {
			if !slices.Contains(results, id) {
				return refuse("Message %d: the result of the tool_use %.100q is missing.", i+1, id)
			}
		}
		for _, id := range results {
			if !slices.Contains(open, id) {
				return refuse("Message %d: the tool_result %.100q answers no tool_use of the message before.", i+1, id)
			}
		}
		open = uses
	}
	if len(open) > 0 {
		return refuse("The result of the tool_use %.100q is missing.", open[0])
	}
	return nil
}

// detail is what a person sees: texts as they are, the rest in words.
func (m Message) detail() wire.SamplingMessage {
	out := wire.SamplingMessage{Role: m.Role, Parts: []wire.SamplingPart{}}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, wire.SamplingPart{Type: p.Type, Text: p.describe()})
	}
	return out
}

func (p Part) describe() string {
	switch p.Type {
	case PartText:
		return p.Text
	case PartImage, PartAudio:
		kind, _ := plain.Line(p.MIME)
		return fmt.Sprintf("%.60s, %s", kind, size(base64.StdEncoding.DecodedLen(len(p.Data))))
	case PartToolUse:
		s, _ := plain.Text(fmt.Sprintf("%s %s", p.Name, p.Input))
		return s
	case PartToolResult:
		var words []string
		if p.IsError {
			words = append(words, "failed:")
		}
		for _, c := range p.Content {
			words = append(words, c.describe())
		}
		if len(p.Content) == 0 {
			words = append(words, string(p.Structured))
		}
		s, _ := plain.Text(strings.Join(words, "\n"))
		return s
	}
	s, _ := plain.Text(p.Text)
	return s
}

func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func textsOf(messages []Message) []string {
	var list []string
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == PartText {
				list = append(list, p.Text)
			}
		}
	}
	return list
}

// editTexts are the edits that put a person's texts in; nil texts change nothing.
func editTexts(messages []Message, texts []string) ([]rawjson.Edit, error) {
	if texts == nil {
		return nil, nil
	}
	var edits []rawjson.Edit
	i := 0
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type != PartText {
				continue
			}
			if i < len(texts) && texts[i] != p.Text {
				edits = append(edits, rawjson.Edit{Span: p.text, New: rawjson.Quote(texts[i])})
			}
			i++
		}
	}
	if i != len(texts) {
		return nil, fmt.Errorf("the edit has %d texts, the prompt or answer has %d", len(texts), i)
	}
	return edits, nil
}

// addMember is the edit that adds a member to an object that has others.
func addMember(object []byte, name string, value []byte) (rawjson.Span, []byte) {
	at := slices.Index(object, '{') + 1
	out := append(append(append(rawjson.Quote(name), ':'), value...), ',')
	return rawjson.Span{Start: at, End: at}, out
}

func splice(text []byte, edits []rawjson.Edit) []byte {
	slices.SortFunc(edits, func(a, b rawjson.Edit) int { return a.Start - b.Start })
	return rawjson.Splice(text, edits)
}
