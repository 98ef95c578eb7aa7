package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"bridgekeeper/app/wire"
)

// settle makes what was read follow the config before it: what has a mistake
// keeps its former value, and what is as it was keeps where it came from.
func (r *reading) settle(before *Config, byHand bool) {
	c := r.config
	c.keepFormer(r.order, before)
	r.keepSettings(before)
	c.ByHand = byHand
	for i := range c.Servers {
		s := &c.Servers[i]
		s.ByHand = byHand
		if was, ok := before.Lookup(s.Name); ok && reflect.DeepEqual(was.Entry, s.Entry) {
			s.ByHand = was.ByHand
		}
	}
	c.HandSet = make(map[string]bool)
	was := byKey(before.Settings)
	for key, value := range byKey(c.Settings) {
		c.HandSet[key] = byHand
		if before.HandSet != nil && reflect.DeepEqual(was[key], value) {
			c.HandSet[key] = before.HandSet[key]
		}
	}
}

// keepFormer gives each server that has a problem now, and had none before, its
// former entry back: a slip in one value must not end a server that works.
func (c *Config) keepFormer(order []string, before *Config) {
	if len(c.Problems) == 0 {
		return
	}
	var servers []Server
	for _, name := range order {
		s, ok := c.Lookup(name)
		if !ok {
			s, ok = before.Lookup(name)
		}
		if ok {
			servers = append(servers, s)
		}
	}
	c.Servers = servers
}

// keepSettings gives each setting with a mistake its former value, where one had
// been given and could be read. Elsewhere the strictest reading stays: protection
// must not get weaker by a slip of the pen.
func (r *reading) keepSettings(before *Config) {
	c := r.config
	firm := map[string]bool{} // parts that don't take what was read
	for _, m := range r.mistakes {
		firm[m.part] = firm[m.part] || !m.harmless
	}
	c.strict = map[string]bool{}
	for part := range firm {
		if firm[part] && !c.restore(part, before) {
			c.strict[part] = true
		}
	}
	if c.strict[hostsKey] { // somebody in there may have had to be asked about
		c.Settings.Rules = append(slices.Clip(c.Settings.Rules), wire.Rule{Do: wire.VerdictAsk, Note: "hosts could not be read"})
	}
	for _, m := range r.mistakes {
		switch {
		case m.harmless && !firm[m.part]:
			r.warn("%s", m.sentence)
		case c.strict[m.part]:
			r.warn("%s; until that is corrected it is read as strictly as possible", m.sentence)
		default:
			r.warn("%s; what it was before stays", m.sentence)
		}
	}
}

// restore puts the former value of one part of the settings in place; false
// means that there was none.
func (c *Config) restore(part string, before *Config) bool {
	now, was := &c.Settings, &before.Settings
	if before.strict[part] {
		return false // what ran was no value of the file either
	}
	if name, ok := strings.CutPrefix(part, hostsKey+"."); ok {
		terms, ok := was.Hosts[name]
		if ok {
			now.Hosts[name] = terms
		}
		return ok
	}
	if reflect.ValueOf(byKey(*was)[part]).IsZero() {
		return false
	}
	switch part {
	case askKey:
		now.Ask = was.Ask
	case rulesKey:
		now.Rules = was.Rules
	case hostsKey:
		now.Hosts = maps.Clone(was.Hosts)
	case questionsKey:
		now.Questions = was.Questions
	case modelsKey:
		now.Models = was.Models
	case recordKey:
		now.Record = was.Record
	case legacySSEKey:
		now.LegacySSE = was.LegacySSE
	case registryKey:
		now.Registry = was.Registry
	default:
		panic(fmt.Sprintf("a setting that is no part: %s", part))
	}
	return true
}
