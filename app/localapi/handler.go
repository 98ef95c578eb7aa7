package localapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

const (
	maxBody = 1 << 20  // an entry or a name, with room
	maxCall = 32 << 20 // a tool call, as on the hosts' side
)

// Handler returns the routes over b, for a server of the caller's own. Callers
// that listen use Serve, which also checks who connects.
func Handler(b Backend, log *slog.Logger) http.Handler {
	h := &handler{backend: b, log: log}
	return h.tracked(h.routes())
}

type handler struct {
	backend Backend
	log     *slog.Logger

	mu      sync.Mutex
	ending  bool           // guarded by mu: no request begins any more
	running sync.WaitGroup // requests; added to under mu, waited for by Serve
}

// begin counts a request in, unless Serve is about to return.
func (h *handler) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending {
		return false
	}
	h.running.Add(1)
	return true
}

// wait lets no request begin any more and returns when the last one has ended.
func (h *handler) wait() {
	h.mu.Lock()
	h.ending = true
	h.mu.Unlock()
	h.running.Wait()
}

func (h *handler) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/snapshot", h.snapshot)
	mux.HandleFunc("GET /v1/watch", h.watch)

	mux.HandleFunc("POST /v1/servers", h.addServer)
	mux.HandleFunc("PATCH /v1/servers/{name}", h.editServer)
	mux.HandleFunc("DELETE /v1/servers/{name}", h.removeServer)
	for _, verb := range []string{"start", "stop", "restart"} {
		mux.HandleFunc("POST /v1/servers/{name}/"+verb, h.act(verb))
	}
	mux.HandleFunc("GET /v1/servers/{name}/tools", h.tools)
	mux.HandleFunc("POST /v1/servers/{name}/call", h.call)
	mux.HandleFunc("POST /v1/servers/{name}/request", h.request)
	mux.HandleFunc("GET /v1/servers/{name}/trace", h.trace)
	mux.HandleFunc("GET /v1/servers/{name}/logs", h.logs)
	mux.HandleFunc("GET /v1/logs", h.logs)

	mux.HandleFunc("POST /v1/lines", h.lines)
	mux.HandleFunc("POST /v1/hosts", h.addHost)
	mux.HandleFunc("PATCH /v1/hosts/{name}", h.setHost)
	mux.HandleFunc("DELETE /v1/hosts/{name}", h.removeHost)
	h.applicationRoutes(mux)
	h.addingRoutes(mux)
	h.questionRoutes(mux)
	mux.HandleFunc("POST /v1/show", h.show)
	h.policyRoutes(mux)

	mux.HandleFunc("GET /v1/activity", h.activity)
	mux.HandleFunc("GET /v1/activity/follow", h.followActivity)
	mux.HandleFunc("GET /v1/activity/export", h.exportActivity)
	mux.HandleFunc("GET /v1/activity/verify", h.verifyActivity)
	mux.HandleFunc("/", noRoute)
	return mux
}

// tracked counts requests, and turns a panic of ours into an answer. Limits on
// writing and reading are set where that happens: a call may take long.
func (h *handler) tracked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.begin() {
			panic(http.ErrAbortHandler)
		}
		defer h.running.Done()
		defer func() {
			p := recover()
			if p == http.ErrAbortHandler {
				panic(p) // a stream that was cut off on purpose
			}
			if p != nil {
				h.log.Error("panic in the local API", "err", p, "stack", string(debug.Stack()))
				answerError(w, &wire.Error{Code: wire.CodeInternal, Message: "a bug in Bridgekeeper; its log has the details"})
			}
		}()
		// The connection may come from an earlier request with a limit of its own.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		next.ServeHTTP(w, withSecret(r))
	})
}

func noRoute(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusNotFound, &wire.Error{
		Code:    wire.CodeBadRequest,
		Message: fmt.Sprintf("the local API has no %s %.200s", r.Method, r.URL.Path),
		Hint:    "Client and core may be of different versions: restart the core.",
	})
}

func (h *handler) snapshot(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, h.backend.Snapshot())
}

