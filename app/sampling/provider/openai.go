package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/sampling"
)

// maxOpenAIStops is how many stop sequences the interface takes; a server's
// further ones may be left out.
const maxOpenAIStops = 4

// OpenAI is any provider with OpenAI's chat completions: OpenAI itself, Ollama,
// LM Studio, Gemini's compatible endpoint.
type OpenAI struct {
	endpoint Endpoint
	chat     openai.ChatCompletionService
}

// NewOpenAI connects to nothing yet. Nothing is read from the environment.
func NewOpenAI(e Endpoint) (*OpenAI, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithBaseURL(e.BaseURL), option.WithHTTPClient(e.client()), option.WithMaxRetries(0), option.WithRequestTimeout(e.timeout()),
	}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(string(e.Key)))
	}
	return &OpenAI{e, openai.NewChatCompletionService(opts...)}, nil
}

// Complete implements Model.
func (o *OpenAI) Complete(ctx context.Context, r *sampling.Request, model string, maxTokens int) (*sampling.Result, error) {
	names := namesOf(r)
	params, err := o.params(r, model, maxTokens, names)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.endpoint.timeout())
	defer cancel()
	answer, err := o.chat.New(ctx, params)
	if err != nil {
		status, words := 0, ""
		if e, ok := errors.AsType[*openai.Error](err); ok {
			if status, words = e.StatusCode, e.Message; words == "" {
				words = e.RawJSON()
			}
		}
		return nil, o.endpoint.failed(ctx, err, model, status, words)
	}
	return openaiResult(answer, model, names)
}

func (o *OpenAI) params(r *sampling.Request, model string, maxTokens int, names toolNames) (p openai.ChatCompletionNewParams, err error) {
	p.Model = model
	// OpenAI's newer models take only the new word, most others only the old one.
	if u, _ := url.Parse(o.endpoint.BaseURL); strings.HasSuffix(u.Hostname(), ".openai.com") || strings.HasSuffix(u.Hostname(), ".azure.com") {
		p.MaxCompletionTokens = param.NewOpt(int64(maxTokens))
	} else {
		p.MaxTokens = param.NewOpt(int64(maxTokens))
	}
	if !o.endpoint.Plain {
		if t, err := r.Temperature.Float64(); err == nil {
			p.Temperature = param.NewOpt(t)
		}
		if len(r.Stop) > 0 {
			p.Stop.OfStringArray = r.Stop[:min(len(r.Stop), maxOpenAIStops)]
		}
	}
	if r.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(r.System))
	}
	for _, m := range r.Messages {
		list, err := openaiMessages(m, names)
		if err != nil {
			return p, err
		}
		p.Messages = append(p.Messages, list...)
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, openaiTool(t, names))
	}
	if r.ToolChoice != "" && len(r.Tools) > 0 {
		p.ToolChoice.OfAuto = param.NewOpt(r.ToolChoice)
	}
	return p, nil
}

// openaiTool passes the schema byte for byte, so that big numbers and the order
// of members stay.
func openaiTool(t sampling.Tool, names toolNames) openai.ChatCompletionToolUnionParam {
	raw := append([]byte(`{"name":`), rawjson.Quote(names.out[t.Name])...)
	if t.Description != "" {
		raw = append(append(raw, `,"description":`...), rawjson.Quote(t.Description)...)
	}
	raw = append(append(append(raw, `,"parameters":`...), t.Schema...), '}')
	return openai.ChatCompletionToolUnionParam{OfFunction: &openai.ChatCompletionFunctionToolParam{
		Function: param.Override[shared.FunctionDefinitionParam](json.RawMessage(raw)),
	}}
}

