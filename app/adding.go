package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/catalog"
	"bridgekeeper/app/catalog/serverjson"
	"bridgekeeper/app/draft"
	"bridgekeeper/app/draft/paste"
	"bridgekeeper/app/wire"
)

// vault keeps secrets (keychain.Store). Without one, secrets stand in the config.
type vault interface {
	Set(ctx context.Context, name, value string) error
	Remove(ctx context.Context, name string) error
	Has(name string) bool
}

// catalogNow is the catalog with the registry that the config names now.
func (a *App) catalogNow() *catalog.Catalog {
	return catalog.New(catalog.NewRegistry(a.config.Current().Settings.Registry, filepath.Join(a.dirs.State, "registry"), outside))
}

// SearchCatalog finds servers that can be added (localapi.Adding).
func (a *App) SearchCatalog(ctx context.Context, q wire.CatalogQuery) (*wire.CatalogPage, error) {
	return a.catalogNow().Search(ctx, q)
}

// ShowCatalog returns one of them (localapi.Adding).
func (a *App) ShowCatalog(ctx context.Context, name string, offline bool) (*wire.CatalogServer, error) {
	return a.catalogNow().Show(ctx, name, offline)
}

// maxText bounds a file that isn't a bundle.
const maxText = 1 << 20

// BeginDrafts makes drafts of a source; nothing is written and nothing runs
// (localapi.Adding).
func (a *App) BeginDrafts(ctx context.Context, req wire.NewDraft) ([]wire.Draft, error) {
	list, bundle, err := a.draftsFrom(ctx, &req)
	if err != nil {
		return nil, err
	}
	update := ""
	if req.Update != "" {
		update = req.Update
	}
	out := make([]wire.Draft, 0, len(list))
	for _, d := range list {
		if update == "" {
			d.Name = a.freeName(d.Name)
		}
		out = append(out, a.shown(ctx, a.drafts.keep(d, bundle, update)))
	}
	return out, nil
}

func (a *App) draftsFrom(ctx context.Context, req *wire.NewDraft) ([]*draft.Draft, *heldBundle, error) {
	switch {
	case given(req.Catalog != "", req.Path != "", req.Text != "", len(req.Command) > 0, req.Update != "") != 1:
		return nil, nil, &wire.Error{Code: wire.CodeBadRequest, Message: "Name one source: a name in the catalog, a path, a text, a command, or a server to update."}
	case req.Catalog != "":
		list, err := a.catalogNow().Drafts(ctx, req.Catalog, req.Version)
		return list, nil, err
	case len(req.Command) > 0:
		list, err := paste.Command(req.Command, a.pasteOptions())
		return list, nil, err
	case req.Update != "":
		return a.updateOf(ctx, req.Update, req.Version)
	case req.Path != "" && isBundle(req.Path):
		b, err := a.bundleFile(req.Path)
		if err != nil {
			return nil, nil, err
		}
		return []*draft.Draft{a.draftOf(b, wire.DraftSource{Kind: wire.SourceBundle, From: req.Path})}, b, nil
	case req.Path != "":
		return a.fromFile(req.Path)
	}
	if address, ok := paste.Bundle(req.Text); ok {
		b, err := a.fetchBundle(ctx, address, "")
		if err != nil {
			return nil, nil, err
		}
		return []*draft.Draft{a.draftOf(b, wire.DraftSource{Kind: wire.SourceBundle, From: address})}, b, nil
	}
	list, err := a.fromText(req.Text)
	return list, nil, err
}

func given(flags ...bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

func (a *App) fromFile(path string) ([]*draft.Draft, *heldBundle, error) {
	f, err := openFile(path, maxText)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("%s can't be read: %s.", path, err)}
	}
	list, err := a.fromText(string(data))
	for _, d := range list {
		d.Source = wire.DraftSource{Kind: wire.SourceFile, From: path}
	}
	return list, nil, err
}

