package sampling

import (
	"encoding/json"
	"fmt"
	"strings"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Reasons why a model stopped, as servers are told; a provider's other words
// are passed as they are.
const (
	StopEndTurn   = "endTurn"
	StopSequence  = "stopSequence"
	StopMaxTokens = "maxTokens"
	StopToolUse   = "toolUse"
)

// Result is a model's answer. It is never changed: an edit makes another one.
type Result struct {
	Message
	Model      string
	StopReason string
	// What the provider counted; zero when it doesn't say.
	InputTokens, OutputTokens int

	raw json.RawMessage
}

// ParseResult reads the result of a sampling/createMessage that a host answered.
func ParseResult(raw json.RawMessage) (*Result, error) {
	if len(raw) > maxParams {
		return nil, fmt.Errorf("the model's answer is longer than %d bytes", maxParams)
	}
	m, err := readMessage(raw, rawjson.Span{End: len(raw)})
	if err != nil {
		return nil, fmt.Errorf("the model's answer is wrong: %w", err)
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, fmt.Errorf("the model's answer is wrong: %w", err)
	}
	r := &Result{Message: m, raw: raw}
	for _, member := range members {
		switch member.Name {
		case "model":
			r.Model, _ = text(member.Of(raw))
		case "stopReason":
			r.StopReason, _ = text(member.Of(raw))
		}
	}
	for _, p := range m.Parts {
		if p.Type == PartToolResult {
			return nil, fmt.Errorf("the model's answer is wrong: it holds a tool_result")
		}
	}
	return r, nil
}

// NewResult makes a result of what a provider answered.
func NewResult(model, stop string, parts []Part, input, output int64) (*Result, error) {
	content := []byte{'['}
	for i, p := range parts {
		if i > 0 {
			content = append(content, ',')
		}
		content = append(content, p.json()...)
	}
	raw := fmt.Appendf(nil, `{"role":"assistant","content":%s],"model":%s,"stopReason":%s}`, content, rawjson.Quote(model), rawjson.Quote(stop))
	r, err := ParseResult(raw)
	if err != nil {
		return nil, err
	}
	r.InputTokens, r.OutputTokens = clampTokens(input), clampTokens(output)
	return r, nil
}

// clampTokens keeps a provider's count within what can be added up.
func clampTokens(n int64) int { return int(max(0, min(n, maxTokens))) }

// json writes a part that a model can answer with.
func (p Part) json() []byte {
	if p.Type == PartToolUse {
		return fmt.Appendf(nil, `{"type":"tool_use","id":%s,"name":%s,"input":%s}`, rawjson.Quote(p.ID), rawjson.Quote(p.Name), p.Input)
	}
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(p.Text))
}

// Raw is the CreateMessageResult for a server of that revision. Content is one
// block where that is all there is; before 2025-11-25 there can be only one, so
// texts are joined, and a call of a tool can't be told.
func (r *Result) Raw(revision string) (json.RawMessage, error) {
	if !r.list {
		return r.raw, nil
	}
	members, err := rawjson.Members(r.raw)
	if err != nil {
		return nil, err
	}
	var content rawjson.Span
	for _, m := range members {
		if m.Name == "content" {
			content = m.Span
		}
	}
	blocks, err := rawjson.Elements(content.Of(r.raw))
	if err != nil {
		return nil, err
	}
	var one []byte
	switch {
	case len(blocks) == 1:
		one = content.In(blocks[0]).Of(r.raw)
	case revision >= "2025-11-25":
		return r.raw, nil
	default:
		for _, p := range r.Parts {
			if p.Type != PartText {
				return nil, fmt.Errorf("the model answered with several parts (%s), which a server of revision %s can't take", p.Type, revision)
			}
		}
		one = Part{Type: PartText, Text: strings.Join(textsOf([]Message{r.Message}), "\n\n")}.json()
	}
	for _, p := range r.Parts {
		if p.Type == PartToolUse && revision < "2025-11-25" {
			return nil, fmt.Errorf("the model asks for a tool, which a server of revision %s can't take", revision)
		}
	}
	return rawjson.Splice(r.raw, []rawjson.Edit{{Span: content, New: one}}), nil
}

// Detail is what a person is shown.
func (r *Result) Detail() wire.SamplingDetail {
	message := r.detail()
	model, _ := plain.Line(r.Model)
	stop, _ := plain.Line(r.StopReason)
	return wire.SamplingDetail{Model: model, StopReason: stop, Result: &message}
}

// Edit is the result with a person's texts in it.
func (r *Result) Edit(e wire.SamplingEdit) (*Result, error) {
	edits, err := editTexts([]Message{r.Message}, e.Texts)
	if err != nil {
		return nil, err
	}
	edited, err := ParseResult(splice(r.raw, edits))
	if err != nil {
		return nil, err
	}
	edited.InputTokens, edited.OutputTokens = r.InputTokens, r.OutputTokens
	return edited, nil
}
