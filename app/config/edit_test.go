package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each golden is a config before, the changes one a line, and the config after.
func TestEditGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/edit/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.SplitN(string(data), "=====\n", 3)
			got := parts[0]
			for line := range strings.Lines(parts[1]) {
				got = changed(t, got, line)
			}
			if *update {
				if err := os.WriteFile(file, []byte(parts[0]+"=====\n"+parts[1]+"=====\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(parts) < 3 || got != parts[2] {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func changed(t testing.TB, text, line string) string {
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	name, arg, _ := strings.Cut(rest, " ")
	out, err := edited([]byte(text), scope{server: name}, func(e *editor) error {
		switch verb {
		case "add":
			var entry wire.Entry
			if err := json.Unmarshal([]byte(arg), &entry); err != nil {
				return err
			}
			return e.addServer(name, entry)
		case "edit":
			var req wire.EditServer
			if err := json.Unmarshal([]byte(arg), &req); err != nil {
				return err
			}
			return e.editServer(name, req)
		case "remove":
			return e.Unset(serversKey, name)
		}
		return fmt.Errorf("no such verb: %s", verb)
	})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}

// A person's notes were gone after a variable had been changed in the window.
func TestEditsKeepCommentsAndUnknownKeys(t *testing.T) {
	for seed := range uint64(3000) {
		g := &generator{rnd: rand.New(rand.NewPCG(seed, 1)), nl: "\n"}
		if g.rnd.IntN(4) == 0 {
			g.nl = "\r\n"
		}
		text := g.file()
		out, err := edited([]byte(text), scope{server: "b"}, g.change())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, mark := range g.marks {
			if n := bytes.Count(out, []byte(mark)); n != 1 {
				t.Fatalf("seed %d: %q is there %d times\n%s\nbecame\n%s", seed, mark, n, text, out)
			}
		}
	}
}

// generator writes configs with a comment or none at every place where one may be.
type generator struct {
	rnd   *rand.Rand
	nl    string
	marks []string // must be there after any change
}

func (g *generator) mark() string {
	m := fmt.Sprintf("<%d>", len(g.marks))
	g.marks = append(g.marks, m)
	return m
}

func (g *generator) extra() string {
	switch g.rnd.IntN(8) {
	case 0:
		return "/* " + g.mark() + " */"
	case 1:
		return " // " + g.mark() + g.nl + "    "
	case 2:
		return g.nl + "  /* " + g.mark() + g.nl + " */  "
	case 3:
		return g.nl + "\t"
	case 4, 5:
		return " "
	}
	return ""
}

func (g *generator) object(members ...string) string {
	out := "{"
	for i, m := range members {
		out += g.extra() + m + g.extra()
		if i < len(members)-1 || g.rnd.IntN(3) == 0 {
			out += ","
		}
	}
	return out + g.extra() + "}"
}

func (g *generator) member(name, value string) string {
	return quote(name) + g.extra() + ":" + g.extra() + value
}

func (g *generator) file() string {
	array := g.object(quote("1"), quote("2"), quote("3"))
	array = "[" + array[1:len(array)-1] + "]"
	off := g.object(quote("a"), quote("b"))
	off = "[" + off[1:len(off)-1] + "]"
	server := func(name string) string {
		return g.member(name, g.object(
			g.member("command", quote("x")),
			g.member("args", array),
			g.member("off", off),
			g.member("limits", g.object(g.member("callsPerMinute", "1"), g.member("callsAtOnce", "2"))),
			g.member("env", g.object(g.member("A", quote("1")), g.member("B", quote("2")))),
			g.member("theirs", quote(g.mark())),
		))
	}
	b := server("b")
	array, off = `["1"]`, `["a"]`
	servers := g.object(server("a"), b, server("c"))
	return g.extra() + g.object(g.member("mcpServers", servers), g.member("other", quote(g.mark()))) + g.extra() + g.nl
}

// change is an edit of server b that replaces and adds, but takes no member away.
func (g *generator) change() func(*editor) error {
	value := "new"
	req := wire.EditServer{Env: map[string]*string{}}
	some := func() bool { return g.rnd.IntN(2) == 0 }
	if some() {
		req.Command = &value
	}
	if some() {
		args := []string{"1", "2", "new", "3", "4", "5"}[g.rnd.IntN(3):]
		args = args[:g.rnd.IntN(len(args)+1)]
		req.Args = &args
	}
	if some() {
		req.Cwd = &value
	}
	if some() {
		off := []string{"b", "new", "a"}[:1+g.rnd.IntN(3)]
		req.Off = &off
	}
	if some() {
		req.Limits = &wire.Limits{PerMinute: 1 + g.rnd.IntN(2), AtOnce: 1 + g.rnd.IntN(2)}
	}
	if some() {
		req.Sampling = &wire.SamplingTerms{Enabled: true, PerHour: g.rnd.IntN(2)}
	}
	for _, name := range []string{"A", "C", "D"} {
		if some() {
			req.Env[name] = &value
		}
	}
	return func(e *editor) error { return e.editServer("b", req) }
}

func TestRemoveKeepsWhatIsAround(t *testing.T) {
	for seed := range uint64(2000) {
		g := &generator{rnd: rand.New(rand.NewPCG(seed, 2)), nl: "\n"}
		var members []string
		for _, name := range []string{"a", "b", "c"}[:1+g.rnd.IntN(3)] {
			members = append(members, quote(name)+`: {"command": "x"}`)
		}
		text := g.object(`"mcpServers":` + g.object(members...))
		name := string("abc"[g.rnd.IntN(len(members))])
		out, err := edited([]byte(text), scope{server: name}, func(e *editor) error { return e.Unset(serversKey, name) })
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, mark := range g.marks {
			if !bytes.Contains(out, []byte(mark)) {
				t.Fatalf("seed %d: %s is gone\n%s\nbecame\n%s", seed, mark, text, out)
			}
		}
		if r, _ := read(out); len(r.config.Servers) != len(members)-1 {
			t.Fatalf("seed %d: %+v\n%s\nbecame\n%s", seed, r.config.Servers, text, out)
		}
	}
}

// A server that stood twice in the file came back to life when it was removed.
func TestRemoveTakesEveryCopy(t *testing.T) {
	got := changed(t, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}}`, "remove a")
	if want := `{"mcpServers": { "b": {"command": "y"}}}`; got != want {
		t.Errorf("got %s", got)
	}
}

// A server that could not be read could not be put right either, only by hand.
func TestEditMendsAnEntry(t *testing.T) {
	for _, entry := range []string{`"npx foo"`, `{"command": 7}`, `{"args": "x", "command": "y"}`, `{"env": null, "command": ""}`} {
		got := changed(t, `{"mcpServers": {"a": `+entry+`}}`, `edit a {"command": "ok", "args": ["1"], "env": {"A": "B"}}`)
		r, problem := read([]byte(got))
		if problem != nil || len(r.config.Servers) != 1 || r.config.Servers[0].Entry.Env["A"] != "B" {
			t.Errorf("%s became %s", entry, got)
		}
	}
}
