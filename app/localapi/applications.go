package localapi

import (
	"context"
	"net/http"

	"bridgekeeper/app/wire"
)

// Applications are those that are known by their files.
type Applications interface {
	Applications(ctx context.Context) ([]wire.Application, error)
	// EditApplication does one of the wire.Verb… to an application's file.
	EditApplication(ctx context.Context, name, verb string, req wire.EditApplication) (*wire.EditedApplication, error)
}

func (h *handler) applicationRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/applications", func(w http.ResponseWriter, r *http.Request) {
		list, err := h.backend.Applications(r.Context())
		if err != nil {
			answerError(w, err)
			return
		}
		answer(w, http.StatusOK, list)
	})
	for _, verb := range []string{wire.VerbConnect, wire.VerbDisconnect, wire.VerbUndo, wire.VerbRepair} {
		mux.HandleFunc("POST /v1/applications/{name}/"+verb, func(w http.ResponseWriter, r *http.Request) {
			var req wire.EditApplication
			if err := decode(w, r, maxBody, &req); err != nil {
				answerError(w, err)
				return
			}
			done, err := h.backend.EditApplication(r.Context(), r.PathValue("name"), verb, req)
			if err != nil {
				answerError(w, err)
				return
			}
			answer(w, http.StatusOK, done)
		})
	}
}
