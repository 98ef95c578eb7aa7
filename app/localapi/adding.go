package localapi

import (
	"context"
	"net/http"
	"strconv"

	"bridgekeeper/app/wire"
)

// Adding is the road of a server into the config: a catalog, drafts, a check-up.
type Adding interface {
	SearchCatalog(ctx context.Context, q wire.CatalogQuery) (*wire.CatalogPage, error)
	ShowCatalog(ctx context.Context, name string, offline bool) (*wire.CatalogServer, error)
	// BeginDrafts makes drafts of a source. Nothing is written and nothing runs.
	BeginDrafts(ctx context.Context, req wire.NewDraft) ([]wire.Draft, error)
	Drafting
	// CheckServer looks at a server as its authors should; it calls no tool that
	// could change anything.
	CheckServer(ctx context.Context, name string, req wire.CheckServer) (*wire.CheckReport, error)
}

// Drafting is what is done with one draft.
type Drafting interface {
	Draft(ctx context.Context, id string) (*wire.Draft, error)
	FetchDraft(ctx context.Context, id string) (*wire.Draft, error)
	ReviewDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Reviewed, error)
	// AddDraft returns when the server runs and its tools are known, which may
	// take minutes, or when everything is as it was before.
	AddDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Added, error)
	DropDraft(ctx context.Context, id string) error
}

func (h *handler) addingRoutes(mux *http.ServeMux) {
	b := h.backend
	mux.HandleFunc("GET /v1/catalog", func(w http.ResponseWriter, r *http.Request) {
		q := wire.CatalogQuery{Text: r.FormValue("text"), Cursor: r.FormValue("cursor"), Offline: r.FormValue("offline") == "true"}
		if text := r.FormValue("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n > 100 {
				answerError(w, &wire.Error{Code: wire.CodeBadRequest, Message: "limit must be a number from 0 to 100"})
				return
			}
			q.Limit = n
		}
		page, err := b.SearchCatalog(r.Context(), q)
		reply(w, page, err)
	})
	mux.HandleFunc("GET /v1/catalog/server", func(w http.ResponseWriter, r *http.Request) {
		one, err := b.ShowCatalog(r.Context(), r.FormValue("name"), r.FormValue("offline") == "true")
		reply(w, one, err)
	})
	mux.HandleFunc("POST /v1/drafts", func(w http.ResponseWriter, r *http.Request) {
		withBody(w, r, func(req wire.NewDraft) ([]wire.Draft, error) { return b.BeginDrafts(r.Context(), req) })
	})
	mux.HandleFunc("GET /v1/drafts/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := b.Draft(r.Context(), r.PathValue("id"))
		reply(w, d, err)
	})
	mux.HandleFunc("DELETE /v1/drafts/{id}", func(w http.ResponseWriter, r *http.Request) {
		done(w, b.DropDraft(r.Context(), r.PathValue("id")))
	})
	mux.HandleFunc("POST /v1/drafts/{id}/fetch", func(w http.ResponseWriter, r *http.Request) {
		d, err := b.FetchDraft(r.Context(), r.PathValue("id"))
		reply(w, d, err)
	})
	mux.HandleFunc("POST /v1/drafts/{id}/review", func(w http.ResponseWriter, r *http.Request) {
		withBody(w, r, func(req wire.FillDraft) (*wire.Reviewed, error) {
			return b.ReviewDraft(r.Context(), r.PathValue("id"), req)
		})
	})
	mux.HandleFunc("POST /v1/drafts/{id}/add", func(w http.ResponseWriter, r *http.Request) {
		withBody(w, r, func(req wire.FillDraft) (*wire.Added, error) { return b.AddDraft(r.Context(), r.PathValue("id"), req) })
	})
	mux.HandleFunc("POST /v1/servers/{name}/check", func(w http.ResponseWriter, r *http.Request) {
		withBody(w, r, func(req wire.CheckServer) (*wire.CheckReport, error) {
			return b.CheckServer(r.Context(), r.PathValue("name"), req)
		})
	})
}

// reply answers with a value, or with what went wrong.
func reply(w http.ResponseWriter, body any, err error) {
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, body)
}

// maxDraftBody has room for a pasted text of 1 MiB, escaped.
const maxDraftBody = 4 << 20

func withBody[Q, A any](w http.ResponseWriter, r *http.Request, do func(Q) (A, error)) {
	var req Q
	if err := decode(w, r, maxDraftBody, &req); err != nil {
		answerError(w, err)
		return
	}
	out, err := do(req)
	reply(w, out, err)
}
