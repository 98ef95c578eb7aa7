package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

func TestBuiltIn(t *testing.T) {
	if n := len(list()); n < 40 {
		t.Errorf("%d servers, want about 40", n)
	}
	seen := map[string]bool{}
	for _, k := range list() {
		name := k.server.Name
		if seen[name] || wire.CheckName("server", name) != nil {
			t.Errorf("%s: there twice, or no name for a server", name)
		}
		seen[name] = true
		if k.server.Title == "" || len(k.server.Description) < 15 || !strings.HasSuffix(k.server.Description, ".") {
			t.Errorf("%s says too little of itself", name)
		}
		drafts, err := New(nil).Drafts(context.Background(), name, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, d := range drafts {
			if len(d.Blocked) > 0 || !d.Pinned || d.Name != name {
				t.Errorf("%s: blocked %v, pinned %v, name %s", name, d.Blocked, d.Pinned, d.Name)
			}
			for _, w := range d.Warnings {
				t.Errorf("%s: %s", name, w)
			}
			values := map[string][]string{}
			for _, in := range d.Inputs {
				if in.Required && len(in.Default) == 0 {
					values[in.Name] = []string{"x"}
				}
			}
			if _, err := draft.Fill(d, draft.Values{Inputs: values}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// registry is one on loopback: three pages of two servers.
type registry struct {
	*httptest.Server
	asked   []string
	answer  func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	etag    string
	matched int
}

func serverOf(n int, status string) string {
	return fmt.Sprintf(`{"server":{"name":"io.test/s%d","description":"d","version":"1.0.%d","packages":[{"registryType":"npm","identifier":"s%d","version":"1.0.%d"}]},"_meta":{"io.modelcontextprotocol.registry/official":{"status":%q,"statusMessage":"why","isLatest":true}}}`, n, n, n, n, status)
}

func newRegistry(t *testing.T) *registry {
	r := &registry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.asked = append(r.asked, req.URL.RequestURI())
		if r.answer != nil && r.answer(w, req) {
			return
		}
		if r.etag != "" {
			if req.Header.Get("If-None-Match") == r.etag {
				r.matched++
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", r.etag)
		}
		switch path := req.URL.EscapedPath(); {
		case path == "/v0.1/servers":
			next := map[string]string{"": "io.test/s1:1 &", "io.test/s1:1 &": "two", "two": ""}[req.FormValue("cursor")]
			first := map[string]int{"": 0, "io.test/s1:1 &": 2, "two": 4}[req.FormValue("cursor")]
			status := "active"
			if first == 4 {
				status = "deleted"
			}
			fmt.Fprintf(w, `{"servers":[%s,%s,{"server":{"broken":1}}],"metadata":{"nextCursor":%q}}`, serverOf(first, "active"), serverOf(first+1, status), next)
		case path == "/v0.1/servers/io.test%2Fs1/versions/latest", path == "/v0.1/servers/io.test%2Fs1/versions/1.0.1":
			fmt.Fprint(w, serverOf(1, "deprecated"))
		case path == "/v0.1/servers/io.test%2Fs1/versions":
			fmt.Fprintf(w, `{"servers":[%s,%s]}`, serverOf(1, "active"), strings.Replace(serverOf(1, "active"), `"version":"1.0.1","pack`, `"version":"0.9","pack`, 1))
		case path == "/v0.1/servers/io.test%2Fgone/versions/latest":
			fmt.Fprint(w, strings.Replace(serverOf(1, "deleted"), "io.test/s1", "io.test/gone", 1))
		case path == "/v0.1/servers/io.test%2Flies/versions/latest":
			fmt.Fprint(w, serverOf(1, "active"))
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"Server not found"}`)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) client(t *testing.T) *Registry {
	return NewRegistry(r.URL+"/v0.1/", filepath.Join(t.TempDir(), "registry"), r.Client())
}

func names(p *Page) (list []string) {
	for _, f := range p.Servers {
		list = append(list, strings.TrimPrefix(f.Server.Name, "io.test/"))
	}
	return list
}

func TestPages(t *testing.T) {
	r := newRegistry(t)
	c := r.client(t)
	var all []string
	cursor := ""
	for range 5 {
		p, err := c.Search(t.Context(), wire.CatalogQuery{Text: "a b", Cursor: cursor, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names(p)...)
		if cursor = p.Cursor; cursor == "" {
			break
		}
	}
	if want := []string{"s0", "s1", "s2", "s3", "s4"}; !slices.Equal(all, want) {
		t.Errorf("found %v, want %v: deleted and broken ones left out", all, want)
	}
	if want := "/v0.1/servers?cursor=io.test%2Fs1%3A1+%26&limit=100&search=a+b&version=latest"; len(r.asked) != 3 || r.asked[1] != want {
		t.Errorf("asked %q", r.asked)
	}
}

func TestKeptAnswers(t *testing.T) {
	r := newRegistry(t)
	r.etag = `"v1"`
	c := r.client(t)
	now := time.Now()
	c.now = func() time.Time { return now }
	ask := func() *Page {
		t.Helper()
		p, err := c.Search(t.Context(), wire.CatalogQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	ask()
	ask()
	if len(r.asked) != 1 {
		t.Errorf("asked %d times within the hour, want 1", len(r.asked))
	}
	now = now.Add(2 * time.Hour)
	if p := ask(); r.matched != 1 || len(p.Servers) != 2 || !p.Age.Equal(now) {
		t.Errorf("matched %d, %d servers, age %v", r.matched, len(p.Servers), p.Age)
	}
	now = now.Add(2 * time.Hour)
	r.answer = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
	if p := ask(); len(p.Servers) != 2 || !strings.Contains(p.Offline, "502") {
		t.Errorf("%d servers, offline %q", len(p.Servers), p.Offline)
	}
	asked := len(r.asked)
	if p, err := c.Search(t.Context(), wire.CatalogQuery{Offline: true}); err != nil || len(p.Servers) != 2 || len(r.asked) != asked {
		t.Errorf("offline: %v", err)
	}
	if _, err := c.Search(t.Context(), wire.CatalogQuery{Text: "new", Offline: true}); wire.AsError(err).Code != wire.CodeCatalog {
		t.Errorf("nothing kept: %v", err)
	}
}

func TestRegistryErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		answer     func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"its own words", "it answered 400 Bad Request: no such cursor", func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":"no such cursor"}`)
			return true
		}},
		{"no JSON", "can't be read", func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>"); return true }},
		{"too large", "larger than 8 MiB", func(w http.ResponseWriter, _ *http.Request) bool {
			w.Write(make([]byte, maxAnswer+1))
			return true
		}},
		{"broken off", "broke off", func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
			return true
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRegistry(t)
			r.answer = c.answer
			_, err := r.client(t).Search(t.Context(), wire.CatalogQuery{})
			if e := wire.AsError(err); err == nil || e.Code != wire.CodeCatalog || !strings.Contains(e.Message, c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
	r := newRegistry(t)
	c := r.client(t)
	r.Close()
	if _, err := c.Search(t.Context(), wire.CatalogQuery{}); wire.AsError(err).Code != wire.CodeCatalog || strings.Contains(err.Error(), "/v0.1") {
		t.Errorf("not there: %v", err)
	}
	if p, err := New(c).Search(t.Context(), wire.CatalogQuery{Text: "browser"}); err != nil || len(p.Servers) == 0 || p.Offline == "" {
		t.Errorf("the built-in list without a registry: %+v %v", p, err)
	}
}

// A slow registry held up a search until its own time limit, after the person had gone.
func TestGivesUpWithItsCaller(t *testing.T) {
	r := newRegistry(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.answer = func(_ http.ResponseWriter, req *http.Request) bool {
		cancel()
		<-req.Context().Done()
		return true
	}
	if _, err := r.client(t).Search(ctx, wire.CatalogQuery{}); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestShowAndDrafts(t *testing.T) {
	r := newRegistry(t)
	c := New(r.client(t))
	w, err := c.Show(t.Context(), "io.test/s1", false)
	if err != nil || w.Status != "deprecated" || !slices.Equal(w.Versions, []string{"1.0.1", "0.9"}) || !slices.Equal(w.Installs, []string{"npm"}) {
		t.Errorf("%+v %v", w, err)
	}
	drafts, err := c.Drafts(t.Context(), "io.test/s1", "")
	if err != nil || len(drafts) != 1 || !strings.Contains(strings.Join(drafts[0].Warnings, " "), "deprecated. why") {
		t.Errorf("%+v %v", drafts, err)
	}
	drafts, err = c.Drafts(t.Context(), "io.test/gone", "")
	if err != nil || len(drafts[0].Blocked) == 0 {
		t.Errorf("a deleted server: %+v %v", drafts, err)
	}
	if _, err := c.Drafts(t.Context(), "io.test/lies", ""); wire.AsError(err).Code != wire.CodeCatalog {
		t.Errorf("another server's answer: %v", err)
	}
	if _, err := c.Drafts(t.Context(), "io.test/none", "9"); wire.AsError(err).Code != wire.CodeNotInCatalog {
		t.Errorf("none: %v", err)
	}
	if w, err := c.Show(t.Context(), "filesystem", true); err != nil || w.Source != wire.SourceBuiltIn || len(w.Needs) == 0 {
		t.Errorf("%+v %v", w, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := &cache{dir: t.TempDir()}
	for i := range maxKept + 20 {
		c.write(fmt.Sprint(i), entry{Address: fmt.Sprint(i), At: time.Now(), Body: json.RawMessage(`{}`)})
	}
	list, err := os.ReadDir(c.dir)
	if err != nil || len(list) > maxKept {
		t.Errorf("%d kept, %v", len(list), err)
	}
	if _, ok := c.read(fmt.Sprint(maxKept + 19)); !ok {
		t.Error("the newest isn't kept")
	}
}
