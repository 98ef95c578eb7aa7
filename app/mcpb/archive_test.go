package mcpb

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

const simple = `{"manifest_version":"0.3","name":"x","version":"1.0.0","server":{"type":"node","entry_point":"a.js"}}`

// file is one entry of an archive.
type file struct {
	name, data string
	mode       fs.FileMode
	flags      uint16
}

func archive(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Flags: f.flags}
		if f.mode == 0 {
			f.mode = 0o644
		}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func with(files ...file) []file {
	return append([]file{{name: "manifest.json", data: simple}, {name: "a.js", data: "1"}}, files...)
}

func TestHostileArchives(t *testing.T) {
	many := with()
	for i := range maxFiles {
		many = append(many, file{name: fmt.Sprintf("f%d", i)})
	}
	good := archive(t, with()...)
	damaged := bytes.Clone(good)
	damaged[45] ^= 0xff
	lies := archive(t, with(file{name: "big", data: strings.Repeat("x", 5000)})...)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"traversal", archive(t, with(file{name: "../x"})...), "leads elsewhere"},
		{"traversal within", archive(t, with(file{name: "a/../../x"})...), "leads elsewhere"},
		{"absolute", archive(t, with(file{name: "/etc/x"})...), "absolute path"},
		{"a drive", archive(t, with(file{name: "C:x"})...), "Windows reads"},
		{"a backslash", archive(t, with(file{name: `..\x`})...), "Windows reads"},
		{"a stream", archive(t, with(file{name: "a.js:x"})...), "Windows reads"},
		{"a device's name", archive(t, with(file{name: "d/Nul.txt"})...), "a device on Windows"},
		{"a dot at the end", archive(t, with(file{name: "a.js."})...), "shortens"},
		{"a control character", archive(t, with(file{name: "a\x1b"})...), "control character"},
		{"an empty part", archive(t, with(file{name: "a//b"})...), "leads elsewhere"},
		{"a long name", archive(t, with(file{name: strings.Repeat("a", 300)})...), "very long"},
		{"a link", archive(t, with(file{name: "l", data: "/etc/passwd", mode: 0o777 | fs.ModeSymlink})...), "is a link"},
		{"a device", archive(t, with(file{name: "d", mode: 0o666 | fs.ModeDevice})...), "neither a file nor a folder"},
		{"a pipe", archive(t, with(file{name: "p", mode: 0o666 | fs.ModeNamedPipe})...), "neither a file nor a folder"},
		{"twice", archive(t, with(file{name: "a.js"})...), "are one file"},
		{"in another case", archive(t, with(file{name: "A.JS"})...), "are one file"},
		{"folders in another case", archive(t, with(file{name: "Lib/"}, file{name: "lib/x"})...), "are one on some systems"},
		{"a file as a folder", archive(t, with(file{name: "a.js/x"})...), "lie within the file"},
		{"encrypted", archive(t, with(file{name: "s", flags: 1})...), "is encrypted"},
		{"too many", archive(t, many...), "more than 20000 files"},
		{"a bomb", archive(t, with(file{name: "z", data: strings.Repeat("\x00", 64<<20)})...), "times as large"},
		{"no manifest", archive(t, file{name: "a.js"}), "no manifest.json"},
		{"a manifest in another case", archive(t, file{name: "Manifest.json", data: simple}), `"Manifest.json", which must be manifest.json`},
		{"a folder around it", archive(t, file{name: "x/manifest.json", data: simple}), `"x/manifest.json", which must be`},
		{"a large manifest", archive(t, file{name: "manifest.json", data: strings.Repeat(" ", MaxManifest+1)}), "larger than 1 MiB"},
		{"bytes behind it", append(bytes.Clone(good), "#!/bin/sh\n"...), "they are no signature"},
		{"many bytes behind it", append(bytes.Clone(good), make([]byte, maxSignature+1)...), "only a signature may be"},
		{"bytes before it", append([]byte("#!/bin/sh\n"), good...), "no zip archive"},
		{"half of it", good[:len(good)/2], "no whole zip archive"},
		{"a text", []byte("hello"), "no zip archive"},
		{"nothing", nil, "no zip archive"},
		{"damage", damaged, "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := OpenBytes(c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) || wire.AsError(err).Code != wire.CodeBadBundle {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
	if _, err := OpenBytes(lies); err != nil {
		t.Fatal(err)
	}
}

