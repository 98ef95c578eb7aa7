package localapi

import (
	"net/http"
	"strconv"

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

func (h *handler) policyRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/policy/explain", h.explain)
	mux.HandleFunc("GET /v1/settings", h.settings)
	mux.HandleFunc("PATCH /v1/settings", h.editSettings)
	mux.HandleFunc("POST /v1/rules", h.addRule)
	mux.HandleFunc("DELETE /v1/rules/{index}", h.removeRule)
	mux.HandleFunc("POST /v1/servers/{name}/review", h.review)
}

func (h *handler) explain(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	why, err := h.backend.Explain(r.Context(), q.Get("host"), q.Get("server"), q.Get("tool"))
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, why)
}

func (h *handler) settings(w http.ResponseWriter, r *http.Request) {
	s, err := h.backend.Settings(r.Context())
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, s)
}

func (h *handler) editSettings(w http.ResponseWriter, r *http.Request) {
	var req wire.EditSettings
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.EditSettings(r.Context(), req))
}

func (h *handler) addRule(w http.ResponseWriter, r *http.Request) {
	var rule wire.Rule
	if err := decode(w, r, maxBody, &rule); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.AddRule(r.Context(), rule))
}

func (h *handler) removeRule(w http.ResponseWriter, r *http.Request) {
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil {
		answerError(w, &wire.Error{Code: wire.CodeBadRequest, Message: "the number of a rule must be a number"})
		return
	}
	var expected wire.Rule
	if err := decode(w, r, maxBody, &expected); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.RemoveRule(r.Context(), index, expected))
}

// review asks about a server's new and changed tools again.
func (h *handler) review(w http.ResponseWriter, r *http.Request) {
	n, err := h.backend.Review(r.Context(), r.PathValue("name"))
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]int{"asked": n})
}
