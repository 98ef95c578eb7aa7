package shim

import (
	"bytes"
	"slices"

	"bridgekeeper/bridge/rpc"
)

// memory is what a host told the core that a new one must be told, too.
type memory struct {
	initialize  []byte            // the whole request, once it is answered
	promises    []byte            // capabilities of the answer, raw
	initialized []byte            // the notification
	level       []byte            // params of logging/setLevel
	subjects    map[string][]byte // params of resources/subscribe by URI
}

// request notes a request of the host.
func (s *memory) request(m *rpc.Message) {
	switch {
	case m.Is(rpc.SetLevel):
		s.level = bytes.Clone(m.Bytes(m.Params))
	case m.Is(rpc.Subscribe) && len(s.subjects) < maxSubjects:
		s.subjects[m.Text(m.URI)] = bytes.Clone(m.Bytes(m.Params))
	case m.Is(rpc.Unsubscribe):
		delete(s.subjects, m.Text(m.URI))
	}
}

func (s *memory) notification(m *rpc.Message) {
	if m.Is(rpc.Initialized) {
		s.initialized = bytes.Clone(m.Raw)
	}
}

// welcomed notes the answer to initialize.
func (s *memory) welcomed(request, result []byte) {
	s.initialize = request
	if at := rpc.Find(result, "capabilities"); at.Ok() {
		s.promises = bytes.Clone(result[at.Start:at.End])
	}
}

// uris returns what the host subscribed to.
func (s *memory) uris() []string {
	var all []string
	for uri := range s.subjects {
		all = append(all, uri)
	}
	slices.Sort(all)
	return all
}

// changed returns the methods by which a host is told that lists may differ, as
// far as that was promised.
func (s *memory) changed() (methods []string) {
	for member, method := range map[string]string{"tools": rpc.ToolsChanged, "prompts": rpc.PromptsChanged, "resources": rpc.ResourcesChanged} {
		at := rpc.Find(s.promises, member)
		if !at.Ok() {
			continue
		}
		one := s.promises[at.Start:at.End]
		if at := rpc.Find(one, "listChanged"); at.Ok() && string(one[at.Start:at.End]) == "true" {
			methods = append(methods, method)
		}
	}
	slices.Sort(methods)
	return methods
}
