package wire

import (
	"maps"
	"slices"
)

// Mask stands for a value that is not shown. It is never a value itself: the
// config refuses it, so that an entry read from a snapshot can't be written back.
const Mask = "••••"

// Masked returns e with the value of every variable replaced by Mask. It shares
// nothing that e's owner might change.
func (e Entry) Masked() Entry {
	e.Env = maps.Clone(e.Env)
	for name := range e.Env {
		e.Env[name] = Mask
	}
	e.Args, e.Off, e.Roots = slices.Clone(e.Args), slices.Clone(e.Off), slices.Clone(e.Roots)
	e.Limits, e.Sampling = copied(e.Limits), copied(e.Sampling)
	return e
}

// Masked returns s with the key of every model that has one replaced by Mask. It
// shares nothing that s's owner might change.
func (s Settings) Masked() Settings {
	s.Rules = slices.Clone(s.Rules)
	s.Models = slices.Clone(s.Models)
	for i := range s.Models {
		if s.Models[i].Key != "" {
			s.Models[i].Key = Mask
		}
	}
	s.Hosts = maps.Clone(s.Hosts)
	for name, terms := range s.Hosts {
		terms.Limits = copied(terms.Limits)
		s.Hosts[name] = terms
	}
	s.Questions.Deadlines = maps.Clone(s.Questions.Deadlines)
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