func (a *App) fromText(text string) ([]*draft.Draft, error) {
	if serverjson.IsServer([]byte(text)) {
		s, err := serverjson.Parse([]byte(text))
		if err != nil {
			return nil, err
		}
		return s.Drafts(wire.DraftSource{Kind: wire.SourceJSON})
	}
	return paste.Parse(text, a.pasteOptions())
}

func (a *App) pasteOptions() paste.Options {
	return paste.Options{GOOS: runtime.GOOS, Home: a.person, Taken: a.secretTaken, Exists: func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && !info.IsDir()
	}}
}

func (a *App) secretTaken(name string) bool { return a.vault != nil && a.vault.Has(name) }

// freeName is a name that no server has.
func (a *App) freeName(name string) string {
	taken := func(name string) bool {
		_, ok := a.config.Current().Lookup(name)
		return ok
	}
	for n := 2; ; n++ {
		try := name
		if n > 2 || taken(name) {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		if !taken(try) {
			return try
		}
	}
}

// shown is a draft for clients, with the programs that it needs looked up.
func (a *App) shown(ctx context.Context, h *heldDraft) wire.Draft {
	w := h.draft.Wire()
	w.ID = h.id
	a.lookAround(ctx, &w)
	if h.update != "" {
		w.Name = h.update
		if o, ok := a.origins.of(h.update); ok {
			w.Replaces = o.Version
		}
	}
	return w
}

// Draft returns a draft again (localapi.Adding).
func (a *App) Draft(ctx context.Context, id string) (*wire.Draft, error) {
	h, err := a.drafts.find(id)
	if err != nil {
		return nil, err
	}
	w := a.shown(ctx, h)
	return &w, nil
}

// FetchDraft fetches the bundle that a draft names, and returns the draft of what
// it would run (localapi.Adding).
func (a *App) FetchDraft(ctx context.Context, id string) (*wire.Draft, error) {
	h, err := a.drafts.find(id)
	if err != nil {
		return nil, err
	}
	if h.draft.Bundle == "" {
		w := a.shown(ctx, h)
		return &w, nil
	}
	if len(h.draft.Blocked) > 0 {
		return nil, &wire.Error{Code: wire.CodeBadDraft, Message: strings.Join(h.draft.Blocked, " ")}
	}
	b, err := a.fetchBundle(ctx, h.draft.Bundle, h.draft.SHA256)
	if err != nil {
		return nil, err
	}
	source := h.draft.Source
	source.Checked = h.draft.SHA256 != ""
	d := a.draftOf(b, source)
	d.Name = h.draft.Name
	for _, w := range h.draft.Warnings {
		d.Warn(w)
	}
	for _, v := range h.draft.Env { // what the registry knows besides the manifest
		if slices.ContainsFunc(d.Env, func(have draft.Var) bool { return have.Name == v.Name }) {
			continue
		}
		for _, name := range v.Value.Inputs() {
			d.Ask(*h.draft.Input(name))
		}
		d.Env = append(d.Env, v)
	}
	w := a.shown(ctx, a.drafts.keep(d, b, h.update))
	a.drafts.drop(id)
	return &w, nil
}

// DropDraft forgets a draft (localapi.Adding).
func (a *App) DropDraft(_ context.Context, id string) error {
	if _, err := a.drafts.find(id); err != nil {
		return err
	}
	a.drafts.drop(id)
	return nil
}

// filled puts the values into a draft.
func (a *App) filled(h *heldDraft, req *wire.FillDraft) (*draft.Filled, error) {
	if h.draft.Bundle != "" {
		return nil, &wire.Error{Code: wire.CodeBadDraft, Message: "Its bundle has to be fetched first."}
	}
	if !slices.Contains([]string{"", wire.TrustFull, wire.TrustLimited, wire.TrustPending}, req.Trust) {
		return nil, &wire.Error{Code: wire.CodeBadInput, Message: fmt.Sprintf("trust is %.40q: it must be full, limited or pending.", req.Trust)}
	}
	name := req.Name
	if h.update != "" {
		name = h.update
	}
	f, err := draft.Fill(h.draft, draft.Values{Name: name, Inputs: req.Values, Env: req.Env, Taken: a.secretTaken})
	if err != nil {
		return nil, err
	}
	f.Entry.Disabled = f.Entry.Disabled || req.Disabled
	f.Entry.Trust = req.Trust
	if f.Entry.Trust == "" {
		f.Entry.Trust = wire.TrustLimited
	}
	return f, nil
}

// ReviewDraft says exactly what would run (localapi.Adding).
func (a *App) ReviewDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Reviewed, error) {
	h, err := a.drafts.find(id)
	if err != nil {
		return nil, err
	}
	f, err := a.filled(h, &req)
	if err != nil {
		return nil, err
	}
	out := &wire.Reviewed{Name: f.Name, Entry: f.Entry.Masked()}
	for _, s := range f.Secrets {
		out.Secrets = append(out.Secrets, s.Name)
	}
	w := a.shown(ctx, h)
	out.Lines = reviewLines(&w, f)
	return out, nil
}

