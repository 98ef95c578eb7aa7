package config

import (
	"errors"
	"fmt"
	"reflect"

	"bridgekeeper/app/wire"
)

// edited returns base with one server changed, after making sure that the new
// text says so and that it says nothing else that is new.
func edited(base []byte, name string, edit func(*editor) error) ([]byte, error) {
	before, problem := read(base)
	if problem != nil {
		return nil, &problem.Error
	}
	e := &editor{text: before.text}
	if err := edit(e); err != nil {
		return nil, err
	}
	next := e.text.bytes()
	after, problem := read(next)
	if problem != nil {
		return nil, fmt.Errorf("edit the config: the result does not parse: %s", problem.Message)
	}
	if err, bad := after.config.Problems[name]; bad {
		return nil, &wire.Error{Code: err.Code, Message: err.Message, Hint: err.Hint}
	}
	if !reflect.DeepEqual(without(before.config.Servers, name), without(after.config.Servers, name)) {
		return nil, errors.New("edit the config: another server would change too; nothing was written")
	}
	return next, nil
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
