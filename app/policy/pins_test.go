package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// openPins opens pins and returns what they warned of.
func openPins(t testing.TB, folder string) (*Pins, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	p, err := OpenPins(folder, slog.New(slog.NewTextHandler(&out, nil)), func() time.Time { return began })
	if err != nil {
		t.Fatal(err)
	}
	return p, &out
}

func tool(name, description string) Tool {
	return Tool{name, fmt.Appendf(nil, `{"name":%q,"description":%q}`, name, description)}
}

func wantPin(t *testing.T, p *Pins, server string, of Tool, want string) PinState {
	t.Helper()
	s := p.Look(server, of.Name, of.Definition)
	if s.State != want {
		t.Errorf("%s of %s is %s, want %s", of.Name, server, s.State, want)
	}
	return s
}

func TestPins(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "pins")
	read, write := tool("read", "Reads."), tool("write", "Writes.")
	huge := tool("huge", strings.Repeat("a", maxDefinition))
	p, _ := openPins(t, folder)
	wantPin(t, p, "files", read, PinNone)
	if err := p.TrustAll("files", []Tool{read, huge}); err != nil {
		t.Fatal(err)
	}
	if err := p.TrustAll("files", []Tool{write}); !errors.Is(err, ErrPinned) {
		t.Errorf("trusted twice: %v", err)
	}
	check := func(p *Pins) {
		t.Helper()
		if s := wantPin(t, p, "files", read, PinSame); !s.Since.Equal(began) {
			t.Errorf("since %v", s.Since)
		}
		wantPin(t, p, "files", Tool{"read", []byte(`{ "description":"Reads.", "name":"read" }`)}, PinSame)
		wantPin(t, p, "files", huge, PinSame)
		wantPin(t, p, "files", write, PinNew)
		wantPin(t, p, "mail", read, PinNone)
		if s := wantPin(t, p, "files", tool("read", "Reads all."), PinChanged); !bytes.Equal(s.Before, read.Definition) {
			t.Errorf("before %s", s.Before)
		}
		if s := wantPin(t, p, "files", tool("huge", "Now small."), PinChanged); s.Before != nil {
			t.Errorf("before %s", s.Before)
		}
		edited := tool("read", "Reads all.").Definition
		change := p.Look("files", "read", edited).Change(edited)
		if out, err := json.Marshal(change); err != nil || change.New || len(change.Diff) != 3 || !strings.Contains(string(out), `Reads.`) {
			t.Errorf("%s, %v", out, err)
		}
		if change := p.Look("files", "write", write.Definition).Change(write.Definition); !change.New || len(change.Diff) != 2 {
			t.Errorf("%+v", change)
		}
	}
	check(p)
	again, warned := openPins(t, folder)
	check(again)
	if warned.Len() > 0 {
		t.Error(warned)
	}
	if err := again.Accept("files", tool("read", "Reads all."), write); err != nil {
		t.Fatal(err)
	}
	p, _ = openPins(t, folder)
	wantPin(t, p, "files", tool("read", "Reads all."), PinSame)
	wantPin(t, p, "files", read, PinChanged)
	wantPin(t, p, "files", write, PinSame)
	wantPin(t, p, "files", huge, PinSame)
	if since, ok := p.Trusted("files"); !ok || !since.Equal(began) || fmt.Sprint(p.Servers()) != "[files]" {
		t.Errorf("trusted %v %v, servers %v", since, ok, p.Servers())
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(folder, fileOf("files")))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	for range 2 {
		if err := p.Forget("files"); err != nil {
			t.Fatal(err)
		}
	}
	wantPin(t, p, "files", read, PinNone)
	p, _ = openPins(t, folder)
	wantPin(t, p, "files", read, PinNone)
}

