// Package sampling understands a server's wish that a model answers a prompt
// (sampling/createMessage): it reads the request, applies a person's edits to its
// bytes, chooses one of the models that the person configured and keeps to
// budgets. It knows no hosts, asks nobody and starts nothing; the core's queue of
// questions calls it, and package provider asks the models.
package sampling

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Bounds of a request. Models take no more than a few megabytes of text; images
// make the rest.
const (
	maxParams   = 16 << 20
	maxMessages = 2000
	maxParts    = 4000 // of all messages together
	maxTools    = 256
	maxStops    = 64
	maxHints    = 32
	maxName     = 256 // bytes of a tool's name, an id, a hint
	maxTokens   = 1 << 30
)

// CodeInvalidParams is JSON-RPC's code of every Refusal.
const CodeInvalidParams = -32602

// Refusal is why a request can't be answered by anybody: a JSON-RPC error for
// the server.
type Refusal struct {
	Code    int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

func refuse(format string, args ...any) *Refusal {
	return &Refusal{CodeInvalidParams, fmt.Sprintf(format, args...)}
}

// Request is one sampling/createMessage, read. It is never changed: an edit makes
// another one.
type Request struct {
	System         string
	Messages       []Message
	MaxTokens      int
	Temperature    json.Number // "" when not given
	Stop           []string
	Preferences    Preferences
	Tools          []Tool
	ToolChoice     string // auto, required, none; "" when not given
	IncludeContext string
	Notes          []string // sentences: what the person should look at

	raw    json.RawMessage
	system rawjson.Span // of the system prompt's JSON; empty when there is none
}

// Tool is what the model may ask the server to do.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // byte for byte
}

// Raw is the request's params, byte for byte as the server sent them but for
// edits: what is passed on to a host.
func (r *Request) Raw() json.RawMessage { return r.raw }

// Parse reads the params of a sampling/createMessage of any revision.
func Parse(params json.RawMessage) (*Request, *Refusal) {
	if len(params) > maxParams {
		return nil, refuse("The request is %d bytes long, at most %d are taken.", len(params), maxParams)
	}
	members, err := rawjson.Members(params)
	if err != nil {
		return nil, refuse("The params of sampling/createMessage are no proper JSON object: %v.", err)
	}
	r := &Request{raw: params}
	for _, m := range members {
		value := m.Of(params)
		var refusal *Refusal
		switch m.Name {
		case "messages":
			refusal = r.messages(m.Span)
		case "systemPrompt":
			r.system = m.Span
			if string(value) == "null" {
				continue
			}
			var ok bool
			if r.System, ok = text(value); !ok {
				return nil, refuse("The systemPrompt is no text.")
			}
		case "tools":
			refusal = r.tools(value)
		default:
			refusal = r.setting(m.Name, value)
		}
		if refusal != nil {
			return nil, refusal
		}
	}
	switch {
	case len(r.Messages) == 0:
		return nil, refuse("The request has no messages.")
	case r.MaxTokens == 0:
		return nil, refuse("The maxTokens of the request is missing; it must be a whole number, at least 1.")
	case r.ToolChoice == "required" && len(r.Tools) == 0:
		return nil, refuse("The toolChoice requires a tool, and the request has no tools.")
	}
	if refusal := r.checkTools(); refusal != nil {
		return nil, refusal
	}
	r.look()
	return r, nil
}

// setting reads what isn't the prompt itself. Members that we don't know are
// passed on with the rest.
func (r *Request) setting(name string, value json.RawMessage) *Refusal {
	if string(value) == "null" {
		return nil
	}
	ok := true
	switch name {
	case "maxTokens":
		if r.MaxTokens, ok = whole(value); !ok || r.MaxTokens < 1 {
			return refuse("The maxTokens of the request must be a whole number, at least 1; it is %.40s.", value)
		}
	case "temperature":
		f, err := strconv.ParseFloat(string(value), 64)
		if rawjson.Kind(value) != "number" || err != nil || f < 0 {
			return refuse("The temperature must be a number, at least 0.")
		}
		r.Temperature = json.Number(value)
	case "stopSequences":
		if r.Stop, ok = texts(value, maxStops); !ok {
			return refuse("The stopSequences must be at most %d texts.", maxStops)
		}
	case "includeContext":
		if r.IncludeContext, ok = text(value); !ok {
			return refuse("The includeContext is no text.")
		}
	case "toolChoice":
		var choice struct{ Mode *string }
		if err := json.Unmarshal(value, &choice); err != nil || rawjson.Kind(value) != "object" {
			return refuse("The toolChoice is no proper object.")
		}
		if r.ToolChoice = "auto"; choice.Mode != nil {
			r.ToolChoice = *choice.Mode
		}
		if r.ToolChoice != "auto" && r.ToolChoice != "required" && r.ToolChoice != "none" {
			return refuse("The toolChoice must be auto, required or none, it is %.40q.", r.ToolChoice)
		}
	case "modelPreferences":
		return r.Preferences.read(value)
	}
	return nil
}

