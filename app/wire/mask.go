package wire

import "maps"

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
	return e
}
