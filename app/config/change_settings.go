package config

import (
	"fmt"
	"maps"
	"slices"

	"bridgekeeper/app/wire"
)

// The changes of the settings. Each leaves everything else in the file as it is;
// errors are *wire.Error. Whether a change may be made is the caller's business.

// AddRule adds a standing rule behind the others. One that is there already, but
// for its note, is not added again.
func (s *Store) AddRule(rule wire.Rule) error {
	if f := checkRule(rule); f != nil {
		return badSetting("rule", f)
	}
	return s.change(addRule(rule))
}

func addRule(rule wire.Rule) (scope, func(*editor) error) {
	want := func(c wire.Settings) wire.Settings {
		if !slices.ContainsFunc(c.Rules, sameAs(rule)) {
			c.Rules = append(slices.Clip(c.Rules), rule)
		}
		return c
	}
	return scope{part: rulesKey, want: want}, func(e *editor) error {
		if err := e.wholePart(rulesKey); err != nil {
			return err
		}
		had := e.before.config.Settings.Rules
		if slices.ContainsFunc(had, sameAs(rule)) {
			return nil
		}
		if len(had) >= maxRules {
			return &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("there are %d rules already", maxRules),
				Hint: "Remove rules, or write fewer with * in them."}
		}
		return e.appendRow(ruleObject(rule), rulesKey)
	}
}

func sameAs(rule wire.Rule) func(wire.Rule) bool {
	rule.Note = ""
	return func(r wire.Rule) bool {
		r.Note = ""
		return r == rule
	}
}

// RemoveRule takes out the rule at an index of the file's list, which must be the
// expected one: the file may have changed since it was read.
func (s *Store) RemoveRule(index int, expected wire.Rule) error {
	return s.change(removeRule(index, expected))
}

func removeRule(index int, expected wire.Rule) (scope, func(*editor) error) {
	want := func(c wire.Settings) wire.Settings {
		c.Rules = slices.Delete(slices.Clone(c.Rules), index, index+1)
		if len(c.Rules) == 0 {
			c.Rules = nil
		}
		return c
	}
	return scope{part: rulesKey, want: want}, func(e *editor) error {
		if err := e.wholePart(rulesKey); err != nil {
			return err
		}
		rules := e.before.config.Settings.Rules
		if index < 0 || index >= len(rules) || rules[index] != expected {
			return &wire.Error{Code: wire.CodeNoSuchRule, Message: "the rules have changed: that rule is not where it was",
				Hint: "Look at the rules again. Nothing was written."}
		}
		return e.Remove(index, rulesKey)
	}
}

// SetHost sets what is chosen for a host; zero terms take its member away.
func (s *Store) SetHost(name string, terms wire.HostTerms) error {
	if terms.Limits != nil && *terms.Limits == (wire.Limits{}) {
		terms.Limits = nil
	}
	if f := checkHost(name, terms); f != nil {
		return badSetting(fmt.Sprintf("host %.80q", name), f)
	}
	return s.change(setHost(name, terms))
}

func setHost(name string, terms wire.HostTerms) (scope, func(*editor) error) {
	none := terms == (wire.HostTerms{})
	want := func(c wire.Settings) wire.Settings {
		c.Hosts = maps.Clone(c.Hosts)
		if none {
			delete(c.Hosts, name)
		} else {
			if c.Hosts == nil {
				c.Hosts = map[string]wire.HostTerms{}
			}
			c.Hosts[name] = terms
		}
		if len(c.Hosts) == 0 {
			c.Hosts = nil
		}
		return c
	}
	part := hostsKey + "." + name
	return scope{part: part, want: want}, func(e *editor) error {
		if err := e.wholePart(hostsKey); err != nil {
			return err
		}
		if none {
			return e.Unset(hostsKey, name)
		}
		had := e.before.config.Settings.Hosts
		if _, there := had[name]; !there && len(had) >= maxHosts {
			return &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("the config has %d hosts already", maxHosts), Hint: "Remove hosts from it that are not used."}
		}
		if v := e.Find(hostsKey); v == nil || v.Value.Kind() == 'n' {
			if err := e.Set(object{}, hostsKey); err != nil {
				return err
			}
		}
		return e.renewObject(hostObject(terms), e.before.broken(part), hostsKey, name)
	}
}

// SetDefaultAsk sets the preset of servers that have none of their own.
func (s *Store) SetDefaultAsk(preset string) error {
	if f := checkValue(askKey, preset, presetValues); f != nil {
		return badSetting(askKey, f)
	}
	want := func(c wire.Settings) wire.Settings { c.Ask = preset; return c }
	return s.change(scope{part: askKey, want: want}, func(e *editor) error {
		return e.SetOrUnset(preset, preset == "", askKey)
	})
}

// SetQuestions sets how long questions wait.
func (s *Store) SetQuestions(q wire.QuestionTerms) error {
	if f := checkQuestions(q); f != nil {
		return badSetting(questionsKey, f)
	}
	if len(q.Deadlines) == 0 {
		q.Deadlines = nil
	}
	return s.change(setQuestions(q))
}

func setQuestions(q wire.QuestionTerms) (scope, func(*editor) error) {
	want := func(c wire.Settings) wire.Settings { c.Questions = q; return c }
	return scope{part: questionsKey, want: want}, func(e *editor) error {
		return e.renewObject(questionsObject(q, e.before.config.Settings.Questions.Deadlines), e.before.broken(questionsKey), questionsKey)
	}
}

