package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
)

const (
	maxFileLines = 600
	maxFuncLines = 100
)

// docs: every package has exactly one comment, and it begins as Go wants it.
func docs(files []*file) (problems []string) {
	with := map[string][]string{}
	name := map[string]string{}
	for _, f := range files {
		if f.test {
			continue
		}
		name[f.dir] = f.ast.Name.Name
		if f.ast.Doc != nil {
			with[f.dir] = append(with[f.dir], f.name)
			if start := "Package " + f.ast.Name.Name + " "; f.ast.Name.Name != "main" && !strings.HasPrefix(f.ast.Doc.Text(), start) {
				problems = append(problems, fmt.Sprintf("%s: the package comment begins with %q, want %q", f.name, firstWords(f.ast.Doc.Text()), start))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(name)) {
		if len(with[dir]) != 1 {
			problems = append(problems, fmt.Sprintf("package %s has %d package comments, want 1 %v", dir, len(with[dir]), with[dir]))
		}
	}
	return problems
}

func firstWords(s string) string {
	return strings.Join(strings.Fields(s)[:min(3, len(strings.Fields(s)))], " ")
}

// sizes: the hard limits of files and functions.
func sizes(files []*file) (problems []string) {
	for _, f := range files {
		if f.lines > maxFileLines {
			problems = append(problems, fmt.Sprintf("%s has %d lines, at most %d", f.name, f.lines, maxFileLines))
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := f.pos.Position(fn.End()).Line - f.pos.Position(fn.Pos()).Line + 1; n > maxFuncLines {
				problems = append(problems, fmt.Sprintf("%s: %s has %d lines, at most %d", f.name, fn.Name.Name, n, maxFuncLines))
			}
		}
	}
	return problems
}

// sleeps: tests wait for something, they never sleep. Nobody is excused, but in a
// bubble of testing/synctest the clock is a fake one and sleeping moves it.
func sleeps(files []*file) (problems []string) {
	for _, f := range files {
		if !f.test {
			continue
		}
		clock, bubble := f.local("time"), f.local("testing/synctest")
		helpers := bubbleHelpers(f, bubble)
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				name, _ := call.Fun.(*ast.Ident)
				if selects(call.Fun, bubble, "Test") || name != nil && helpers[name.Name] {
					return false
				}
			}
			if e, ok := n.(ast.Expr); ok && selects(e, clock, "Sleep") {
				problems = append(problems, fmt.Sprintf("%s sleeps", f.pos.Position(e.Pos())))
			}
			return true
		})
	}
	return problems
}

// bubbleHelpers are the file's functions that run a function they are given in
// a bubble.
func bubbleHelpers(f *file, bubble string) map[string]bool {
	helpers := make(map[string]bool)
	for _, decl := range f.ast.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !selects(call.Fun, bubble, "Test") || len(call.Args) != 2 {
				return true
			}
			if _, given := call.Args[1].(*ast.Ident); given {
				helpers[fn.Name.Name] = true
			}
			return true
		})
	}
	return helpers
}

// local is the name under which the file knows an imported package, or "".
func (f *file) local(imp string) string {
	for i, spec := range f.ast.Imports {
		if f.imports[i] != imp {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imp)
	}
	return ""
}

// selects reports whether e is pkg.name.
func selects(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || pkg == "" || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}
