package read

import (
	"maps"
	"strings"

	"bridgekeeper/app/hostcfg/known"
)

// remote reads an entry that is reached by its URL.
func (e *entry) remote(m *Map, address, kind string) {
	e.URL = address
	switch {
	case kind == "sse":
		e.Transport = known.SSE
		if strings.HasSuffix(strings.TrimRight(withoutQuery(address), "/"), "/mcp") {
			e.report(Tells, "It says SSE, but its address looks like Streamable HTTP.")
		}
	case kind == "http" || m.Text("httpUrl") != "":
		e.Transport = known.HTTP
	default:
		if e.Transport = e.c.Host.Dialect.PlainURL; e.Transport == "" {
			e.Transport = known.HTTP
		}
	}
	switch scheme, _, _ := strings.Cut(strings.ToLower(address), "://"); scheme {
	case "http", "https":
	default:
		if !strings.Contains(address, "{") {
			e.report(Blocks, "Its URL is neither http nor https.")
		}
	}
	e.Headers = e.texts(m, "headers", "http_headers")
	if options := m.Map("requestOptions"); options != nil {
		e.header(e.texts(options, "headers"))
	}
	if v := m.Map("env_http_headers"); v != nil { // the value's variable
		for _, one := range v.Members {
			if name, ok := one.Value.(string); ok && variableName.MatchString(name) {
				e.header(map[string]string{one.Key: "${env:" + name + "}"})
			}
		}
	}
	if name := m.Text("bearer_token_env_var"); variableName.MatchString(name) {
		e.header(map[string]string{"Authorization": "Bearer ${env:" + name + "}"})
	}
	if key := m.Text("apiKey", "bearer_token"); key != "" {
		e.header(map[string]string{"Authorization": "Bearer " + key})
	}
	if m.Map("oauth") != nil || m.Map("auth") != nil {
		e.report(Tells, "It signs in by OAuth; that is not imported.")
	}
	if m.Text("headersHelper") != "" {
		e.report(Warns, "A command gives it headers, which is not run here.")
	}
}

func (e *entry) header(more map[string]string) {
	if e.Headers == nil {
		e.Headers = map[string]string{}
	}
	maps.Copy(e.Headers, more)
}
