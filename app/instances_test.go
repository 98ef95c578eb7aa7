package app

import (
	"testing"

	"bridgekeeper/supervisor"
)

func TestAnInstanceKeepsItsHostsCapabilities(t *testing.T) {
	// Half a minute after a host's last request its copy of the server died of
	// nonsense: the capabilities lay in a buffer that other requests used again.
	a := &App{}
	key := supervisor.Key{Server: "s", Scope: "host"}
	body := []byte(`{"sampling":{}}`)
	a.remember(key, body)
	copy(body, "#################")
	if got := string(a.capabilities(key)); got != `{"sampling":{}}` {
		t.Errorf("declared %s", got)
	}
	if got := string(a.capabilities(supervisor.Key{Server: "s"})); got != clientCapabilities {
		t.Errorf("the shared instance: %s", got)
	}
}
