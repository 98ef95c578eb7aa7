package supervisor

import (
	"slices"

	"bridgekeeper/supervisor/stdio"
)

// scoped is the Spec an instance runs by: copies for one host or session are
// started when used and ended when not.
func scoped(spec Spec, key Key) Spec {
	if key.Scope != "" {
		spec.Start = StartOnDemand
	}
	if spec.Start == "" {
		spec.Start = StartAlways
	}
	if spec.IdleStop <= 0 {
		spec.IdleStop = DefaultIdleStop
	}
	if spec.MaxLine <= 0 {
		spec.MaxLine = stdio.DefaultMaxLine
	}
	return spec
}

func clone(spec Spec) Spec {
	spec.Args, spec.Env = slices.Clone(spec.Args), slices.Clone(spec.Env)
	return spec
}

// sameProcess reports whether two Specs start equal processes that live equally
// long. The order of the environment means nothing.
func sameProcess(a, b *Spec) bool {
	if a.Command != b.Command || a.Dir != b.Dir || a.MaxLine != b.MaxLine || a.Terms != b.Terms || !slices.Equal(a.Args, b.Args) {
		return false
	}
	if (a.Start == StartOnDemand) != (b.Start == StartOnDemand) || a.IdleStop != b.IdleStop {
		return false
	}
	return slices.Equal(a.Env, b.Env) ||
		slices.Equal(slices.Sorted(slices.Values(a.Env)), slices.Sorted(slices.Values(b.Env)))
}
