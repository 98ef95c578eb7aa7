package directory

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

func items(k kind, raws ...string) list {
	l := list{known: true}
	for _, raw := range raws {
		l.items = append(l.items, readItem([]byte(raw), k))
	}
	return l
}

func closed() <-chan struct{} {
	stop := make(chan struct{})
	close(stop)
	return stop
}

func folderOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCacheFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lists")
	c := newCache(folder, slog.New(slog.DiscardHandler))
	if l := c.load("a", "f"); l[tools].known {
		t.Error("lists of no file")
	}
	var lists [kinds]list
	lists[tools] = items(tools, `{"name":"t" , "n":1.0,"x":"\ud800"}`, `5`, `{"name":"u"}`)
	lists[prompts] = items(prompts)
	lists[templates] = items(templates, `{"uriTemplate":"r://{x}"}`)
	c.keep("a", &record{"f", lists})
	c.keep("A", &record{"f", lists})
	c.keep("con", &record{"f", lists})
	c.keep("unknown", &record{"f", [kinds]list{}})
	c.run(closed(), nil)
	if names := folderOf(t, folder); len(names) != 3 {
		t.Fatalf("the folder has %q", names)
	}
	if info, err := os.Stat(c.file("a")); err != nil || runtime.GOOS != "windows" && info.Mode() != fs.FileMode(0o600) {
		t.Errorf("%v, %v", info, err)
	}
	got := newCache(folder, slog.New(slog.DiscardHandler)).load("a", "f")
	for k := range kinds {
		if got[k].known != lists[k].known || !equalItems(got[k].items, lists[k].items) || !got[k].readAt.IsZero() {
			t.Errorf("%s came back as %+v", listMembers[k], got[k])
		}
	}
	if got := c.load("a", "other command"); got[tools].known {
		t.Error("lists of another command count")
	}
	// Removing a server removes its file, also while we didn't run.
	c.keep("a", nil)
	if err := os.WriteFile(filepath.Join(folder, cacheTemp+"x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.run(closed(), []string{"a", "con"})
	if names := folderOf(t, folder); len(names) != 1 || !strings.HasPrefix(names[0], "con-") {
		t.Errorf("the folder has %q", names)
	}
	c.run(closed(), nil) // a config that can't be read
	if names := folderOf(t, folder); len(names) != 1 {
		t.Errorf("the folder has %q", names)
	}
}

func TestCacheWritesChangesOnly(t *testing.T) {
	folder := t.TempDir()
	c := newCache(folder, slog.New(slog.DiscardHandler))
	lists := [kinds]list{tools: items(tools, `{"name":"t"}`)}
	c.keep("a", &record{"f", lists})
	c.run(closed(), nil)
	c = newCache(folder, slog.New(slog.DiscardHandler))
	c.load("a", "f")
	if err := os.Remove(c.file("a")); err != nil {
		t.Fatal(err)
	}
	c.keep("a", &record{"f", lists})
	c.run(closed(), nil)
	if names := folderOf(t, folder); len(names) != 0 {
		t.Errorf("written again: %q", names)
	}
	c.keep("a", &record{"g", lists})
	c.run(closed(), nil)
	if !c.load("a", "g")[tools].known {
		t.Error("not written for another command")
	}
}

func TestBrokenCacheFiles(t *testing.T) {
	const good = `{"version":1,"server":"a","fingerprint":"f","tools":[{"name":"t"}]}`
	for _, bad := range []string{"", "{", "[]", good + "{}", good[:len(good)-3], strings.Replace(good, "1", "2", 1), strings.Replace(good, `"a"`, `"b"`, 1), strings.Replace(good, `"f"`, `"g"`, 1),
		strings.Replace(good, `[{"name":"t"}]`, "{}", 1), strings.Replace(good, "[", "["+strings.Repeat("1,", maxItems), 1), good + strings.Repeat(" ", maxCacheFile)} {
		if lists, err := decode([]byte(bad), "a", "f"); err == nil || lists[tools].known {
			t.Errorf("%.100s counts", bad)
		}
	}
	if lists, err := decode([]byte(good), "a", "f"); err != nil || len(lists[tools].items) != 1 || lists[prompts].known {
		t.Errorf("%+v, %v", lists, err)
	}
}

// A file that another program wrote over must not stop the start.
func FuzzCacheFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"server":"a","fingerprint":"f","tools":[{"name":"t"},5],"resources":[{"uri":"r://1"}]}`))
	f.Add([]byte(`{"version":1,"server":"a","fingerprint":"f","tools":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lists, err := decode(data, "a", "f")
		if err != nil {
			return
		}
		out := encode("a", &record{"f", lists})
		if _, err := rpc.Scan(out); err != nil {
			t.Fatalf("%s became %s: %v", data, out, err)
		}
		again, err := decode(out, "a", "f")
		if err != nil {
			t.Fatal(err)
		}
		for k := range kinds {
			if !equalItems(lists[k].items, again[k].items) || lists[k].known != again[k].known {
				t.Errorf("%s came back as %s", data, out)
			}
		}
	})
}
