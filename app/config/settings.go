package config

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// The keys of the settings. A mistake in one of them leaves the others alone; in
// hosts it leaves the other hosts alone.
const (
	askKey       = "ask"
	rulesKey     = "rules"
	hostsKey     = "hosts"
	questionsKey = "questions"
	modelsKey    = "models"
	recordKey    = "record"
	legacySSEKey = "legacySSE"
	registryKey  = "registry"
)

// rootKeys are all keys at the top of the file that are ours.
var rootKeys = append(keysOf[wire.Settings](), serversKey, "version")

// mistake is something in the settings that could not be read.
type mistake struct {
	part     string // a key of the settings, or hosts.NAME
	sentence string
	// harmless: what was read around it protects no less than what is written
	// there can have meant, so that it counts even where a former value is known.
	harmless bool
}

// misread notes a mistake that lets the former value stay.
func (r *reading) misread(part string, err *wire.Error) {
	r.mistakes = append(r.mistakes, mistake{part: part, sentence: err.Message})
}

// broken reports whether a part of the settings has a mistake.
func (r *reading) broken(part string) bool {
	for _, m := range r.mistakes {
		if m.part == part {
			return true
		}
	}
	return false
}

// readSettings reads what the file says besides its servers. Where it can't, the
// strictest reading stands in; settle then prefers what ran before.
func (r *reading) readSettings(root *hujson.Object) {
	r.warnOfCase("the config", root, rootKeys)
	s := &r.config.Settings
	s.Ask = r.readAsk(root)
	s.Rules = r.readRules(member(root, rulesKey))
	s.Hosts = r.readHosts(root)
	s.Questions = r.readQuestions(root)
	s.Models = r.readModels(root)
	s.Record = r.readRecord(root)
	d := r.decoder(legacySSEKey, wire.CodeBadSetting, root)
	s.LegacySSE = d.flag(legacySSEKey)
	if err := d.err(); err != nil {
		r.misread(legacySSEKey, err)
	}
	s.Registry = r.readRegistry(root)
}

// readRegistry returns the official one's "" where an address can't be one.
func (r *reading) readRegistry(root *hujson.Object) string {
	d := r.decoder(registryKey, wire.CodeBadSetting, root)
	address := d.text(registryKey)
	if f := checkRegistry(address); f != nil {
		d.fail(*member(root, registryKey), f.sentence)
	}
	if err := d.err(); err != nil {
		r.misread(registryKey, err)
		return ""
	}
	return address
}

// checkRegistry: what a registry says is run, so that it must come unchanged.
func checkRegistry(address string) *fault {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return &fault{sentence: "registry must be an address like https://registry.example.com"}
	}
	if own := u.Hostname(); u.Scheme != "https" && (u.Scheme != "http" || own != "127.0.0.1" && own != "localhost" && own != "::1") {
		return &fault{sentence: "registry must begin with https://; http:// is for this computer only"}
	}
	return nil
}

// warnOfCase tells of keys that are ours but for small and capital letters: they
// are kept and ignored like any other.
func (r *reading) warnOfCase(what string, o *hujson.Object, keys []string) {
	for _, m := range o.Members {
		name := key(m)
		for _, ours := range keys {
			if name != ours && strings.EqualFold(name, ours) {
				line, col := r.text.Position(m.Name.StartOffset)
				r.warn("%s, line %d, column %d: %q is ignored; write it %q", what, line, col, name, ours)
			}
		}
	}
}

func (r *reading) readAsk(root *hujson.Object) string {
	d := r.decoder(askKey, wire.CodeBadSetting, root)
	preset := d.text(askKey)
	if f := checkValue(askKey, preset, presetValues); f != nil {
		d.fail(*member(root, askKey), f.sentence)
	}
	if err := d.err(); err != nil {
		r.misread(askKey, err)
		return wire.PresetEverything
	}
	return preset
}

// readHosts returns nil where nothing is said of any host.
func (r *reading) readHosts(root *hujson.Object) map[string]wire.HostTerms {
	d := r.decoder(hostsKey, wire.CodeBadSetting, root)
	o, ok := d.member(hostsKey, "{", "an object with a member for each host").(*hujson.Object)
	if ok && len(o.Members) > maxHosts {
		d.fail(*member(root, hostsKey), fmt.Sprintf("there are %d hosts: %d are allowed", len(o.Members), maxHosts))
	}
	if err := d.err(); err != nil {
		r.misread(hostsKey, err)
		return nil
	}
	if !ok || len(o.Members) == 0 {
		return nil
	}
	twice := map[string]bool{}
	for _, name := range jsonedit.Repeated(o) {
		twice[name] = true
	}
	hosts := make(map[string]wire.HostTerms, len(o.Members))
	for _, m := range o.Members {
		name := key(m)
		terms, err := r.readHost(name, m.Value)
		if err == nil && twice[name] {
			err = r.mistakeAt(wire.CodeBadSetting, fmt.Sprintf("host %q", name), m.Name, "is there twice")
		}
		if wire.CheckName("host", name) != nil {
			r.mistakes = append(r.mistakes, mistake{hostsKey + "." + name, err.Message, true})
			continue // no host has that name
		}
		if err != nil {
			r.misread(hostsKey+"."+name, err)
			terms.Ask, terms.Questions = wire.PresetEverything, ""
		}
		hosts[name] = terms
	}
	if len(hosts) == 0 {
		return nil
	}
	return hosts
}