// SetRecord sets what the record of calls keeps.
func (s *Store) SetRecord(r wire.RecordTerms) error {
	if f := checkRecord(r); f != nil {
		return badSetting(recordKey, f)
	}
	want := func(c wire.Settings) wire.Settings { c.Record = r; return c }
	return s.change(scope{part: recordKey, want: want}, func(e *editor) error {
		return e.renewObject(recordObject(r), e.before.broken(recordKey), recordKey)
	})
}

// SetRegistry sets the registry that is searched; "" is the official one.
func (s *Store) SetRegistry(address string) error {
	if f := checkRegistry(address); f != nil {
		return &wire.Error{Code: wire.CodeBadSetting, Message: f.sentence, Hint: f.hint}
	}
	want := func(c wire.Settings) wire.Settings { c.Registry = address; return c }
	return s.change(scope{part: registryKey, want: want}, func(e *editor) error {
		return e.SetOrUnset(address, address == "", registryKey)
	})
}

// SetLegacySSE turns the transport of 2024-11-05 on or off.
func (s *Store) SetLegacySSE(on bool) error {
	want := func(c wire.Settings) wire.Settings { c.LegacySSE = on; return c }
	return s.change(scope{part: legacySSEKey, want: want}, func(e *editor) error {
		return e.SetOrUnset(true, !on, legacySSEKey)
	})
}

// AddModel adds a model behind the others.
func (s *Store) AddModel(m wire.Model) error {
	return s.changeModels(func(had []wire.Model) ([]wire.Model, error) {
		if slices.ContainsFunc(had, named(m.Name)) {
			return nil, &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("there is a model %q already", m.Name), Hint: "Choose another name."}
		}
		return append(slices.Clone(had), m), nil
	})
}

// RemoveModel takes a model out.
func (s *Store) RemoveModel(name string) error {
	return s.changeModels(func(had []wire.Model) ([]wire.Model, error) {
		if !slices.ContainsFunc(had, named(name)) {
			return nil, &wire.Error{Code: wire.CodeNoSuchModel, Message: fmt.Sprintf("there is no model %.80q", name)}
		}
		return slices.DeleteFunc(slices.Clone(had), named(name)), nil
	})
}

// SetModels sets the whole list. A key that is a mask stays what it was, as long
// as it goes to the same place.
func (s *Store) SetModels(models []wire.Model) error {
	return s.changeModels(func(had []wire.Model) ([]wire.Model, error) {
		want := slices.Clone(models)
		for i, m := range want {
			was := slices.IndexFunc(had, named(m.Name))
			if m.Key == wire.Mask && was >= 0 && had[was].Kind == m.Kind && had[was].URL == m.URL {
				want[i].Key = had[was].Key
			}
		}
		return want, nil
	})
}

func named(name string) func(wire.Model) bool {
	return func(m wire.Model) bool { return m.Name == name }
}

// changeModels changes the list of models; next gets the one that is there.
func (s *Store) changeModels(next func(had []wire.Model) ([]wire.Model, error)) error {
	var want []wire.Model // of the last try
	wanted := func(c wire.Settings) wire.Settings {
		c.Models = want
		if len(want) == 0 {
			c.Models = nil
		}
		return c
	}
	return s.change(scope{part: modelsKey, want: wanted}, func(e *editor) error {
		if err := e.wholePart(modelsKey); err != nil {
			return err
		}
		had := e.before.config.Settings.Models
		var err error
		if want, err = next(had); err != nil {
			return err
		}
		if err := checkModels(want); err != nil {
			return err
		}
		return e.setModels(had, want)
	})
}

func checkModels(models []wire.Model) error {
	if len(models) > maxModels {
		return &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("there are %d models: %d are allowed", len(models), maxModels)}
	}
	for i, m := range models {
		if f := checkModel(m); f != nil {
			return badSetting(fmt.Sprintf("model %.80q", m.Name), f)
		}
		if slices.ContainsFunc(models[:i], named(m.Name)) {
			return &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("there are two models %q", m.Name)}
		}
	}
	return nil
}

// setModels writes only the models that differ, so that comments stay.
func (e *editor) setModels(had, want []wire.Model) error {
	for i := len(had) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(want, named(had[i].Name)) {
			if err := e.Remove(i, modelsKey); err != nil {
				return err
			}
			had = slices.Delete(slices.Clone(had), i, i+1)
		}
	}
	for i, m := range want {
		if i >= len(had) {
			if err := e.appendRow(modelObject(m), modelsKey); err != nil {
				return err
			}
			continue
		}
		if had[i] == m {
			continue
		}
		if err := e.Replace(i, modelObject(m), modelsKey); err != nil {
			return err
		}
	}
	return nil
}

// appendRow adds an element to a list at the top of the file.
func (e *editor) appendRow(row inline, key string) error {
	v := e.Find(key)
	if v == nil || v.Value.Kind() == 'n' {
		return e.Set(rows{row}, key)
	}
	return e.Append(row, key)
}

// wholePart refuses a change of a part of the settings that has mistakes: what
// is written there would be taken for something else than it was meant.
func (e *editor) wholePart(part string) error {
	for _, m := range e.before.mistakes {
		if m.part == part {
			return &wire.Error{Code: wire.CodeConfigBroken, Message: m.sentence, Hint: "Nothing was written. Correct that place of the config file first."}
		}
	}
	return nil
}

func badSetting(what string, f *fault) *wire.Error {
	return &wire.Error{Code: wire.CodeBadSetting, Message: fmt.Sprintf("%s: %s", what, f.sentence), Hint: f.hint}
}
