package app

import (
	"log/slog"
	"path/filepath"
	"reflect"
	"testing"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/config"
	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
)

func TestOnlyWhatRunsIsInASpec(t *testing.T) {
	// Each key of an entry changes what runs, or it does not: a new one must be sorted in here.
	protects := map[string]bool{"Ask": true, "Off": true, "Trust": true, "Changes": true, "Limits": true, "Roots": true,
		"Sharing": true} // read anew when an instance is wanted
	spec := func(e wire.Entry) supervisor.Spec { return specOf(config.Server{Name: "s", Entry: e}, []string{"A=1"}) }
	full := reflect.ValueOf(wire.Entry{
		Command: "c", Args: []string{"a"}, Env: map[string]string{"K": "v"}, Cwd: "/", Disabled: true,
		Start: "manual", IdleStop: "1m", Sharing: "per-host", Era: "modern", MaxLine: 7,
		Ask: "never", Off: []string{"x"}, Trust: "limited", Changes: "accept", Limits: &wire.Limits{AtOnce: 1},
		Sampling: &wire.SamplingTerms{Enabled: true}, Roots: []string{"/"},
	})
	for i := range full.NumField() {
		var e wire.Entry
		name := full.Type().Field(i).Name
		if full.Field(i).IsZero() {
			t.Errorf("the test has no %s", name)
		}
		reflect.ValueOf(&e).Elem().Field(i).Set(full.Field(i))
		if same := reflect.DeepEqual(spec(e), spec(wire.Entry{})); same != protects[name] {
			t.Errorf("%s: equal specs %v, want %v", name, same, protects[name])
		}
	}
}

func TestAnInstanceKeepsItsHostsCapabilities(t *testing.T) {
	// Half a minute after a host's last request its copy of the server died of
	// nonsense: the capabilities lay in a buffer that other requests used again.
	store, err := config.Open(filepath.Join(t.TempDir(), "bridgekeeper.json"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a := &App{config: store, queue: ask.New(ask.Options{})}
	key := supervisor.Key{Server: "s", Scope: "host"}
	body := []byte(`{"elicitation":{}}`)
	a.remember(key, body)
	copy(body, "####################")
	if got := string(a.capabilities(key)); got != `{"elicitation":{}}` {
		t.Errorf("declared %s", got)
	}
	if got := string(a.capabilities(supervisor.Key{Server: "s"})); got != clientCapabilities {
		t.Errorf("the shared instance: %s", got)
	}
}

func TestCapabilitiesOnBehalfOfAHost(t *testing.T) {
	// A host without forms of its own never had a server ask anything, though we can show them.
	for _, one := range []struct {
		own                  string
		lends, forms, models bool
		want                 string
	}{
		{`{}`, false, false, false, `{}`},
		{`{"sampling":{},"roots":{}}`, false, false, false, `{"roots":{}}`},
		{`{"sampling":{},"roots":{}}`, true, false, false, `{"sampling":{},"roots":{}}`},
		{``, false, true, false, `{"elicitation":{"form":{},"url":{}}}`},
		{`{"elicitation":{}}`, false, true, false, `{"elicitation":{"form":{},"url":{}}}`},
		{`{"elicitation":{"url":{},"form":{}},"x":1}`, false, true, false, `{"elicitation":{"url":{},"form":{}},"x":1}`},
		{`{"x":1}`, true, false, true, `{"sampling":{"tools":{}},"x":1}`},
	} {
		if got := string(adapted([]byte(one.own), one.lends, one.forms, one.models)); got != one.want {
			t.Errorf("%+v: %s", one, got)
		}
	}
}
