package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// maxArguments is what the core takes.
const maxArguments = 32 << 20

func (p *program) call() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call SERVER TOOL [JSON|-]",
		Short: "Call a tool, with the same checks as for an AI application",
		Long: "Call a tool, with the same checks as for an AI application. The arguments are one JSON\n" +
			"object; - reads it from stdin. The exit code is 6 when the tool reports an error, and 5\n" +
			"when the call was denied.",
		Example:           `  bridgekeeper call rooms get_room_status '{"room": "R1"}'`,
		Args:              cobra.RangeArgs(2, 3),
		ValidArgsFunction: p.completeCall,
	}
	var form bool
	cmd.Flags().BoolVar(&form, "form", false, "ask for the arguments one by one, by the tool's schema; show the request and its time")
	p.jsonFlag(cmd, "print the result as the server wrote it")
	run := p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
		req := wire.CallTool{Tool: args[1], Arguments: json.RawMessage(args[2])}
		if form {
			var err error
			if req.Arguments, err = p.formArguments(ctx, core, args[0], args[1]); err != nil {
				return err
			}
			p.err.line("request: %s", visible(string(req.Arguments)))
		}
		began := time.Now()
		result, err := core.Call(ctx, args[0], req)
		if form {
			p.err.line("took %s", time.Since(began).Round(time.Millisecond))
		}
		if err != nil {
			return err
		}
		return p.printResult(result)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if form && len(args) == 3 {
			return usage("--form asks for the arguments: write none")
		}
		text, err := p.arguments(args[2:])
		if err != nil {
			return err
		}
		return run(cmd, []string{args[0], args[1], text})
	}
	return cmd
}

// arguments is the JSON object to send.
func (p *program) arguments(args []string) (string, error) {
	if len(args) == 0 {
		return "{}", nil
	}
	data := []byte(args[0])
	if args[0] == "-" {
		var err error
		if data, err = io.ReadAll(io.LimitReader(p.stdin, maxArguments+1)); err != nil {
			return "", fmt.Errorf("read stdin: %w", err)
		}
		if len(data) > maxArguments {
			return "", &wire.Error{Code: wire.CodeBodyTooLarge, Message: fmt.Sprintf("the arguments are larger than %d MiB", maxArguments>>20)}
		}
	}
	data = bytes.TrimSpace(data)
	if !json.Valid(data) || len(data) == 0 || data[0] != '{' {
		e := usage("the arguments must be one JSON object")
		e.Hint = `For example '{"room": "R1"}'; quotes around it keep the shell from changing it.`
		return "", e
	}
	return string(data), nil
}

// result is what we show of a CallToolResult.
type result struct {
	Content           []content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

type content struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text"`
	Data     string    `json:"data"`
	MimeType string    `json:"mimeType"`
	URI      string    `json:"uri"`
	Name     string    `json:"name"`
	Resource *resource `json:"resource"`
}

type resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     string  `json:"blob"`
}

func (p *program) printResult(raw []byte) error {
	var r result
	err := json.Unmarshal(raw, &r)
	switch {
	case p.asJSON:
		p.out.line("%s", bytes.TrimSpace(raw))
	case err != nil || len(r.Content) == 0:
		p.printJSON(raw, r.StructuredContent)
	default:
		for _, c := range r.Content {
			p.out.line("%s", visibleLines(c.String()))
		}
	}
	if r.IsError {
		return errTool
	}
	return nil
}

// printJSON shows a result that has no text, best its structured part.
func (p *program) printJSON(raw, structured []byte) {
	if len(structured) > 0 {
		raw = structured
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Write(raw)
	}
	p.out.line("%s", visibleLines(b.String()))
}

func (c content) String() string {
	switch {
	case c.Text != nil:
		return *c.Text
	case c.Resource != nil && c.Resource.Text != nil:
		return *c.Resource.Text
	case c.Resource != nil:
		return fmt.Sprintf("[resource %s, %s, %d bytes]", c.Resource.URI, c.Resource.MimeType, decoded(c.Resource.Blob))
	case c.Data != "":
		return fmt.Sprintf("[%s, %s, %d bytes]", c.Type, c.MimeType, decoded(c.Data))
	case c.URI != "":
		return fmt.Sprintf("[%s %s]", c.Type, c.URI)
	}
	return fmt.Sprintf("[%s]", c.Type)
}

func decoded(data string) int {
	return base64.RawStdEncoding.DecodedLen(len(bytes.TrimRight([]byte(data), "=")))
}
