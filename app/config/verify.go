package config

import (
	"errors"
	"fmt"
	"reflect"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// scope says what a change may change: one server, or the settings. All else
// must be as it was.
type scope struct {
	server string
	// part is the part of the settings that is changed; its mistakes are mended.
	part string
	// want is what the settings must be then; nil means as before.
	want func(wire.Settings) wire.Settings
}

// edited returns base with one change made, after making sure that the new text
// says so and that it says nothing else that is new.
func edited(base []byte, in scope, edit func(*editor) error) ([]byte, error) {
	before, problem := read(base)
	if problem != nil {
		return nil, &problem.Error
	}
	e := &editor{Editor: &jsonedit.Editor{Text: before.text.Text}, before: &before}
	if err := edit(e); err != nil {
		return nil, err
	}
	next := e.Text.Bytes()
	after, problem := read(next)
	if problem != nil {
		return nil, fmt.Errorf("edit the config: the result does not parse: %s", problem.Message)
	}
	if err, bad := after.config.Problems[in.server]; bad && in.server != "" {
		return nil, &wire.Error{Code: err.Code, Message: err.Message, Hint: err.Hint}
	}
	return next, in.verify(before, after)
}

// verify compares what was read before and after a change.
func (in scope) verify(before, after reading) error {
	if !reflect.DeepEqual(without(before.config.Servers, in.server), without(after.config.Servers, in.server)) ||
		!reflect.DeepEqual(in.problems(before), in.problems(after)) {
		return errors.New("edit the config: another server would change too; nothing was written")
	}
	want := before.config.Settings
	if in.want != nil {
		want = in.want(want)
	}
	if !reflect.DeepEqual(want, after.config.Settings) || !reflect.DeepEqual(in.mistakes(before), in.mistakes(after)) || in.part != "" && after.broken(in.part) {
		return errors.New("edit the config: the settings would not be what they should; nothing was written")
	}
	return nil
}

func without(servers []Server, name string) []Server {
	others := []Server{}
	for _, s := range servers {
		if s.Name != name {
			others = append(others, s)
		}
	}
	return others
}

// problems are the names of the other servers with problems.
func (in scope) problems(r reading) map[string]bool {
	names := map[string]bool{}
	for name := range r.config.Problems {
		names[name] = true
	}
	delete(names, in.server)
	return names
}

// mistakes are the parts of the settings with mistakes, but for the one that is changed.
func (in scope) mistakes(r reading) map[string]bool {
	parts := map[string]bool{}
	for _, m := range r.mistakes {
		if m.part != in.part {
			parts[m.part] = true
		}
	}
	return parts
}
