package read

import (
	"slices"
	"strings"
)

// settings reads what the host was told about the entry besides how to reach it.
// What lets tools run unasked is never taken over.
func (e *entry) settings(m *Map) {
	e.Disabled = disabled(m)
	for _, key := range []string{"disabledTools", "disabled_tools", "excludeTools", "suppressedTools"} {
		e.Off = append(e.Off, listOf(m, key)...)
	}
	e.Off = append(e.Off, listOf(m.Map("anythingllm"), "suppressedTools")...)
	slices.Sort(e.Off)
	e.Off = slices.Compact(e.Off)
	for _, key := range []string{"includeTools", "enabled_tools", "enabledTools", "available_tools", "tools"} {
		only := listOf(m, key)
		if len(only) > 0 && !slices.Contains(only, "*") {
			e.report(Warns, "Only some of its tools were switched on (%s); here all are, until you switch them off.", key)
		}
	}
	for _, key := range []string{"autoApprove", "alwaysAllow", "trust", "default_tools_approval_mode", "autoAllow", "always_allow", "auto_approve"} {
		v, there := m.Get(key)
		list, isList := v.([]any)
		if there && v != nil && v != false && v != "" && (!isList || len(list) > 0) {
			e.report(Tells, "That tools run unasked (%s) is not taken over.", key)
		}
	}
}

func disabled(m *Map) bool {
	for _, one := range []struct {
		key string
		off any
	}{{"disabled", true}, {"enabled", false}, {"active", false}, {"isActive", false}} {
		if v, there := m.Get(one.key); there && v == one.off {
			return true
		}
	}
	state := strings.ToLower(m.Text("state"))
	return state == "disabled" || state == "off"
}

func listOf(m *Map, key string) (list []string) {
	v, _ := m.Get(key)
	elements, _ := v.([]any)
	for _, e := range elements {
		if s, ok := e.(string); ok && s != "" {
			list = append(list, s)
		}
	}
	return list
}
