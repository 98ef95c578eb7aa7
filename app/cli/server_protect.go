package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"bridgekeeper/app/wire"
)

// protectFlags are the flags about what a server may do; add and edit share them.
type protectFlags struct {
	ask, trust, changes string
	off, roots          []string
	perMinute, atOnce   int
	sampling            string
	perHour, tokensHour int
	maxTokens           int
}

func (p *protectFlags) register(f *pflag.FlagSet) {
	f.StringVar(&p.ask, "ask", "", "what is asked: everything, changes, destructive or never (default: as the config says for all)")
	f.StringArrayVar(&p.off, "off", nil, "hide a `tool` from every application; * stands for any run of characters (may be repeated)")
	f.StringVar(&p.trust, "trust", "", "whether what its tools say of themselves is believed: full or limited (default full)")
	f.StringVar(&p.changes, "changes", "", "what happens to new and changed tools: ask or accept (default ask)")
	f.IntVar(&p.perMinute, "calls-per-minute", 0, "most `calls` in a minute; 0 limits nothing")
	f.IntVar(&p.atOnce, "calls-at-once", 0, "most `calls` at the same time; 0 limits nothing")
	f.StringVar(&p.sampling, "sampling", "", "whether it may ask for a model's answers: on or off (default off)")
	f.IntVar(&p.perHour, "sampling-per-hour", 0, "most `requests` for a model in an hour")
	f.IntVar(&p.tokensHour, "sampling-tokens-per-hour", 0, "most `tokens` of prompts and answers in an hour")
	f.IntVar(&p.maxTokens, "sampling-max-tokens", 0, "most `tokens` of one answer")
	f.StringArrayVar(&p.roots, "root", nil, "a `folder` that the server is told to work in (may be repeated)")
}

// check refuses what the core would, and what is not for a command line.
func (p *protectFlags) check() error {
	if p.trust != "" && p.trust != wire.TrustFull && p.trust != wire.TrustLimited {
		return usage("--trust is %q: it must be full or limited", p.trust)
	}
	if p.sampling != "" && p.sampling != "on" && p.sampling != "off" {
		return usage("--sampling is %q: it must be on or off", p.sampling)
	}
	return nil
}

// limits are those that were there, with what the flags say; nil when they say
// nothing.
func (p *protectFlags) limits(f *pflag.FlagSet, was *wire.Limits) *wire.Limits {
	perMinute, atOnce := given(f, "calls-per-minute", &p.perMinute), given(f, "calls-at-once", &p.atOnce)
	if perMinute == nil && atOnce == nil {
		return nil
	}
	var l wire.Limits
	if was != nil {
		l = *was
	}
	if perMinute != nil {
		l.PerMinute = *perMinute
	}
	if atOnce != nil {
		l.AtOnce = *atOnce
	}
	return &l
}

// terms are the sampling terms that were there, with what the flags say; nil when
// they say nothing.
func (p *protectFlags) terms(f *pflag.FlagSet, was *wire.SamplingTerms) (*wire.SamplingTerms, error) {
	numbers := map[string]*int{"sampling-per-hour": &p.perHour, "sampling-tokens-per-hour": &p.tokensHour, "sampling-max-tokens": &p.maxTokens}
	limited := false
	for name := range numbers {
		limited = limited || f.Changed(name)
	}
	if !limited && !f.Changed("sampling") {
		return nil, nil
	}
	var t wire.SamplingTerms
	if was != nil {
		t = *was
	}
	if f.Changed("sampling") {
		t.Enabled = p.sampling == "on"
	}
	if limited && !t.Enabled {
		return nil, usage("limits of sampling need --sampling=on")
	}
	for name, to := range map[string]*int{"sampling-per-hour": &t.PerHour, "sampling-tokens-per-hour": &t.TokensPerHour, "sampling-max-tokens": &t.MaxTokens} {
		if f.Changed(name) {
			*to = *numbers[name]
		}
	}
	return &t, nil
}

// add puts the flags into a new entry.
func (p *protectFlags) add(f *pflag.FlagSet, e *wire.Entry) error {
	if err := p.check(); err != nil {
		return err
	}
	var err error
	e.Ask, e.Trust, e.Changes = p.ask, p.trust, p.changes
	e.Off, e.Roots = named(p.off), named(p.roots)
	e.Limits = p.limits(f, nil)
	e.Sampling, err = p.terms(f, nil)
	return err
}

// edit puts the flags into a change of an entry.
func (p *protectFlags) edit(f *pflag.FlagSet, was wire.Entry, req *wire.EditServer) error {
	if err := p.check(); err != nil {
		return err
	}
	req.Ask, req.Trust, req.Changes = given(f, "ask", &p.ask), given(f, "trust", &p.trust), given(f, "changes", &p.changes)
	off, roots := named(p.off), named(p.roots)
	req.Off, req.Roots = given(f, "off", &off), given(f, "root", &roots)
	req.Limits = p.limits(f, was.Limits)
	var err error
	req.Sampling, err = p.terms(f, was.Sampling)
	return err
}

// changed reports whether one of the flags was given.
func (p *protectFlags) changed(f *pflag.FlagSet) bool {
	var own pflag.FlagSet
	(&protectFlags{}).register(&own)
	any := false
	own.VisitAll(func(one *pflag.Flag) { any = any || f.Changed(one.Name) })
	return any
}

// named are the texts that are not empty: an empty one alone clears a list.
func named(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}