// A file whose header says less than it unpacks to could have filled the disk.
func TestUnpackStopsAtTheSaidSize(t *testing.T) {
	data := archive(t, with(file{name: "big", data: strings.Repeat("x", 5000)})...)
	s := NewStore(filepath.Join(t.TempDir(), "bundles"))
	b, err := OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range b.files {
		if f.Name == "big" {
			f.UncompressedSize64 = 10
		}
	}
	if _, _, err := s.Install(b, ""); wire.AsError(err).Code != wire.CodeBadBundle {
		t.Fatal(err)
	}
	if left := below(t, s.dir); left != "" {
		t.Errorf("left %s", left)
	}
}

// below lists the files below a folder, with x for those that can be started.
func below(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if info, err := d.Info(); err == nil && info.Mode()&0o100 != 0 && runtime.GOOS != "windows" {
			rel += "*"
		}
		list = append(list, rel)
		return nil
	})
	return strings.Join(list, " ")
}

func TestStore(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "bundles"))
	install := func(version string) string {
		t.Helper()
		b, err := OpenBytes(archive(t, file{name: "manifest.json", data: strings.Replace(simple, "1.0.0", version, 1)}, file{name: "a.js", data: "1"}, file{name: "bin/"}, file{name: "bin/run", data: "#!"}, file{name: "bin/x", mode: 0o755}))
		if err != nil {
			t.Fatal(err)
		}
		dir, fresh, err := s.Install(b, filepath.Join(s.Place(b), "bin", "run"))
		if err != nil || !fresh || dir != s.Place(b) {
			t.Fatal(dir, fresh, err)
		}
		if _, fresh, err := s.Install(b, ""); err != nil || fresh {
			t.Fatalf("again: %v %v", fresh, err)
		}
		return dir
	}
	one, two := install("1.0.0"), install("2.0.0")
	want := "a.js bin/run* bin/x* manifest.json"
	if runtime.GOOS == "windows" {
		want = strings.ReplaceAll(want, "*", "")
	}
	if got := below(t, one); got != want {
		t.Errorf("unpacked %s", got)
	}
	e := wire.Entry{Command: "node", Args: []string{"--file=" + filepath.Join(two, "a.js")}}
	if dirs := s.OwnedBy(&e); len(dirs) == 0 || dirs[0] != two {
		t.Errorf("owned %v", dirs)
	}
	if dirs := s.OwnedBy(&wire.Entry{Command: filepath.Dir(s.dir)}); len(dirs) != 0 {
		t.Errorf("owned %v", dirs)
	}
	if err := s.Remove(filepath.Dir(s.dir)); err == nil {
		t.Error("a folder that is none of ours was removed")
	}
	if err := os.Mkdir(filepath.Join(s.dir, unpacking+"1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Clean(func(dir string) bool { return dir == two }); err != nil {
		t.Fatal(err)
	}
	if got := below(t, s.dir); strings.Count(got, "a.js") != 1 || !strings.Contains(got, "2.0.0-") {
		t.Errorf("left %s", got)
	}
	if err := s.Remove(two); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func FuzzOpen(f *testing.F) {
	files, _ := filepath.Glob("testdata/bundles/*.mcpb")
	for _, name := range files {
		data, _ := os.ReadFile(name)
		f.Add(data)
	}
	f.Add(archive(f, with()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := OpenBytes(data)
		if err != nil {
			return
		}
		b.Draft(Options{GOOS: "linux", Home: "/h", Dir: "/B"})
	})
}
