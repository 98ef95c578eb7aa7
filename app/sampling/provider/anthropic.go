package provider

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/sampling"
)

// AnthropicURL is where Anthropic is, for an Endpoint without an address.
const AnthropicURL = "https://api.anthropic.com"

// Anthropic is Anthropic's own interface.
type Anthropic struct {
	endpoint Endpoint
	messages anthropic.MessageService
}

// NewAnthropic connects to nothing yet. Nothing is read from the environment.
func NewAnthropic(e Endpoint) (*Anthropic, error) {
	if e.BaseURL == "" {
		e.BaseURL = AnthropicURL
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(e.BaseURL), option.WithHTTPClient(e.client()), option.WithMaxRetries(0), option.WithRequestTimeout(e.timeout()),
	}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(string(e.Key)))
	}
	return &Anthropic{e, anthropic.NewMessageService(opts...)}, nil
}

// Complete implements Model.
func (a *Anthropic) Complete(ctx context.Context, r *sampling.Request, model string, maxTokens int) (*sampling.Result, error) {
	names := namesOf(r)
	params, err := a.params(r, model, maxTokens, names)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.endpoint.timeout())
	defer cancel()
	answer, err := a.messages.New(ctx, params)
	if err != nil {
		status, words := 0, ""
		if e, ok := errors.AsType[*anthropic.Error](err); ok {
			status, words = e.StatusCode, anthropicWords(e.RawJSON())
		}
		return nil, a.endpoint.failed(ctx, err, model, status, words)
	}
	return anthropicResult(answer, model, names)
}

func anthropicWords(raw string) string {
	var body struct{ Error struct{ Message string } }
	if err := json.Unmarshal([]byte(raw), &body); err != nil || body.Error.Message == "" {
		return raw
	}
	return body.Error.Message
}

func (a *Anthropic) params(r *sampling.Request, model string, maxTokens int, names toolNames) (p anthropic.MessageNewParams, err error) {
	p.Model, p.MaxTokens = model, int64(maxTokens)
	if !a.endpoint.Plain {
		if t, err := r.Temperature.Float64(); err == nil {
			p.Temperature = param.NewOpt(min(t, 1)) // its scale ends there
		}
		p.StopSequences = r.Stop
	}
	if r.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	for _, m := range r.Messages {
		out := anthropic.MessageParam{Role: anthropic.MessageParamRole(m.Role)}
		for _, part := range m.Parts {
			block, err := anthropicBlock(part, m.Role, names)
			if err != nil {
				return p, err
			}
			out.Content = append(out.Content, block)
		}
		p.Messages = append(p.Messages, out)
	}
	for _, t := range r.Tools {
		tool := anthropic.ToolParam{Name: names.out[t.Name], InputSchema: param.Override[anthropic.ToolInputSchemaParam](t.Schema)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &tool})
	}
	if len(r.Tools) > 0 {
		switch r.ToolChoice {
		case "auto":
			p.ToolChoice.OfAuto = &anthropic.ToolChoiceAutoParam{}
		case "required":
			p.ToolChoice.OfAny = &anthropic.ToolChoiceAnyParam{}
		case "none":
			p.ToolChoice.OfNone = &anthropic.ToolChoiceNoneParam{}
		}
	}
	return p, nil
}

func anthropicBlock(p sampling.Part, role string, names toolNames) (b anthropic.ContentBlockParamUnion, err error) {
	switch p.Type {
	case sampling.PartText:
		b.OfText = &anthropic.TextBlockParam{Text: p.Text}
	case sampling.PartImage:
		if role == sampling.Assistant {
			return b, problem("The prompt has an image as the assistant's words, which this model provider doesn't take.")
		}
		b.OfImage, err = anthropicImage(p)
	case sampling.PartToolUse:
		b.OfToolUse = &anthropic.ToolUseBlockParam{ID: p.ID, Name: names.out[p.Name], Input: p.Input}
	case sampling.PartToolResult:
		result := &anthropic.ToolResultBlockParam{ToolUseID: p.ID}
		if p.IsError {
			result.IsError = param.NewOpt(true)
		}
		for _, c := range p.Content {
			var inner anthropic.ToolResultBlockParamContentUnion
			switch c.Type {
			case sampling.PartImage:
				inner.OfImage, err = anthropicImage(c)
			case sampling.PartAudio:
				err = problem("The prompt has sound, which this model provider doesn't take.")
			default:
				inner.OfText = &anthropic.TextBlockParam{Text: c.Text}
			}
			if err != nil {
				return b, err
			}
			result.Content = append(result.Content, inner)
		}
		if len(p.Content) == 0 && p.Structured != nil {
			result.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: string(p.Structured)}}}
		}
		b.OfToolResult = result
	default:
		err = problem("The prompt has sound, which this model provider doesn't take.")
	}
	return b, err
}

var anthropicImages = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func anthropicImage(p sampling.Part) (*anthropic.ImageBlockParam, error) {
	if !slices.Contains(anthropicImages, p.MIME) {
		return nil, problem("The prompt has an image of the type %.60q; this model provider takes JPEG, PNG, GIF and WebP only.", p.MIME)
	}
	image := &anthropic.ImageBlockParam{}
	image.Source.OfBase64 = &anthropic.Base64ImageSourceParam{Data: p.Data, MediaType: anthropic.Base64ImageSourceMediaType(p.MIME)}
	return image, nil
}

func anthropicResult(answer *anthropic.Message, model string, names toolNames) (*sampling.Result, error) {
	if answer == nil || answer.Type != "message" || answer.Role != "assistant" {
		return nil, problem("The model provider answered with something that is no message.")
	}
	var parts []sampling.Part
	for _, b := range answer.Content {
		switch b.Type {
		case "text":
			parts = append(parts, sampling.Part{Type: sampling.PartText, Text: b.Text})
		case "tool_use":
			if _, err := rawjson.Members(b.Input); err != nil || b.Name == "" {
				return nil, problem("The model asked for the tool %.100q with arguments that are no proper JSON object.", b.Name)
			}
			parts = append(parts, sampling.Part{Type: sampling.PartToolUse, ID: b.ID, Name: names.original(b.Name), Input: b.Input})
		}
		// What it thought is not part of an answer.
	}
	if parts == nil {
		parts = []sampling.Part{{Type: sampling.PartText}}
	}
	stop, ok := map[anthropic.StopReason]string{
		anthropic.StopReasonEndTurn: sampling.StopEndTurn, anthropic.StopReasonMaxTokens: sampling.StopMaxTokens,
		anthropic.StopReasonStopSequence: sampling.StopSequence, anthropic.StopReasonToolUse: sampling.StopToolUse,
	}[answer.StopReason]
	if !ok {
		stop = string(answer.StopReason)
	}
	if answer.Model != "" {
		model = answer.Model
	}
	u := answer.Usage
	return sampling.NewResult(model, stop, parts, u.InputTokens+u.CacheCreationInputTokens+u.CacheReadInputTokens, u.OutputTokens)
}
