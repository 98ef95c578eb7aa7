package localapitest

import (
	"context"
	"fmt"
	"strings"

	"bridgekeeper/app/wire"
)

var catalog = []wire.CatalogServer{
	{Name: "files", Title: "Files", Description: "Reads files.", Version: "1.2.3", Source: wire.SourceBuiltIn, Status: "active", Installs: []string{"npm"}, Needs: []string{"a folder"}},
	{Name: "io.test/old", Description: "An old one\x1b.", Version: "0.9", Source: wire.SourceRegistry, Status: "deprecated", Message: "Use files.", Installs: []string{"pypi"}},
}

func (f *Fake) SearchCatalog(_ context.Context, q wire.CatalogQuery) (*wire.CatalogPage, error) {
	page := &wire.CatalogPage{Servers: []wire.CatalogServer{}}
	for _, s := range catalog {
		if strings.Contains(s.Name, q.Text) {
			page.Servers = append(page.Servers, s)
		}
	}
	if q.Offline {
		page.Offline = "The registry was not asked."
	} else if q.Cursor == "" {
		page.Cursor = "next page"
	}
	return page, nil
}

func (f *Fake) ShowCatalog(_ context.Context, name string, _ bool) (*wire.CatalogServer, error) {
	for _, s := range catalog {
		if s.Name == name {
			s.Versions = []string{s.Version, "0.1"}
			return &s, nil
		}
	}
	return nil, &wire.Error{Code: wire.CodeNotInCatalog, Message: "The registry has no such server.", Hint: "Search."}
}

// draft is what every source gives: it needs a folder and a key.
func (f *Fake) draft() wire.Draft {
	return wire.Draft{ID: "D1", Label: "npm files 1.2.3", Name: "files", Title: "Files", Source: wire.DraftSource{Kind: wire.SourceBuiltIn, From: "files"}, Install: wire.InstallNPM, Package: "files",
		Version: "1.2.3", Pinned: true, Command: "npx", Args: []string{"-y", "files@1.2.3", "<folder>"}, Env: []string{"KEY"}, May: []string{"It runs with your rights."}, Warnings: []string{"Look out."},
		Inputs: []wire.Input{{Name: "folder", Kind: wire.InputDirectory, Required: true, Description: "A folder"}, {Name: "key", Kind: wire.InputString, Secret: true}},
		Needs:  []wire.Need{{Program: "npx", Path: "/usr/bin/npx"}}}
}

func (f *Fake) BeginDrafts(_ context.Context, req wire.NewDraft) ([]wire.Draft, error) {
	switch {
	case req.Catalog == "nope":
		return nil, &wire.Error{Code: wire.CodeNotInCatalog, Message: "The registry has no such server."}
	case strings.TrimSpace(req.Text) == "several":
		other := f.draft()
		other.ID, other.Label, other.Install = "D2", "pypi files 1.2.3", wire.InstallPyPI
		return []wire.Draft{f.draft(), other}, nil
	case strings.TrimSpace(req.Text) == "blocked":
		d := f.draft()
		d.Blocked = []string{"It is a template."}
		return []wire.Draft{d}, nil
	case req.Update != "":
		d := f.draft()
		d.ID, d.Name, d.Replaces = "D3", req.Update, "1.2.2"
		d.Inputs[0].Default = []string{"/srv"}
		return []wire.Draft{d}, nil
	}
	return []wire.Draft{f.draft()}, nil
}

func (f *Fake) Draft(_ context.Context, id string) (*wire.Draft, error) {
	if id != "D1" && id != "D2" && id != "D3" {
		return nil, &wire.Error{Code: wire.CodeNoSuchDraft, Message: "This draft is no longer there."}
	}
	d := f.draft()
	d.ID = id
	return &d, nil
}

func (f *Fake) FetchDraft(ctx context.Context, id string) (*wire.Draft, error) {
	return f.Draft(ctx, id)
}

func (f *Fake) ReviewDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Reviewed, error) {
	d, err := f.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	folder := strings.Join(req.Values["folder"], "")
	if folder == "" && id == "D3" {
		folder = "/srv" // an update has its values
	}
	if folder == "" {
		return nil, &wire.Error{Code: wire.CodeBadInput, Message: "folder has no value."}
	}
	name := d.Name
	if req.Name != "" {
		name = req.Name
	}
	return &wire.Reviewed{Name: name, Entry: wire.Entry{Command: "npx", Args: []string{"-y", "files@1.2.3", folder}}, Secrets: []string{"FILES_KEY"},
		Lines: []string{"command: npx", "argument 1: -y", "argument 2: files@1.2.3", "argument 3: " + folder, "from: built-in files"}}, nil
}

func (f *Fake) AddDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Added, error) {
	r, err := f.ReviewDraft(ctx, id, req)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.acts = append(f.acts, fmt.Sprintf("add %s trust=%s key=%d", r.Name, req.Trust, len(req.Values["key"])))
	f.mu.Unlock()
	return &wire.Added{Name: r.Name, State: "ready", Secrets: r.Secrets, Tools: []wire.Tool{{Name: "read_file", Seen: "files__read_file", ReadOnly: true, Definition: []byte(`{"name":"read_file","description":"Reads a file."}`)}}}, nil
}

func (f *Fake) DropDraft(ctx context.Context, id string) error {
	_, err := f.Draft(ctx, id)
	return err
}

func (f *Fake) CheckServer(_ context.Context, name string, req wire.CheckServer) (*wire.CheckReport, error) {
	if name == "nope" {
		return nil, &wire.Error{Code: wire.CodeNoSuchServer, Message: "There is no server called \"nope\"."}
	}
	r := &wire.CheckReport{Server: name, Title: "Files", Version: "1", Protocol: "2025-11-25", StartMS: 120, Tools: 1, Findings: []wire.Finding{}}
	if name != "good" {
		r.Findings = append(r.Findings, wire.Finding{Level: wire.FindError, Code: "tool-name", Tool: "a b", Text: "The name has a space in it.", Mend: "Use letters.", Spec: "2025-11-25, Tools"},
			wire.Finding{Level: wire.FindNote, Code: "slow-start", Text: "It took 9 s."})
	}
	return r, nil
}
