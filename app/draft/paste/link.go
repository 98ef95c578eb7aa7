package paste

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/wire"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// schemes are those of applications whose links carry a server.
var schemes = []string{"cursor", "vscode", "vscode-insiders", "goose", "lmstudio", "kiro", "cherrystudio", "raycast", "windsurf", "claude", "hermes", "warp", "bridgekeeper"}

// isLink reports whether a text is an install link, or a web page that leads to one.
func isLink(text string) bool {
	scheme, _, ok := strings.Cut(text, ":")
	if ok {
		for _, s := range schemes {
			if strings.EqualFold(s, scheme) {
				return true
			}
		}
	}
	if !web(text) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && webLink(u)
}

// webLink: the pages that open an application with what stands in their query.
func webLink(u *url.URL) bool {
	switch strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") {
	case "cursor.com":
		return strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/install-mcp") || strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/mcp/install")
	case "lmstudio.ai":
		return strings.HasPrefix(u.Path, "/install-mcp")
	case "vscode.dev", "insiders.vscode.dev":
		return strings.HasPrefix(u.Path, "/redirect")
	case "kiro.dev":
		return strings.HasPrefix(u.Path, "/launch/mcp/add")
	}
	return false
}

// link reads an install link. It never does what a link says about trust.
func link(text string, o Options) ([]*draft.Draft, error) {
	if len(text) > maxLink {
		return nil, bad("", "the link is longer than %d KiB", maxLink>>10)
	}
	if strings.ContainsAny(text, "\r\n") {
		return nil, bad("Paste one link.", "these are several lines, of which only one can be a link")
	}
	scheme, rest, _ := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	var list []*draft.Draft
	var err error
	app := scheme
	switch scheme {
	case "vscode", "vscode-insiders":
		app = "vscode"
		list, err = vscode(rest, o)
	case "raycast":
		_, query, _ := strings.Cut(rest, "?")
		list, err = encodedJSON(query, "", o)
	case "http", "https":
		var u *url.URL
		if u, err = url.Parse(text); err != nil {
			return nil, bad("", "the link can't be read")
		}
		app, list, err = page(u, o)
	default:
		u, perr := url.Parse(text)
		if perr != nil {
			return nil, bad("", "the link can't be read")
		}
		list, err = application(scheme, u, o)
	}
	for _, d := range list {
		d.Source = wire.DraftSource{Kind: wire.SourceLink, From: app}
	}
	return list, err
}

// page reads the web page's query, which is what the application would get.
func page(u *url.URL, o Options) (app string, list []*draft.Draft, err error) {
	q := u.Query()
	switch host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."); host {
	case "cursor.com":
		list, err = base64Config(q, o)
		return "cursor", list, err
	case "lmstudio.ai":
		list, err = base64Config(q, o)
		return "lmstudio", list, err
	case "kiro.dev":
		list, err = encodedJSON(q.Get("config"), q.Get("name"), o)
		return "kiro", list, err
	}
	if inner := q.Get("url"); inner != "" { // vscode.dev/redirect?url=vscode:mcp/install?…
		scheme, rest, ok := strings.Cut(inner, ":")
		if !ok || !strings.HasPrefix(strings.ToLower(scheme), "vscode") {
			return "vscode", nil, bad("", "the link leads to no server")
		}
		list, err = vscode(rest, o)
		return "vscode", list, err
	}
	list, err = vscodeParts(q.Get("config"), q.Get("inputs"), q.Get("name"), o)
	return "vscode", list, err
}

func application(scheme string, u *url.URL, o Options) ([]*draft.Draft, error) {
	q := u.Query()
	switch scheme {
	case "cursor", "lmstudio", "hermes":
		return base64Config(q, o)
	case "kiro":
		return encodedJSON(q.Get("config"), q.Get("name"), o)
	case "cherrystudio":
		return cherry(q, o)
	case "goose":
		return goose(q, o)
	}
	return nil, bad("Look at the server's own page for its command, or for its JSON.", "a link of %s carries no server", scheme)
}

// base64Config is ?name=NAME&config=BASE64 of one entry; many links wrap it as
// {NAME: entry}.
func base64Config(q url.Values, o Options) ([]*draft.Draft, error) {
	data, err := decode64(q.Get("config"))
	if err != nil {
		return nil, err
	}
	return encodedJSON(data, q.Get("name"), o)
}