func (h *handler) addServer(w http.ResponseWriter, r *http.Request) {
	var req wire.AddServer
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.AddServer(r.Context(), req))
}

func (h *handler) editServer(w http.ResponseWriter, r *http.Request) {
	var req wire.EditServer
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.EditServer(r.Context(), r.PathValue("name"), req))
}

func (h *handler) removeServer(w http.ResponseWriter, r *http.Request) {
	done(w, h.backend.RemoveServer(r.Context(), r.PathValue("name")))
}

func (h *handler) act(verb string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		done(w, h.backend.Act(r.Context(), r.PathValue("name"), verb))
	}
}

func (h *handler) tools(w http.ResponseWriter, r *http.Request) {
	tools, err := h.backend.Tools(r.Context(), r.PathValue("name"))
	if err != nil {
		answerError(w, err)
		return
	}
	if tools == nil {
		tools = []wire.Tool{}
	}
	answer(w, http.StatusOK, tools)
}

func (h *handler) call(w http.ResponseWriter, r *http.Request) {
	var req wire.CallTool
	if err := decode(w, r, maxCall, &req); err != nil {
		answerError(w, err)
		return
	}
	result, err := h.backend.Call(r.Context(), r.PathValue("name"), req)
	if err != nil {
		answerError(w, err)
		return
	}
	head(w, http.StatusOK)
	_, _ = w.Write(result) // a caller that went away has no use for an error
}

func (h *handler) request(w http.ResponseWriter, r *http.Request) {
	var req wire.ServerRequest
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	result, err := h.backend.Request(r.Context(), r.PathValue("name"), req)
	if err != nil {
		answerError(w, err)
		return
	}
	head(w, http.StatusOK)
	_, _ = w.Write(result) // a caller that went away has no use for an error
}

func (h *handler) addHost(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Name string `json:"name"`
	}
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	host, err := h.backend.AddHost(r.Context(), req.Name)
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusCreated, host)
}

func (h *handler) setHost(w http.ResponseWriter, r *http.Request) {
	var req wire.EditHost
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.SetHost(r.Context(), r.PathValue("name"), req))
}

func (h *handler) removeHost(w http.ResponseWriter, r *http.Request) {
	done(w, h.backend.RemoveHost(r.Context(), r.PathValue("name")))
}

// logs streams lines as JSON; lines=0 or none means all that are kept.
func (h *handler) logs(w http.ResponseWriter, r *http.Request) {
	lines, follow := 0, false
	var err error
	if text := r.FormValue("lines"); text != "" {
		if lines, err = strconv.Atoi(text); err != nil || lines < 0 {
			answerError(w, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("lines is %.40q: it must be a number from 0", text)})
			return
		}
	}
	if text := r.FormValue("follow"); text != "" {
		if follow, err = strconv.ParseBool(text); err != nil {
			answerError(w, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("follow is %.40q: it must be true or false", text)})
			return
		}
	}
	s := newStream(w)
	err = s.run(r.Context(), func() error {
		return h.backend.Logs(r.Context(), r.PathValue("name"), lines, follow, func(line wire.LogLine) error { return s.send(line) })
	})
	s.end(err)
}

func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Page string `json:"page"`
	}
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	done(w, h.backend.Show(r.Context(), req.Page))
}

// trace streams what goes to and from a server.
func (h *handler) trace(w http.ResponseWriter, r *http.Request) {
	s := newStream(w)
	err := s.run(r.Context(), func() error {
		return h.backend.Trace(r.Context(), r.PathValue("name"), func(l wire.TraceLine) error { return s.send(l) })
	})
	s.end(err)
}

func (h *handler) watch(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("attend") == "true" {
		leave, err := h.backend.Attend(r.Context())
		if err != nil {
			answerError(w, err)
			return
		}
		defer leave()
	}
	s := newStream(w)
	err := s.run(r.Context(), func() error {
		return h.backend.Watch(r.Context(), r.FormValue("glance") == "true", func(e wire.Event) error { return s.send(e) })
	})
	s.end(err)
}
