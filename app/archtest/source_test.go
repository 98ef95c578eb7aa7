package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// module is what our own import paths begin with.
const module = "bridgekeeper"

// file is one parsed source file.
type file struct {
	name    string // slash-separated, from the root
	dir     string // "." for main.go
	test    bool
	lines   int
	imports []string
	ast     *ast.File
	pos     *token.FileSet
}

// load parses every Go file below fsys, but not fixtures, hidden folders or
// what was built.
func load(fsys fs.FS) ([]*file, error) {
	var files []*file
	set := token.NewFileSet()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := path.Base(name)
			if name != "." && (base == "testdata" || base == "bin" || base == "dist" || base == "artefacts" || base == "node_modules" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f := &file{name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), lines: bytes.Count(src, []byte("\n")), pos: set}
		if f.ast, err = parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		for _, spec := range f.ast.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
			}
			f.imports = append(f.imports, p)
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

// own turns an import path of ours into a folder; ok is false for others.
func own(imp string) (dir string, ok bool) {
	if imp == module {
		return ".", true
	}
	return strings.CutPrefix(imp, module+"/")
}

// under reports whether dir is one of roots or below it.
func under(dir string, roots ...string) bool {
	for _, r := range roots {
		if dir == r || strings.HasPrefix(dir, r+"/") {
			return true
		}
	}
	return false
}
