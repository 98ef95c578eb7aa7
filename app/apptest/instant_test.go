package apptest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
)

// After each start hosts saw no tools until the slowest server was ready; some
// never ask again.
func TestToolsAreListedBeforeTheirServersAreReady(t *testing.T) {
	c := Start(t, Options{})
	names := []string{"a", "b", "c"}
	for _, name := range names {
		c.Add(name, misbehave.Good)
	}
	c.UntilListed(names...)
	home, before := c.Home, c.Host("first").Tools()
	c.Stop()

	// The same commands, but now they never get ready.
	path := filepath.Join(home, "bridgekeeper.json")
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.ReplaceAll(config, []byte(`"`+misbehave.Good+`"`), []byte(`"`+misbehave.Never+`"`))
	c = Start(t, Options{Home: home, Config: string(config)})
	h := c.Host("second")
	began := time.Now()
	if after := h.Tools(); after != before {
		t.Errorf("listed are %s\nwant %s", after, before)
	}
	if took := time.Since(began); took > 2*time.Second { // 10 ms on a machine that isn't busy; 5 s where a list is waited for
		t.Errorf("the list took %v", took)
	}
	c.UntilState("starting", names...)
	if after := h.Tools(); after != before {
		t.Errorf("listed are then %s", after)
	}

	// One is ready at last, and has other tools.
	stream, err := h.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	mode := misbehave.OddResults
	if err := c.EditServer(context.Background(), "b", wire.EditServer{Env: map[string]*string{misbehave.Env: &mode}}); err != nil {
		t.Fatal(err)
	}
	for news := ""; !strings.Contains(news, "notifications/tools/list_changed"); {
		if news, err = stream.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if after := h.Tools(); !strings.Contains(after, `"b__big_integers"`) || strings.Contains(after, `"b__echo"`) || !strings.Contains(after, `"c__echo"`) {
		t.Errorf("listed are at last %s", after)
	}
	// What a person removes leaves nothing behind.
	if err := c.RemoveServer(context.Background(), "b"); err != nil {
		t.Fatal(err)
	}
	c.Stop()
	files, err := filepath.Glob(filepath.Join(home, "state", "lists", "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("%d files are left: %v, %v", len(files), files, err)
	}
}