// readHost returns, beside an error, what limits could be read.
func (r *reading) readHost(name string, v hujson.Value) (wire.HostTerms, *wire.Error) {
	what := fmt.Sprintf("host %.80q", name)
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return wire.HostTerms{}, r.mistakeAt(wire.CodeBadSetting, what, v, "must be an object")
	}
	limits := r.decoder(what, wire.CodeBadSetting, o)
	t := wire.HostTerms{Limits: limits.limits("limits")}
	if limits.err() != nil || checkLimits("limits", t.Limits) != nil {
		t.Limits = nil
	}
	d := r.decoder(what, wire.CodeBadSetting, o)
	d.only(keysOf[wire.HostTerms]()...)
	t.Ask, t.Questions = d.text("ask"), d.text("questions")
	written := t
	written.Limits = d.limits("limits")
	return t, d.checked(v, checkHost(name, written))
}

// checked is the decoder's mistake, or else what a check found in v.
func (d *decoder) checked(v hujson.Value, f *fault) *wire.Error {
	if err := d.err(); err != nil || f == nil {
		return err
	}
	err := d.r.mistakeAt(d.code, d.what, place(v, f.path), f.sentence)
	err.Hint = f.hint
	return err
}

func (r *reading) readQuestions(root *hujson.Object) wire.QuestionTerms {
	d := r.decoder(questionsKey, wire.CodeBadSetting, root)
	var q wire.QuestionTerms
	if s := d.sub(questionsKey, keysOf[wire.QuestionTerms]()...); s != nil {
		q.Deadline = s.text("deadline")
		q.CLI = s.flag("cli")
		q.Deadlines = s.texts("deadlines", "kind")
		if kinds, ok := s.member("deadlines", "{", "an object of texts").(*hujson.Object); ok {
			k := *s
			k.object = kinds
			k.only(askKinds...)
		}
		d.checkInto(*member(root, questionsKey), checkQuestions(q))
	}
	if err := d.err(); err != nil {
		r.misread(questionsKey, err)
		return wire.QuestionTerms{}
	}
	return q
}

func (d *decoder) checkInto(v hujson.Value, f *fault) {
	if err := d.checked(v, f); err != nil {
		*d.first = err
	}
}

func (r *reading) readRecord(root *hujson.Object) wire.RecordTerms {
	d := r.decoder(recordKey, wire.CodeBadSetting, root)
	var t wire.RecordTerms
	if s := d.sub(recordKey, keysOf[wire.RecordTerms]()...); s != nil {
		t = wire.RecordTerms{Arguments: s.flag("arguments"), KeepMiB: s.number("keepMiB")}
		d.checkInto(*member(root, recordKey), checkRecord(t))
	}
	if err := d.err(); err != nil {
		r.misread(recordKey, err)
		return wire.RecordTerms{}
	}
	return t
}

// readModels returns no model at all when one can't be read: without it another
// one would be the default, and get to see what the person wrote for the first.
func (r *reading) readModels(root *hujson.Object) []wire.Model {
	d := r.decoder(modelsKey, wire.CodeBadSetting, root)
	a, ok := d.member(modelsKey, "[", "a list of objects").(*hujson.Array)
	if ok && len(a.Elements) > maxModels {
		d.fail(*member(root, modelsKey), fmt.Sprintf("there are %d models: %d are allowed", len(a.Elements), maxModels))
	}
	var models []wire.Model
	if ok {
		names := map[string]bool{}
		for _, v := range a.Elements {
			m := d.model(v)
			if names[m.Name] {
				d.fail(v, fmt.Sprintf("there are two models %q", m.Name))
			}
			names[m.Name] = true
			models = append(models, m)
		}
	}
	if err := d.err(); err != nil {
		r.misread(modelsKey, err)
		return nil
	}
	return models
}

func (d *decoder) model(v hujson.Value) wire.Model {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		d.fail(v, "a model must be an object")
		return wire.Model{}
	}
	s := *d
	s.object = o
	s.only(keysOf[wire.Model]()...)
	m := wire.Model{
		Name: s.text("name"), Kind: s.text("kind"), URL: s.text("url"), Model: s.text("model"), Key: s.text("key"),
		Cost: s.number("cost"), Speed: s.number("speed"), Intelligence: s.number("intelligence"),
	}
	d.checkInto(v, checkModel(m))
	return m
}

// byKey takes settings apart into their values, by key.
func byKey(s wire.Settings) map[string]any {
	parts := map[string]any{}
	v := reflect.ValueOf(s)
	for i, key := range keysOf[wire.Settings]() {
		parts[key] = v.Field(i).Interface()
	}
	return parts
}
