package localapi

import (
	"net/http"

	"bridgekeeper/app/wire"
)

func (h *handler) questionRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/questions/past", h.pastQuestions)
	mux.HandleFunc("GET /v1/questions/{id}", h.question)
	mux.HandleFunc("POST /v1/questions/{id}/answer", h.answerQuestion)
	mux.HandleFunc("POST /v1/servers/{name}/deny", h.denyServer)
	mux.HandleFunc("PUT /v1/hold", h.hold(true))
	mux.HandleFunc("DELETE /v1/hold", h.hold(false))
}

func (h *handler) question(w http.ResponseWriter, r *http.Request) {
	q, err := h.backend.Question(r.Context(), r.PathValue("id"))
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, q)
}

func (h *handler) pastQuestions(w http.ResponseWriter, r *http.Request) {
	past, err := h.backend.Past(r.Context())
	if err != nil {
		answerError(w, err)
		return
	}
	if past == nil {
		past = []wire.Settled{}
	}
	answer(w, http.StatusOK, past)
}

func (h *handler) answerQuestion(w http.ResponseWriter, r *http.Request) {
	var a wire.Answer
	if err := decode(w, r, maxCall, &a); err != nil { // an edited prompt may be long
		answerError(w, err)
		return
	}
	done(w, h.backend.Answer(r.Context(), r.PathValue("id"), a))
}

func (h *handler) denyServer(w http.ResponseWriter, r *http.Request) {
	n, err := h.backend.DenyServer(r.Context(), r.PathValue("name"))
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]int{"denied": n})
}

func (h *handler) hold(on bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { done(w, h.backend.Hold(r.Context(), on)) }
}
