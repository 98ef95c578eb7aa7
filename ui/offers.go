package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// unknownMethod is how a server says that it has none of what is asked for.
const unknownMethod = "-32601"

const (
	// maxOffers bounds what is listed of one server, maxPages how often it is asked
	// for more: one that always has more would be asked for ever.
	maxOffers = 5_000
	maxPages  = 50
)

// offer is something to read or fill in: a resource, a template of resources, a prompt.
type offer struct {
	name   string // what it is called by the protocol: a prompt's name, a URI
	title  string
	about  string
	fields []wire.FormField
	kind   string // one of those below
}

const (
	kindResource = "resource"
	kindTemplate = "template"
	kindPrompt   = "prompt"
)

// listed is one page of any of the three lists.
type listed struct {
	Resources []rawOffer `json:"resources"`
	Templates []rawOffer `json:"resourceTemplates"`
	Prompts   []rawOffer `json:"prompts"`
	Next      string     `json:"nextCursor"`
}

type rawOffer struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	URI         string `json:"uri"`
	URITemplate string `json:"uriTemplate"`
	Description string `json:"description"`
	MimeType    string `json:"mimeType"`
	Arguments   []struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	} `json:"arguments"`
}

// readOffers reads one page of a list.
func readOffers(data []byte) (offers []offer, next string, err error) {
	var page listed
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, "", &wire.Error{Code: wire.CodeRPC, Message: "the server's list can't be read"}
	}
	for _, r := range page.Resources {
		offers = append(offers, offer{name: r.URI, title: first(r.Title, r.Name, r.URI), about: join(r.URI, r.MimeType) + below(r.Description), kind: kindResource})
	}
	for _, r := range page.Templates {
		o := offer{name: r.URITemplate, title: first(r.Title, r.Name, r.URITemplate), about: join(r.URITemplate, r.MimeType) + below(r.Description), kind: kindTemplate}
		for _, m := range variables.FindAllStringSubmatch(r.URITemplate, maxFields) {
			for _, name := range strings.Split(m[2], ",") {
				optional := m[1] != "" && strings.Contains("?&;#", m[1])
				o.fields = append(o.fields, wire.FormField{Name: strings.TrimRight(name, "*"), Type: "string", Required: !optional})
			}
		}
		offers = append(offers, o)
	}
	for _, r := range page.Prompts {
		o := offer{name: r.Name, title: first(r.Title, r.Name), about: r.Description, kind: kindPrompt}
		for _, a := range r.Arguments[:min(len(r.Arguments), maxFields)] {
			o.fields = append(o.fields, wire.FormField{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required, Type: "string"})
		}
		offers = append(offers, o)
	}
	return offers, page.Next, nil
}

// variables are those of a URI template, with the sign that says how they expand.
var variables = regexp.MustCompile(`\{([+#./;?&]?)([A-Za-z0-9_.,*%]+)\}`)

// expand fills a URI template as RFC 6570 has it, for plain values.
func expand(template string, values map[string]string) string {
	return variables.ReplaceAllStringFunc(template, func(expression string) string {
		inner := strings.Trim(expression, "{}")
		sign := ""
		if strings.ContainsAny(inner[:1], "+#./;?&") {
			sign, inner = inner[:1], inner[1:]
		}
		start, between, named := sign, ",", false
		switch sign {
		case "+":
			start = ""
		case ".", "/":
			between = sign
		case ";":
			between, named = ";", true
		case "?", "&":
			between, named = "&", true
		}
		var parts []string
		for _, name := range strings.Split(inner, ",") {
			name = strings.TrimRight(name, "*")
			value := values[name]
			if value == "" {
				continue // as if it were not there
			}
			if sign != "+" && sign != "#" {
				value = strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
			}
			if named {
				value = name + "=" + value
			}
			parts = append(parts, value)
		}
		if len(parts) == 0 {
			return ""
		}
		return start + strings.Join(parts, between)
	})
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func below(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}

// listOffers asks a server for all pages of lists. A method that the server
// doesn't know is an empty list.
func listOffers(ctx context.Context, c *client.Client, server string, methods ...string) ([]offer, error) {
	var all []offer
	for n, method := range methods {
		cursor := ""
		for range maxPages {
			params := json.RawMessage("{}")
			if cursor != "" {
				params = json.RawMessage(`{"cursor":` + string(quoteJSON(cursor)) + `}`)
			}
			data, err := c.Request(ctx, server, wire.ServerRequest{Method: method, Params: params})
			if err != nil && (n > 0 || strings.Contains(err.Error(), unknownMethod)) {
				break // it has none
			}
			if err != nil {
				return all, err
			}
			page, next, err := readOffers(data)
			if err != nil {
				return all, err
			}
			all = append(all, page...)
			if cursor = next; next == "" || len(all) >= maxOffers {
				break
			}
		}
	}
	return all, nil
}

// use is the request that reads or fills in an offer.
func (o offer) use(values map[string]string) wire.ServerRequest {
	if o.kind == kindPrompt {
		var args bytes.Buffer
		args.WriteByte('{')
		for _, f := range o.fields {
			if values[f.Name] == "" && !f.Required {
				continue
			}
			if args.Len() > 1 {
				args.WriteByte(',')
			}
			fmt.Fprintf(&args, "%s:%s", quoteJSON(f.Name), quoteJSON(values[f.Name]))
		}
		args.WriteByte('}')
		return wire.ServerRequest{Method: "prompts/get", Params: fmt.Appendf(nil, `{"name":%s,"arguments":%s}`, quoteJSON(o.name), args.Bytes())}
	}
	uri := o.name
	if o.kind == kindTemplate {
		uri = expand(o.name, values)
	}
	return wire.ServerRequest{Method: "resources/read", Params: fmt.Appendf(nil, `{"uri":%s}`, quoteJSON(uri))}
}

// complete is the request for what a value could be.
func (o offer) complete(field, value string) wire.ServerRequest {
	ref := fmt.Sprintf(`{"type":"ref/prompt","name":%s}`, quoteJSON(o.name))
	if o.kind == kindTemplate {
		ref = fmt.Sprintf(`{"type":"ref/resource","uri":%s}`, quoteJSON(o.name))
	}
	return wire.ServerRequest{Method: "completion/complete", Params: fmt.Appendf(nil, `{"ref":%s,"argument":{"name":%s,"value":%s}}`, ref, quoteJSON(field), quoteJSON(value))}
}

// readCompletion reads the values of a completion's result.
func readCompletion(data []byte) []string {
	var r struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	return slices.Clone(r.Completion.Values[:min(len(r.Completion.Values), maxFields)])
}

// readOffer makes what came readable: a resource's contents, a prompt's messages.
func readOffer(data []byte) string {
	type content struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
		MimeType string `json:"mimeType"`
		URI      string `json:"uri"`
	}
	var r struct {
		Contents []content `json:"contents"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(data, &r) != nil || len(r.Contents)+len(r.Messages) == 0 {
		return indented(data)
	}
	var parts []string
	for _, c := range r.Contents {
		if c.Blob != "" {
			parts = append(parts, "["+join(c.MimeType, lang.L("{{.Bytes}} bytes", named{"Bytes": thousands(len(c.Blob) / 4 * 3)}))+"]")
		} else {
			parts = append(parts, c.Text)
		}
	}
	for _, m := range r.Messages {
		var c content
		text := string(m.Content)
		if json.Unmarshal(m.Content, &c) == nil && c.Type == "text" {
			text = c.Text
		}
		parts = append(parts, m.Role+": "+text)
	}
	return strings.Join(parts, "\n\n")
}
