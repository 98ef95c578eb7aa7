// Package mcpb opens bundles (.mcpb, older .dxt): it reads their manifests, says
// what they would run, and keeps them unpacked in a folder of ours.
//
// An archive is looked at whole before a byte of it is written, and what is
// written stays below a new folder that gets its name at the end. A signature is
// shown and never a reason to trust. It starts nothing; the app calls it.
package mcpb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/app/wire"
)

// MaxManifest bounds a manifest.json in bytes; the largest seen is 40 KiB.
const MaxManifest = 1 << 20

// versions are the manifests' forms that are known.
var versions = []string{"0.1", "0.2", "0.3", "0.4"}

// Manifest is a bundle's manifest.json. Keys that aren't here are ignored: real
// ones have many.
type Manifest struct {
	ManifestVersion string `json:"manifest_version"`
	DXTVersion      string `json:"dxt_version"` // its name in the first tools
	Name            string `json:"name"`
	DisplayName     string `json:"display_name"`
	Version         string `json:"version"`
	Description     string `json:"description"`
	Author          struct {
		Name string `json:"name"`
	} `json:"author"`
	Server        Server            `json:"server"`
	UserConfig    map[string]Option `json:"user_config"`
	Compatibility struct {
		Platforms []string          `json:"platforms"` // darwin, win32, linux
		Runtimes  map[string]string `json:"runtimes"`  // node, python: a range of versions
	} `json:"compatibility"`

	order []string // of user_config
}

// Server is what a bundle runs.
type Server struct {
	Type       string  `json:"type"` // node, python, binary, uv
	EntryPoint string  `json:"entry_point"`
	Config     *Config `json:"mcp_config"`
}

// Config is the command line. An override replaces each of its parts whole.
type Config struct {
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]text   `json:"env"`
	Overrides map[string]Config `json:"platform_overrides"` // by darwin, win32, linux
}

// Option is one input of user_config.
type Option struct {
	Type        string          `json:"type"` // string, number, boolean, directory, file
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Required    bool            `json:"required"`
	Default     json.RawMessage `json:"default"`
	Multiple    bool            `json:"multiple"`
	Sensitive   bool            `json:"sensitive"`
	Min         *float64        `json:"min"`
	Max         *float64        `json:"max"`
}

// text is a string; numbers and booleans become ones.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	list, err := texts(data)
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("a list where a text belongs")
	}
	if len(list) == 1 {
		*t = text(list[0])
	}
	return err
}

// texts are a JSON value as texts: one, several, or none for null.
func texts(data []byte) ([]string, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	list, several := v.([]any)
	if !several {
		list = []any{v}
	}
	var out []string
	for _, one := range list {
		switch one := one.(type) {
		case nil:
		case string:
			out = append(out, one)
		case bool:
			out = append(out, strconv.FormatBool(one))
		case json.Number:
			out = append(out, one.String())
		default:
			return nil, fmt.Errorf("an object where a text belongs")
		}
	}
	return out, nil
}

// ParseManifest reads a manifest.json. Errors are *wire.Error with CodeBadBundle.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, bad("its manifest.json is larger than %d MiB", MaxManifest>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, bad("its manifest.json can't be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	m.order = keysOf(data, "user_config")
	version := m.ManifestVersion
	if version == "" {
		version = m.DXTVersion
	}
	switch {
	case version == "":
		return nil, bad("its manifest.json has no manifest_version")
	case !slices.Contains(versions, version):
		return nil, bad("its manifest is of version %.20q, and 0.1 to 0.4 are known", version)
	case m.Name == "":
		return nil, bad("its manifest.json has no name")
	case m.Version == "":
		return nil, bad("its manifest.json has no version")
	case !slices.Contains([]string{"node", "python", "binary", "uv"}, m.Server.Type):
		return nil, bad("its server is of the type %.40q, and node, python, binary and uv are known", m.Server.Type)
	case m.Server.Config == nil && m.Server.EntryPoint == "":
		return nil, bad("its manifest.json says nothing of what to run")
	}
	for name, o := range m.UserConfig {
		if !optionName.MatchString(name) {
			return nil, bad("its setting %.60q has no name that can be used", name)
		}
		if !slices.Contains([]string{"string", "number", "boolean", "directory", "file"}, o.Type) {
			return nil, bad("its setting %s is of the type %.40q, which isn't known", name, o.Type)
		}
		if _, err := texts(o.Default); len(o.Default) > 0 && err != nil {
			return nil, bad("the default of its setting %s is %s", name, err)
		}
	}
	return &m, nil
}

var optionName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// keysOf are the keys of a member that is an object, in the order of the text.
func keysOf(data []byte, member string) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key != member {
			continue
		}
		inner := json.NewDecoder(bytes.NewReader(value))
		if t, err := inner.Token(); err != nil || t != json.Delim('{') {
			return nil
		}
		for inner.More() {
			t, err := inner.Token()
			if name, ok := t.(string); err == nil && ok {
				keys = append(keys, name)
			}
			var skip json.RawMessage
			if err := inner.Decode(&skip); err != nil && err != io.EOF {
				return keys
			}
		}
	}
	return keys
}

func bad(format string, args ...any) *wire.Error {
	return &wire.Error{Code: wire.CodeBadBundle, Message: "The bundle was refused: " + fmt.Sprintf(format, args...) + "."}
}