// After a crash of the machine had cut the file, all tools passed as if they had been seen.
func TestBrokenPinsHold(t *testing.T) {
	read := tool("read", "Reads.")
	edit := func(f func(*pinFile)) func([]byte) []byte {
		return func(data []byte) []byte {
			var file pinFile
			if err := json.Unmarshal(data, &file); err != nil {
				panic(err)
			}
			f(&file)
			out, _ := json.Marshal(file)
			return out
		}
	}
	for name, damage := range map[string]func([]byte) []byte{
		"empty":          func([]byte) []byte { return nil },
		"cut":            func(data []byte) []byte { return data[:len(data)/2] },
		"zeros":          func(data []byte) []byte { return make([]byte, len(data)) },
		"another's":      edit(func(f *pinFile) { f.Server = "mail" }),
		"newer":          edit(func(f *pinFile) { f.Version++ }),
		"twice":          edit(func(f *pinFile) { f.Tools = append(f.Tools, f.Tools[0]) }),
		"no fingerprint": edit(func(f *pinFile) { f.Tools[0].Fingerprint = "" }),
		"other words":    edit(func(f *pinFile) { f.Tools[0].Definition = `{"name":"read"}` }),
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			p, _ := openPins(t, folder)
			for _, server := range []string{"files", "mail"} {
				if err := p.TrustAll(server, []Tool{read}); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(folder, fileOf("files"))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := damage(data)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second start must not forget it
				p, out := openPins(t, folder)
				if strings.Contains(out.String(), "level=WARN") == (out.Len() == 0) {
					t.Errorf("warned %s", out)
				}
				wantPin(t, p, "files", read, PinLost)
				wantPin(t, p, "mail", read, PinSame)
				if err := p.TrustAll("files", []Tool{read}); !errors.Is(err, ErrPinned) {
					t.Errorf("trusted afresh: %v", err)
				}
			}
			if kept, err := os.ReadFile(path + brokenEnding); err != nil || !bytes.Equal(kept, bad) {
				t.Errorf("kept %q, %v", kept, err)
			}
			p, out := openPins(t, folder)
			if out.Len() > 0 {
				t.Errorf("warned again: %s", out)
			}
			if err := p.Accept("files", read); err != nil {
				t.Fatal(err)
			}
			wantPin(t, p, "files", read, PinSame)
		})
	}
}

func TestUnreadPinsHold(t *testing.T) {
	read := tool("read", "Reads.")
	folder := t.TempDir()
	// A folder in the file's place can't be read by anybody, root neither.
	if err := os.Mkdir(filepath.Join(folder, fileOf("files")), 0o700); err != nil {
		t.Fatal(err)
	}
	p, out := openPins(t, folder)
	if !strings.Contains(out.String(), "held") {
		t.Errorf("warned %s", out)
	}
	wantPin(t, p, "files", read, PinLost)
	if err := p.Accept("files", read); err != nil {
		t.Fatal(err)
	}
	wantPin(t, p, "files", read, PinSame)
	if info, err := os.Stat(filepath.Join(folder, fileOf("files")+brokenEnding)); err != nil || !info.IsDir() {
		t.Errorf("not kept aside: %v", err)
	}
	p, _ = openPins(t, folder)
	wantPin(t, p, "files", read, PinSame)
}

// What can't be written isn't believed: the next start would not know it.
func TestPinsNotWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "pins")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Pins{folder: folder, log: slog.New(slog.DiscardHandler), now: time.Now}
	p.table.Store(&map[string]*pinned{})
	read := tool("read", "Reads.")
	if err := p.TrustAll("files", []Tool{read}); err == nil || !strings.Contains(err.Error(), "pin tools of files") {
		t.Errorf("no error: %v", err)
	}
	wantPin(t, p, "files", read, PinNone)
	if _, err := OpenPins(folder, p.log, p.now); err == nil {
		t.Error("a file is no folder")
	}
}

func TestPinsAreBounded(t *testing.T) {
	folder := t.TempDir()
	p, _ := openPins(t, folder)
	many := make([]Tool, maxPins+1)
	for i := range many {
		many[i] = tool(fmt.Sprint("t", i), "x")
	}
	if err := p.TrustAll("files", many); err == nil {
		t.Error("too many are pinned")
	}
	wantPin(t, p, "files", many[0], PinNone)
	for _, bad := range []string{"", "../x", "a b", "a__b"} {
		if p.TrustAll(bad, nil) == nil {
			t.Errorf("server %q", bad)
		}
	}
	// Where the file would be too large, definitions are left out and the fingerprints still count.
	large := make([]Tool, 300)
	for i := range large {
		large[i] = tool(fmt.Sprint("t", i), strings.Repeat(fmt.Sprint(i%10), maxDefinition-1000))
	}
	if err := p.TrustAll("files", large); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, fileOf("files")))
	if err != nil || info.Size() > maxPinFile || info.Size() < maxPinFile*9/10 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	p, _ = openPins(t, folder)
	for _, x := range large {
		wantPin(t, p, "files", x, PinSame)
	}
	wantPin(t, p, "files", tool("t1", "other"), PinChanged)
}