// openaiMessages makes one message, or one for each tool's result.
func openaiMessages(m sampling.Message, names toolNames) ([]openai.ChatCompletionMessageParamUnion, error) {
	if m.Parts[0].Type == sampling.PartToolResult {
		var list []openai.ChatCompletionMessageParamUnion
		for _, p := range m.Parts {
			words, err := resultText(p)
			if err != nil {
				return nil, err
			}
			list = append(list, openai.ToolMessage(words, p.ID))
		}
		return list, nil
	}
	if m.Role == sampling.Assistant {
		return openaiAssistant(m, names)
	}
	if len(m.Parts) == 1 && m.Parts[0].Type == sampling.PartText {
		// Some local providers read nothing but a plain text.
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(m.Parts[0].Text)}, nil
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, p := range m.Parts {
		switch p.Type {
		case sampling.PartText:
			parts = append(parts, openai.TextContentPart(p.Text))
		case sampling.PartImage:
			if !strings.HasPrefix(p.MIME, "image/") {
				return nil, problem("The prompt has an image of the type %.60q, which is none of an image.", p.MIME)
			}
			parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:" + p.MIME + ";base64," + p.Data}))
		case sampling.PartAudio:
			format, ok := map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/vnd.wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}[p.MIME]
			if !ok {
				return nil, problem("The prompt has sound of the type %.60q; this model provider takes WAV and MP3 only.", p.MIME)
			}
			parts = append(parts, openai.InputAudioContentPart(openai.ChatCompletionContentPartInputAudioInputAudioParam{Data: p.Data, Format: format}))
		}
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)}, nil
}

func openaiAssistant(m sampling.Message, names toolNames) ([]openai.ChatCompletionMessageParamUnion, error) {
	var out openai.ChatCompletionAssistantMessageParam
	var words []string
	for _, p := range m.Parts {
		switch p.Type {
		case sampling.PartText:
			words = append(words, p.Text)
		case sampling.PartToolUse:
			out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: p.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: names.out[p.Name], Arguments: string(p.Input)},
			}})
		default:
			return nil, problem("The prompt has an %s as the assistant's words, which this model provider doesn't take.", p.Type)
		}
	}
	if words != nil {
		out.Content.OfString = param.NewOpt(strings.Join(words, "\n\n"))
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &out}}, nil
}

// resultText is a tool's result where only text is taken.
func resultText(p sampling.Part) (string, error) {
	var words []string
	if p.IsError {
		words = append(words, "The tool failed:")
	}
	for _, c := range p.Content {
		if c.Type == sampling.PartImage || c.Type == sampling.PartAudio {
			return "", problem("The result of a tool holds an %s, which this model provider doesn't take there.", c.Type)
		}
		words = append(words, c.Text)
	}
	if len(p.Content) == 0 && p.Structured != nil {
		words = append(words, string(p.Structured))
	}
	return strings.Join(words, "\n"), nil
}

func openaiResult(answer *openai.ChatCompletion, model string, names toolNames) (*sampling.Result, error) {
	if answer == nil || len(answer.Choices) == 0 {
		return nil, problem("The model provider answered with something that is no chat completion.")
	}
	choice := answer.Choices[0]
	var parts []sampling.Part
	words, refusal := choice.Message.Content, choice.Message.Refusal
	if words == "" {
		words = refusal
	}
	if words != "" || len(choice.Message.ToolCalls) == 0 {
		parts = append(parts, sampling.Part{Type: sampling.PartText, Text: words})
	}
	for _, call := range choice.Message.ToolCalls {
		input := strings.TrimSpace(call.Function.Arguments)
		if input == "" {
			input = "{}"
		}
		if _, err := rawjson.Members([]byte(input)); err != nil || call.Function.Name == "" {
			return nil, problem("The model asked for the tool %.100q with arguments that are no proper JSON object.", call.Function.Name)
		}
		parts = append(parts, sampling.Part{Type: sampling.PartToolUse, ID: call.ID, Name: names.original(call.Function.Name), Input: json.RawMessage(input)})
	}
	stop, ok := map[string]string{"stop": sampling.StopEndTurn, "": sampling.StopEndTurn, "length": sampling.StopMaxTokens, "tool_calls": sampling.StopToolUse, "function_call": sampling.StopToolUse}[choice.FinishReason]
	switch {
	case refusal != "":
		stop = "refusal"
	case len(choice.Message.ToolCalls) > 0 && choice.FinishReason != "length":
		stop = sampling.StopToolUse // several providers say "stop" here
	case !ok:
		stop = choice.FinishReason
	}
	if answer.Model != "" {
		model = answer.Model
	}
	return sampling.NewResult(model, stop, parts, answer.Usage.PromptTokens, answer.Usage.CompletionTokens)
}