// reviewLines is what a person reads before anything runs.
func reviewLines(w *wire.Draft, f *draft.Filled) []string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	line("command: %s", f.Entry.Command)
	for i, arg := range f.Entry.Args {
		line("argument %d: %s", i+1, arg)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Entry.Env)) {
		if value := f.Entry.Env[name]; strings.HasPrefix(value, "${secret:") {
			line("variable %s: %s", name, value)
		} else {
			line("variable %s", name)
		}
	}
	if f.Entry.Cwd != "" {
		line("folder: %s", f.Entry.Cwd)
	}
	from := w.Source.Kind
	if w.Source.From != "" {
		from += " " + w.Source.From
	}
	line("from: %s", from)
	switch {
	case w.Package == "":
	case w.Pinned:
		line("package: %s %s", w.Package, w.Version)
	default:
		line("package: %s, any version", w.Package)
	}
	if w.Source.SHA256 != "" {
		checked := "nobody says what it must be"
		if w.Source.Checked {
			checked = "as the registry says"
		}
		line("sha256: %s (%s)", w.Source.SHA256, checked)
		line("signature: %s", w.Source.Signature)
	}
	for _, may := range w.May {
		line("%s", may)
	}
	return lines
}

// AddDraft adds a draft's server: unpacks, keeps secrets, writes the entry, starts
// it and waits for its tools. A step that fails undoes those before it
// (localapi.Adding).
func (a *App) AddDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Added, error) {
	h, err := a.drafts.find(id)
	if err != nil {
		return nil, err
	}
	f, err := a.filled(h, &req)
	if err != nil {
		return nil, err
	}
	if !a.ownHand(ctx) {
		f.Entry.Trust = wire.TrustPending
	}
	runs := !f.Entry.Disabled && f.Entry.Trust != wire.TrustPending
	if w := a.shown(ctx, h); runs {
		if err := missing(&w); err != nil {
			return nil, err
		}
	}
	a.addMu.Lock()
	defer a.addMu.Unlock()
	was, exists := a.config.Current().Lookup(f.Name)
	switch {
	case h.update == "" && exists:
		return nil, &wire.Error{Code: wire.CodeServerExists, Message: fmt.Sprintf("There is a server %q already.", f.Name), Hint: "Choose another name."}
	case h.update != "" && !exists:
		return nil, &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("The server %q is gone.", f.Name)}
	}
	s := &adding{app: a, held: h, filled: f, values: req.Values}
	if exists {
		s.was = &was.Entry
	}
	if err := s.carryOut(ctx, runs); err != nil {
		s.undo()
		return nil, err
	}
	s.settle(ctx)
	a.drafts.drop(id)
	out := &wire.Added{Name: f.Name, State: "added", Tools: []wire.Tool{}, Secrets: s.stored}
	if st, ok := a.status(f.Name); ok {
		out.State = string(st.State)
	}
	if tools, err := a.Tools(ctx, f.Name); err == nil {
		out.Tools = tools
	}
	return out, nil
}

// startWait is the longest wait for a server's first start; package runners have
// a limit of their own below it.
const startWait = 20 * time.Minute

var errTooLong = errors.New("it took too long")