// A server's one odd byte made its file a broken one at the next start.
func TestPinsOfOddBytes(t *testing.T) {
	folder := t.TempDir()
	odd := Tool{"odd", []byte("{\"name\":\"odd\",\"description\":\"\xff\"}")}
	p, _ := openPins(t, folder)
	if err := p.TrustAll("files", []Tool{odd, {"o\xff", []byte("{}")}, {"o\xfe", []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	p, out := openPins(t, folder)
	if out.Len() > 0 {
		t.Error(out)
	}
	wantPin(t, p, "files", odd, PinSame)
	wantPin(t, p, "files", Tool{"o\xff", []byte("{}")}, PinNew)
}

// A fingerprint that another version made must not make every tool a changed one.
func TestOlderFingerprints(t *testing.T) {
	read := tool("read", "Reads.")
	was := pin{fingerprint: "0:abc", definition: []byte(`{"description":"Reads.","name":"read"}`)}
	if !was.same(read.Definition) || was.same(tool("read", "Writes.").Definition) {
		t.Error("not compared by the definition")
	}
	was.definition = nil
	if was.same(read.Definition) {
		t.Error("without a definition nothing is known")
	}
}

func TestPinFileNames(t *testing.T) {
	for _, server := range []string{"a", "Files", "a-b", "a-12345678", "con"} {
		if got, ok := serverOf(fileOf(server)); !ok || got != server {
			t.Errorf("%s is %s in %s", server, got, fileOf(server))
		}
	}
	if fileOf("files") == strings.ToLower(fileOf("Files")) {
		t.Error("names that differ by case have one file on some systems")
	}
	for _, base := range []string{"", "files", "files-12345678.json", "files.json", fileOf("files") + brokenEnding, "." + fileOf("files") + ".tmp-1"} {
		if s, ok := serverOf(base); ok {
			t.Errorf("%s is of %s", base, s)
		}
	}
	folder := t.TempDir()
	left := filepath.Join(folder, "."+fileOf("files")+".tmp-1")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	openPins(t, folder)
	if _, err := os.Stat(left); err == nil {
		t.Error("what a crash left is still there")
	}
}

func TestPinsTogether(t *testing.T) {
	p, _ := openPins(t, t.TempDir())
	if err := p.TrustAll("files", nil); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 5 {
				x := tool(fmt.Sprint("t", i, j), "x")
				if err := p.Accept("files", x); err != nil {
					t.Error(err)
				}
				if s := p.Look("files", x.Name, x.Definition); s.State != PinSame {
					t.Errorf("%s is %s after it was accepted", x.Name, s.State)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzPinFile(f *testing.F) {
	good, _ := encodePins("files", &pinned{tools: map[string]pin{"read": {fingerprint: Fingerprint([]byte("{}")), definition: []byte("{}")}}})
	f.Add(good)
	f.Add([]byte(`{"version":1,"server":"files","tools":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodePins(data, "files")
		if err != nil {
			return
		}
		again, err := encodePins("files", s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodePins(again, "files"); err != nil {
			t.Fatalf("%s\nbecame %s: %v", data, again, err)
		}
	})
}

func BenchmarkLook(b *testing.B) {
	p, _ := openPins(b, b.TempDir())
	tools := make([]Tool, 2000)
	for i := range tools {
		tools[i] = Tool{fmt.Sprint("t", i), definition(i)}
	}
	if err := p.TrustAll("files", tools); err != nil {
		b.Fatal(err)
	}
	spaced := make([]Tool, len(tools))
	for i, x := range tools {
		spaced[i] = Tool{x.Name, append([]byte(" "), x.Definition...)}
	}
	for name, list := range map[string][]Tool{"2000 tools, the same bytes": tools, "2000 tools, other spacing": spaced} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, x := range list {
					if p.Look("files", x.Name, x.Definition).State != PinSame {
						b.Fatal("not the same")
					}
				}
			}
		})
	}
}
