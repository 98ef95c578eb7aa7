package config

import (
	"maps"
	"slices"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// editor changes the config's text.
type editor struct {
	*jsonedit.Editor
	before *reading // what the text said at first
}

// addServer adds an entry behind the others.
func (e *editor) addServer(name string, entry wire.Entry) error {
	if v := e.Find(serversKey); v == nil || v.Value.Kind() == 'n' {
		if err := e.Set(object{}, serversKey); err != nil {
			return err
		}
	}
	return e.Set(entryObject(entry), serversKey, name)
}

// editServer changes the keys that req names.
func (e *editor) editServer(name string, req wire.EditServer) error {
	at := func(key string) []string { return []string{serversKey, name, key} }
	if e.Find(serversKey, name).Value.Kind() != '{' {
		if err := e.Set(object{}, serversKey, name); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		key   string
		value *string
	}{
		{"command", req.Command},
		{"cwd", req.Cwd},
		{"start", req.Start},
		{"idleStop", req.IdleStop},
		{"sharing", req.Sharing},
		{"era", req.Era},
		{"ask", req.Ask},
		{"trust", req.Trust},
		{"changes", req.Changes},
	} {
		if f.value == nil {
			continue
		}
		if err := e.SetOrUnset(*f.value, *f.value == "", at(f.key)...); err != nil {
			return err
		}
	}
	if req.Disabled != nil && (*req.Disabled || e.Find(at("disabled")...) != nil) {
		if err := e.Set(*req.Disabled, at("disabled")...); err != nil {
			return err
		}
	}
	if req.MaxLine != nil {
		if err := e.SetOrUnset(*req.MaxLine, *req.MaxLine == 0, at("maxLine")...); err != nil {
			return err
		}
	}
	if req.Args != nil && (len(*req.Args) > 0 || e.Find(at("args")...) != nil) {
		if err := e.SetList(*req.Args, at("args")...); err != nil {
			return err
		}
	}
	if err := e.editEnv(req.Env, at("env")); err != nil {
		return err
	}
	_, bad := e.before.config.Problems[name]
	return e.editProtection(req, bad, at)
}

// editProtection changes what is hidden, limited and granted. In an entry with
// mistakes objects are written anew: the mistake may be in them.
func (e *editor) editProtection(req wire.EditServer, bad bool, at func(string) []string) error {
	for _, f := range []struct {
		key  string
		list *[]string
	}{{"off", req.Off}, {"roots", req.Roots}} {
		if f.list == nil {
			continue
		}
		if len(*f.list) == 0 {
			if err := e.Unset(at(f.key)...); err != nil {
				return err
			}
			continue
		}
		if err := e.SetList(*f.list, at(f.key)...); err != nil {
			return err
		}
	}
	if req.Limits != nil {
		if err := e.renewObject(limitsObject(req.Limits), bad, at("limits")...); err != nil {
			return err
		}
	}
	if req.Sampling == nil {
		return nil
	}
	if !req.Sampling.Enabled {
		return e.Unset(at("sampling")...)
	}
	return e.renewObject(samplingObject(req.Sampling), bad, at("sampling")...)
}

// renewObject is setObject, or writes the object anew when it may have mistakes.
func (e *editor) renewObject(want inline, bad bool, path ...string) error {
	if bad {
		if err := e.Unset(path...); err != nil {
			return err
		}
	}
	return e.SetObject(want, path...)
}

func (e *editor) editEnv(env map[string]*string, path []string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if value == nil {
			if err := e.Unset(append(path[:3:3], name)...); err != nil {
				return err
			}
			continue
		}
		if v := e.Find(path...); v == nil || v.Value.Kind() != '{' {
			if err := e.Set(object{}, path...); err != nil {
				return err
			}
		}
		if err := e.Set(*value, append(path[:3:3], name)...); err != nil {
			return err
		}
	}
	return nil
}
