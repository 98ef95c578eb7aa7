package config

import (
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// serversKey is the object that every host's file has too.
const serversKey = "mcpServers"

// reading is the file understood.
type reading struct {
	text   text
	config *Config
	order  []string // every server's name, also of those with problems

	mistakes []mistake // in the settings
}

// read understands a file's bytes. Servers that can't be started as written are
// problems of their own; only a file that makes no sense as a whole is a Problem.
func read(data []byte) (reading, *Problem) { return readWith(data, migrations) }

func readWith(data []byte, steps []migration) (reading, *Problem) {
	t, problem := parseText(data)
	if problem != nil {
		return reading{}, problem
	}
	r := reading{text: t, config: &Config{Problems: map[string]wire.Error{}}}
	root, ok := t.Root.Value.(*hujson.Object)
	if !ok {
		return r, t.problem(t.Root.StartOffset, "the config must be an object: { ... }")
	}
	for _, name := range jsonedit.Repeated(root) {
		r.warn("the config has %q twice; the last one counts", name)
	}
	version, problem := r.readVersion(root, 1+len(steps))
	if problem != nil {
		return r, problem
	}
	if version <= len(steps) {
		newer, err := steps[version-1](data)
		if err != nil {
			return r, t.problem(0, fmt.Sprintf("bring version %d up to date: %v", version, err))
		}
		return readWith(newer, steps)
	}
	r.readSettings(root)
	list := member(root, serversKey)
	if list == nil || list.Value.Kind() == 'n' {
		return r, nil
	}
	servers, ok := list.Value.(*hujson.Object)
	if !ok {
		return r, t.problem(list.StartOffset, serversKey+" must be an object with a member for each server")
	}
	r.readServers(servers)
	return r, nil
}

func (r *reading) readVersion(root *hujson.Object, newest int) (int, *Problem) {
	v := member(root, "version")
	if v == nil {
		return 1, nil
	}
	var version int
	lit, ok := v.Value.(hujson.Literal)
	if !ok || json.Unmarshal(lit, &version) != nil || version < 1 {
		return 0, r.text.problem(v.StartOffset, "version must be a whole number from 1")
	}
	if version > newest {
		p := r.text.problem(v.StartOffset, "")
		p.Error = wire.Error{
			Code:    wire.CodeConfigNewer,
			Message: fmt.Sprintf("the config file has version %d; this program knows versions up to %d", version, newest),
			Hint:    "Update Bridgekeeper, or use a config file of your own for this version.",
		}
		return 0, p
	}
	return version, nil
}

func (r *reading) readServers(servers *hujson.Object) {
	last := map[string]int{}
	for i, m := range servers.Members {
		last[key(m)] = i
	}
	for i, m := range servers.Members {
		name := key(m)
		if last[name] != i {
			r.warn("the config has a server %q twice; the last one counts", name)
			continue
		}
		r.order = append(r.order, name)
		if err := wire.CheckName("server", name); err != nil {
			r.config.Problems[name] = *err
			continue
		}
		entry, err := r.readEntry(name, m.Value)
		if err != nil {
			r.config.Problems[name] = *err
			continue
		}
		r.config.Servers = append(r.config.Servers, Server{Name: name, Entry: entry})
	}
}

func (r *reading) warn(format string, args ...any) {
	r.config.Warnings = append(r.config.Warnings, fmt.Sprintf(format, args...))
}

func member(o *hujson.Object, name string) *hujson.Value { return jsonedit.Member(o, name) }

func key(m hujson.ObjectMember) string { return jsonedit.Key(m) }
