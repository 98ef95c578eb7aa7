// Package serverjson reads server.json, the form in which registries describe
// servers, of every schema since 2025-07, and makes drafts of it: one for each
// package and each address on the net.
//
// It is pure. What can't be installed is a draft with the reason. app/catalog and
// the app call it.
package serverjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"bridgekeeper/app/wire"
)

// MaxFile bounds a server.json in bytes: the largest seen is 20 KiB.
const MaxFile = 1 << 20

// maxDepth bounds objects within each other; the schema has six.
const maxDepth = 40

// Server is a server.json, of whatever schema.
type Server struct {
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Version     text      `json:"version"`
	Status      string    `json:"status"` // before 2025-09-29
	WebsiteURL  string    `json:"websiteUrl"`
	Repository  address   `json:"repository"`
	Packages    []Package `json:"packages"`
	Remotes     []Remote  `json:"remotes"`
	// VersionDetail had the version before 2025-09.
	VersionDetail struct {
		Version text `json:"version"`
	} `json:"versionDetail"`
}

type address struct {
	URL string `json:"url"`
}

// UnmarshalJSON also takes the address alone, or anything else, which is ignored.
func (a *address) UnmarshalJSON(data []byte) error {
	type plain address
	if json.Unmarshal(data, (*plain)(a)) != nil {
		_ = json.Unmarshal(data, &a.URL)
	}
	return nil
}

// Package is one way to install a server.
type Package struct {
	RegistryType         string     `json:"registryType"`
	RegistryName         string     `json:"registryName"` // before 2025-07
	RegistryBaseURL      string     `json:"registryBaseUrl"`
	Identifier           string     `json:"identifier"`
	Name                 string     `json:"name"` // before 2025-07
	Version              text       `json:"version"`
	FileSHA256           string     `json:"fileSha256"`
	RuntimeHint          string     `json:"runtimeHint"`
	RuntimeArguments     []Argument `json:"runtimeArguments"`
	PackageArguments     []Argument `json:"packageArguments"`
	EnvironmentVariables []Argument `json:"environmentVariables"`
	Transport            Remote     `json:"transport"`
}

// Remote is an address on the net, or a package's transport.
type Remote struct {
	Type          string           `json:"type"`
	TransportType string           `json:"transportType"` // before 2025-09
	URL           string           `json:"url"`
	Headers       []Argument       `json:"headers"`
	Variables     map[string]Input `json:"variables"`
}

// Argument is an argument, a variable of the environment or a header.
type Argument struct {
	Input
	Type       string `json:"type"` // positional, named
	Name       string `json:"name"`
	ValueHint  string `json:"valueHint"`
	IsRepeated bool   `json:"isRepeated"`
}

// Input is a value, or what has to be asked for.
type Input struct {
	Description string           `json:"description"`
	IsRequired  bool             `json:"isRequired"`
	IsSecret    bool             `json:"isSecret"`
	Format      string           `json:"format"`
	Default     text             `json:"default"`
	Placeholder text             `json:"placeholder"`
	Choices     []text           `json:"choices"`
	Value       text             `json:"value"`
	Variables   map[string]Input `json:"variables"`
}

// text is a string; numbers and booleans, which real files have, become ones.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
	case string:
		*t = text(v)
	case bool, json.Number:
		*t = text(fmt.Sprint(v))
	default:
		return fmt.Errorf("a text is %T", v)
	}
	return nil
}

// Parse reads a server.json, or a registry's answer with one in it. Errors are
// *wire.Error with CodeBadDraft.
func Parse(data []byte) (*Server, error) {
	if len(data) > MaxFile {
		return nil, bad("it is larger than %d MiB", MaxFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, bad("it isn't JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad("there is more behind its end")
	}
	top, ok := tree.(map[string]any)
	if !ok {
		return nil, bad("it is no object")
	}
	if inner, ok := top["server"].(map[string]any); ok && top["name"] == nil {
		top = inner
	}
	plain, ok := camel(top, false, 0)
	if !ok {
		return nil, bad("it has more than %d objects within each other", maxDepth)
	}
	again, err := json.Marshal(plain)
	if err != nil {
		return nil, bad("it isn't JSON: %s", err)
	}
	var s Server
	if err := json.Unmarshal(again, &s); err != nil {
		return nil, bad("a part of it is of another kind than it should be: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if s.Version == "" {
		s.Version = s.VersionDetail.Version
	}
	if s.Name == "" {
		return nil, bad("it has no name")
	}
	return &s, nil
}

// IsServer reports whether a JSON text looks like a server.json, not like an
// application's list of servers.
func IsServer(data []byte) bool {
	var top struct {
		Schema   string          `json:"$schema"`
		Name     any             `json:"name"`
		Packages json.RawMessage `json:"packages"`
		Remotes  json.RawMessage `json:"remotes"`
		Command  any             `json:"command"`
		Server   json.RawMessage `json:"server"`
	}
	if json.Unmarshal(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff")), &top) != nil {
		return false
	}
	if strings.Contains(top.Schema, "/server.schema.json") {
		return true
	}
	_, named := top.Name.(string)
	return top.Command == nil && (named && (top.Packages != nil || top.Remotes != nil) || top.Server != nil && IsServer(top.Server))
}

// camel turns keys of older schemas (is_required) into today's (isRequired). The
// keys of variables are names, which stay.
func camel(v any, names bool, depth int) (any, bool) {
	if depth > maxDepth {
		return nil, false
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			value, ok := camel(value, key == "variables" && !names, depth+1)
			if !ok {
				return nil, false
			}
			to := key
			if !names {
				to = camelKey(key)
			}
			if _, there := out[to]; there && to != key {
				continue // today's form wins
			}
			out[to] = value
		}
		return out, true
	case []any:
		for i := range v {
			one, ok := camel(v[i], false, depth+1)
			if !ok {
				return nil, false
			}
			v[i] = one
		}
	}
	return v, true
}

func camelKey(key string) string {
	if strings.HasPrefix(key, "_") || !strings.Contains(key, "_") {
		return key
	}
	var b strings.Builder
	up := false
	for _, r := range key {
		switch {
		case r == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func bad(format string, args ...any) *wire.Error {
	return &wire.Error{Code: wire.CodeBadDraft, Message: "The server.json can't be used: " + fmt.Sprintf(format, args...) + ".",
		Hint: "Look at the server's own page for its command, and add that."}
}
