package proc

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if RunWatcherIfAsked() {
		return
	}
	os.Exit(m.Run())
}

func TestMark(t *testing.T) {
	m := Mark("run", "my server.x", "host/1", 7)
	if strings.ContainsAny(m, " /\n") || m != "run.my+server.x@host%2F1.7" {
		t.Error(m)
	}
	env := withMark([]string{"A=1", MarkVariable + "=outer", "B=2"}, m)
	if !slices.Equal(env, []string{MarkVariable + "=" + m, "A=1", "B=2"}) {
		t.Errorf("%q", env)
	}
	if got := markIn([]byte(strings.Join(env, "\x00"))); got != m {
		t.Errorf("%q", got)
	}
	block := binary.NativeEndian.AppendUint32(nil, 2)
	block = append(block, "/bin/x\x00\x00\x00x\x00"+MarkVariable+"=argument\x00A=1\x00"+MarkVariable+"="+m+"\x00"...)
	if got := markInArgs(block); got != m {
		t.Errorf("%q", got)
	}
}

func FuzzMarkInArgs(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 'a', 0, 0, 'b', 0, 'C', '=', 0})
	f.Fuzz(func(t *testing.T, b []byte) { markInArgs(b) })
}

// A start after a reboot ended innocent processes that had got the old numbers.
func TestRegistryRefusesWhatItDoesntKnow(t *testing.T) {
	good := Entry{PID: 42, Start: 7, Mark: "run.a.1"}
	file := string(formatRegistry([]Entry{good}))
	boot := bootID()
	if got := parseRegistry([]byte(file), boot); !slices.Equal(got, []Entry{good}) {
		t.Errorf("%+v", got)
	}
	for name, b := range map[string]string{
		"other boot": strings.Replace(file, boot, "other", 1),
		"no header":  strings.SplitN(file, "\n", 2)[1],
		"init":       strings.Replace(file, "42 7", "1 7", 1),
		"group":      strings.Replace(file, "42 7", "-42 7", 1),
		"no mark":    strings.Replace(file, " run.a.1", "", 1),
		"empty mark": strings.Replace(file, "run.a.1", "", 1),
		"huge":       strings.Replace(file, "42 7", "99999999999 7", 1),
	} {
		if got := parseRegistry([]byte(b), boot); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzParseRegistry(f *testing.F) {
	f.Add(formatRegistry([]Entry{{42, 7, "m"}, {43, 8, "n"}}))
	boot := bootID()
	f.Fuzz(func(t *testing.T, b []byte) {
		list := parseRegistry(b, boot)
		for _, e := range list {
			if e.PID <= 1 || e.Mark == "" {
				t.Errorf("%+v", e)
			}
		}
		if again := parseRegistry(formatRegistry(list), boot); !slices.Equal(list, again) {
			t.Errorf("%+v became %+v", list, again)
		}
	})
}

func TestRegistryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "children")
	r := NewRegistry(path)
	a, b := Entry{1 << 30, 1, "a"}, Entry{1<<30 + 1, 1, "b"}
	for _, e := range []Entry{a, b} {
		if err := r.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Remove(a); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if got := parseRegistry(text, bootID()); !slices.Equal(got, []Entry{b}) {
		t.Errorf("%+v", got)
	}
	if n, err := Sweep(path); n != 0 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the swept file is still there")
	}
	if n, err := Sweep(path); n != 0 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

func TestContainerOf(t *testing.T) {
	for _, c := range []struct {
		argv, want string // want: where the cidfile goes; "" for none
		global     string
	}{
		{"docker run -i --rm x", "run CID -i --rm x", ""},
		{"/usr/bin/podman --log-level debug run x", "--log-level debug run CID x", "--log-level debug"},
		{"docker.exe -H=tcp://h --context c container run x", "-H=tcp://h --context c container run CID x", "-H=tcp://h --context c"},
		{"docker run --cidfile f x", "", ""},
		{"docker run --cidfile=f x", "", ""},
		{"docker exec -i x run", "", ""},
		{"docker compose run x", "", ""},
		{"docker --context run", "", ""},
		{"dockerd run", "", ""},
		{"npx run", "", ""},
		{"docker", "", ""},
	} {
		argv := strings.Fields(c.argv)
		args, got := ContainerOf(Command{Path: "/p", Argv: argv, Mark: "r.a@b%2F.1"}, "state")
		if c.want == "" {
			if got != nil || !slices.Equal(args, argv[1:]) {
				t.Errorf("%s: %q", c.argv, args)
			}
			continue
		}
		if got == nil {
			t.Errorf("%s: not seen", c.argv)
			continue
		}
		want := strings.Replace(c.want, "CID", "--cidfile "+got.cidfile, 1)
		if strings.Join(args, " ") != want || strings.Join(got.global, " ") != c.global {
			t.Errorf("%s: %q, global %q", c.argv, args, got.global)
		}
		if filepath.Dir(got.cidfile) != "state" {
			t.Errorf("cidfile %s", got.cidfile)
		}
	}
}

func TestReadCid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cid")
	if id, err := readCid(path); id != "" || err != nil {
		t.Errorf("%q %v", id, err)
	}
	for text, want := range map[string]string{"": "", "0a1b\n": "0a1b", "--all": "", "x y": "", strings.Repeat("f", 64): strings.Repeat("f", 64)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if id, err := readCid(path); id != want || err != nil {
			t.Errorf("%q: %q %v", text, id, err)
		}
	}
}

// A container that an earlier run had left went on when the next one started.
func TestSweepContainers(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "podman"), fmt.Appendf(nil, "#!/bin/sh\necho \"$@\" > %s/call\n", dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "cid-podman-x"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if n, err := SweepContainers(t.Context(), state); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "call")); string(b) != "rm -f abc\n" {
		t.Errorf("%q", b)
	}
	if left, _ := os.ReadDir(state); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