func (r *Request) tools(value json.RawMessage) *Refusal {
	if string(value) == "null" {
		return nil
	}
	list, err := rawjson.Elements(value)
	if err != nil || len(list) > maxTools {
		return refuse("The tools must be a list of at most %d.", maxTools)
	}
	seen := map[string]bool{}
	for _, s := range list {
		members, err := rawjson.Members(s.Of(value))
		if err != nil {
			return refuse("A tool is no proper object: %v.", err)
		}
		var t Tool
		for _, m := range members {
			inner, ok := m.Of(s.Of(value)), true
			switch m.Name {
			case "name":
				t.Name, ok = text(inner)
			case "description":
				t.Description, ok = text(inner)
			case "inputSchema":
				t.Schema, ok = inner, rawjson.Kind(inner) == "object"
			}
			if !ok {
				return refuse("The %s of a tool is wrong.", m.Name)
			}
		}
		switch {
		case t.Name == "" || len(t.Name) > maxName:
			return refuse("The name of a tool must have 1 to %d bytes.", maxName)
		case seen[t.Name]:
			return refuse("The tool %.100q is there twice.", t.Name)
		case t.Schema == nil:
			return refuse("The inputSchema of the tool %.100q is missing.", t.Name)
		}
		seen[t.Name] = true
		r.Tools = append(r.Tools, t)
	}
	return nil
}

// look notes what a person should know and can't see in the prompt.
func (r *Request) look() {
	switch r.IncludeContext {
	case "", "none":
	default:
		r.Notes = append(r.Notes, "The server asks that what was said before is added to the prompt (includeContext); nothing is added.")
	}
	hidden := false
	for _, s := range append(r.Texts(), r.System) {
		_, h := plain.Text(s)
		hidden = hidden || h
	}
	if hidden {
		r.Notes = append(r.Notes, "The prompt has characters that can't be seen.")
	}
}

// UsesTools reports whether the request needs a model, or a host, with tools
// (the capability sampling.tools).
func (r *Request) UsesTools() bool {
	return len(r.Tools) > 0 || r.ToolChoice != "" || r.toolRounds() > 0
}

// toolRounds counts the messages in which the model asked for tools.
func (r *Request) toolRounds() int {
	n := 0
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.Type == PartToolUse {
				n++
				break
			}
		}
	}
	return n
}

// digest is that of the prompt: equal for the same words again, whatever the
// token of their progress.
func (r *Request) digest() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s ", len(r.System), r.System)
	for _, m := range r.Messages {
		h.Write(m.span.Of(r.raw))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Fits reports whether a host of that revision can take the request, and a
// sentence why not. Tools is whether the host declared sampling.tools.
func (r *Request) Fits(revision string, tools bool) (bool, string) {
	const (
		withAudio = "2025-03-26"
		withTools = "2025-11-25"
	)
	for _, m := range r.Messages {
		if m.list && revision < withTools {
			return false, "A message has several parts, which the host's revision doesn't know."
		}
		for _, p := range m.Parts {
			if p.Type == PartAudio && revision < withAudio {
				return false, "A message has sound, which the host's revision doesn't know."
			}
		}
	}
	if r.UsesTools() && (!tools || revision < withTools) {
		return false, "The request has tools, and the host doesn't offer them to servers' prompts."
	}
	return true, ""
}

// Detail is what a person is shown. The model is left to the caller.
func (r *Request) Detail() wire.SamplingDetail {
	d := wire.SamplingDetail{System: r.System, MaxTokens: r.MaxTokens}
	for _, m := range r.Messages {
		d.Messages = append(d.Messages, m.detail())
	}
	for _, t := range r.Tools {
		name, _ := plain.Line(t.Name)
		d.Tools = append(d.Tools, name)
	}
	return d
}

// Texts are the texts of all text parts, in order: what an edit replaces.
func (r *Request) Texts() []string { return textsOf(r.Messages) }

// Edit is the request with a person's texts in it. Every other byte of its
// params stays as it was.
func (r *Request) Edit(e wire.SamplingEdit) (*Request, error) {
	var edits []rawjson.Edit
	if e.System != nil && *e.System != r.System {
		edit := rawjson.Edit{Span: r.system, New: rawjson.Quote(*e.System)}
		if r.system == (rawjson.Span{}) {
			edit.Span, edit.New = addMember(r.raw, "systemPrompt", edit.New)
		}
		edits = append(edits, edit)
	}
	inner, err := editTexts(r.Messages, e.Texts)
	if err != nil {
		return nil, err
	}
	edited, refusal := Parse(splice(r.raw, append(edits, inner...)))
	if refusal != nil {
		return nil, refusal
	}
	return edited, nil
}

// text reads a JSON string.
func text(raw []byte) (string, bool) {
	var s string
	return s, rawjson.Kind(raw) == "string" && json.Unmarshal(raw, &s) == nil
}

func texts(raw []byte, limit int) ([]string, bool) {
	spans, err := rawjson.Elements(raw)
	if err != nil || len(spans) > limit {
		return nil, false
	}
	var list []string
	for _, s := range spans {
		one, ok := text(s.Of(raw))
		if !ok {
			return nil, false
		}
		list = append(list, one)
	}
	return list, true
}

// whole reads a whole number that isn't negative, also written as 1e3 or 1.0;
// what is above every model's limit is cut to maxTokens.
func whole(raw []byte) (int, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if rawjson.Kind(raw) != "number" || err != nil || f != float64(int64(min(f, maxTokens))) && f < maxTokens || f < 0 {
		return 0, false
	}
	return int(min(f, maxTokens)), true
}