func decode64(text string) (string, error) {
	if text == "" {
		return "", bad("", "the link carries no config")
	}
	text = strings.NewReplacer(" ", "+", "-", "+", "_", "/", "\n", "").Replace(strings.TrimRight(text, "="))
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", bad("", "the link's config isn't base64")
	}
	if len(data) > maxLink {
		return "", bad("", "the link's config is larger than %d KiB", maxLink>>10)
	}
	return string(data), nil
}

// encodedJSON reads a server from JSON, which may be percent-encoded, once or
// twice, unless the query was decoded already.
func encodedJSON(text, name string, o Options) ([]*draft.Draft, error) {
	for range 2 {
		if strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[") {
			break
		}
		next, err := url.PathUnescape(text)
		if err != nil || next == text {
			break
		}
		text = next
	}
	if strings.TrimSpace(text) == "" {
		return nil, bad("", "the link carries no config")
	}
	list, err := object(text, o)
	if err != nil {
		return nil, err
	}
	return renamed(list, name), nil
}

// renamed gives a link's only server the link's name.
func renamed(list []*draft.Draft, name string) []*draft.Draft {
	if name != "" && len(list) == 1 {
		list[0].Name, list[0].Label, list[0].Title = slug(name), name, name
	}
	return list
}

// vscode reads mcp/install?JSON, whose query is the JSON itself.
func vscode(rest string, o Options) ([]*draft.Draft, error) {
	at, query, ok := strings.Cut(rest, "?")
	if at = strings.Trim(at, "/"); !ok || at != "mcp/install" {
		return nil, bad("", "the link of VS Code installs no server: it has no mcp/install?")
	}
	return encodedJSON(query, "", o)
}

// vscodeParts joins the query's parts: a config without its name and inputs.
func vscodeParts(config, inputs, name string, o Options) ([]*draft.Draft, error) {
	f, err := read.Parse([]byte(config), known.JSONC)
	if err != nil || strings.TrimSpace(config) == "" {
		return nil, bad("", "the link carries no config that can be read")
	}
	if inputs != "" {
		in, err := read.Parse([]byte(`{"inputs":`+inputs+`}`), known.JSONC)
		if err != nil {
			return nil, bad("", "the link's inputs can't be read")
		}
		f.Root.Members = append(f.Root.Members, in.Root.Members...)
	}
	list, err := servers(f.Root, f, o)
	return renamed(list, name), err
}

// cherry is servers=BASE64 of a map, a list, or one entry; some links have their
// JSON percent-encoded within it.
func cherry(q url.Values, o Options) ([]*draft.Draft, error) {
	data, err := decode64(q.Get("servers"))
	if err != nil {
		return nil, err
	}
	return encodedJSON(data, "", o)
}

// gooseCommands are the programs that goose takes from a link.
var gooseCommands = map[string]bool{"cu": true, "docker": true, "jbang": true, "npx": true, "uvx": true, "goosed": true}

// goose spells the entry out: cmd, arg…, env…=description, or url, header….
func goose(q url.Values, o Options) ([]*draft.Draft, error) {
	name := q.Get("name")
	if name == "" {
		name = q.Get("id")
	}
	if address := q.Get("url"); address != "" {
		kind := q.Get("type")
		if kind == "" {
			kind = q.Get("transport")
		}
		if kind == "" {
			kind = "sse"
		}
		headers := map[string]string{}
		for _, h := range q["header"] {
			key, value, _ := strings.Cut(h, "=")
			headers[key] = value
		}
		m := &read.Map{Members: []read.Member{{Key: "url", Value: address}, {Key: "type", Value: kind}, {Key: "headers", Value: texts(headers)}}}
		d := entry(read.Raw{Name: name, Value: m}, nil, o)
		d.Description = q.Get("description")
		return []*draft.Draft{d}, nil
	}
	command := q.Get("cmd")
	switch {
	case command == "":
		return nil, bad("", "the link of goose has neither a cmd nor a url")
	case !gooseCommands[draft.Program(command)]:
		return nil, bad("Add its command by hand if you trust it.", "the link of goose wants to run %s, which goose itself refuses", strconv.Quote(command))
	}
	env := map[string]string{}
	for _, pair := range q["env"] { // the value is a description: the person enters one
		key, _, _ := strings.Cut(pair, "=")
		if variableName.MatchString(key) {
			env[key] = "<" + key + ">"
		}
	}
	list, err := vector(name, env, append([]string{command}, q["arg"]...), o)
	for _, d := range list {
		d.Description = q.Get("description")
		for _, pair := range q["env"] {
			key, what, _ := strings.Cut(pair, "=")
			if in := d.Input(key); in != nil {
				in.Description, in.Secret = what, true
			}
		}
	}
	return list, err
}
