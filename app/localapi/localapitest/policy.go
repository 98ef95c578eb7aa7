package localapitest

import (
	"context"
	"slices"

	"bridgekeeper/app/wire"
)

func (f *Fake) Explain(_ context.Context, host, server, tool string) (*wire.Explanation, error) {
	return &wire.Explanation{Verdict: wire.VerdictAsk, Because: "The default is \"changes\".", Facts: []string{host + " calls " + tool + " of " + server + "."}}, nil
}

func (f *Fake) Settings(context.Context) (*wire.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.settings
	s.Rules = slices.Clone(s.Rules)
	return &s, nil
}

func (f *Fake) EditSettings(_ context.Context, req wire.EditSettings) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if req.Ask != nil {
		f.settings.Ask = *req.Ask
	}
	if req.Questions != nil {
		f.settings.Questions = *req.Questions
	}
	if req.Record != nil {
		f.settings.Record = *req.Record
	}
	if req.LegacySSE != nil {
		f.settings.LegacySSE = *req.LegacySSE
	}
	if req.Models != nil {
		f.settings.Models = *req.Models
	}
	return nil
}

func (f *Fake) AddRule(_ context.Context, rule wire.Rule) error {
	if rule.Do == "" {
		return &wire.Error{Code: wire.CodeBadSetting, Message: "a rule needs something to do"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settings.Rules = append(f.settings.Rules, rule)
	return nil
}

func (f *Fake) RemoveRule(_ context.Context, index int, expected wire.Rule) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if index < 0 || index >= len(f.settings.Rules) || f.settings.Rules[index] != expected {
		return &wire.Error{Code: wire.CodeNoSuchRule, Message: "the rules changed in the meantime"}
	}
	f.settings.Rules = slices.Delete(f.settings.Rules, index, index+1)
	return nil
}

func (f *Fake) Review(_ context.Context, server string) (int, error) {
	n := 0
	for _, q := range f.Snapshot().Questions {
		if q.Server == server && q.Kind == wire.AskChangedTool {
			n++
		}
	}
	return n, nil
}
