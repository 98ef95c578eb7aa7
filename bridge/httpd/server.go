package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"bridgekeeper/bridge/directory"
)

// Tokens tells whose token it is.
type Tokens interface {
	Identify(token string) (host string, ok bool)
}

// Options are what a Server is built with.
type Options struct {
	Directory *directory.Directory
	Tokens    Tokens
	Open      bool // no token is asked for; the host is then called OpenHost
	Log       *slog.Logger
	// LegacySSE serves the HTTP+SSE transport of 2024-11-05, too, at /sse and
	// /servers/NAME/sse.
	LegacySSE func() bool
	// Seen is told of every host that opens a session or, on the modern wire,
	// makes a request; client is its own name and version, maybe "".
	Seen func(host, client, protocol string)
}

// OpenHost is the host's name where no token is asked for.
const OpenHost = "open"

// Times and bounds of the door.
const (
	maxBody        = 32 << 20 // as hosts' own limits; a larger call is a mistake
	headerTimeout  = 10 * time.Second
	readTimeout    = 60 * time.Second // a request's way in; lifted by net/http once the body is read
	idleTimeout    = 5 * time.Minute
	shutdownGrace  = 2 * time.Second
	maxHeaderBytes = 64 << 10
)

// Server answers hosts.
type Server struct {
	opts      Options
	port      string        // of the listener, for the Host check
	keepAlive time.Duration // constant; tests shorten it
	beat      time.Duration // likewise

	mu       sync.Mutex          // guards the fields below
	sessions map[string]*session // by id
	old      map[string]*oldConn // likewise: connections of the old transport
	lines    map[*lineConn]struct{}
	listens  map[*listener]struct{}
	stopping bool
}

// New returns a Server for a listener on the given TCP port.
func New(port string, opts Options) *Server {
	return &Server{opts: opts, port: port, keepAlive: keepAlive, beat: heartbeat, sessions: make(map[string]*session),
		old: make(map[string]*oldConn), lines: make(map[*lineConn]struct{}), listens: make(map[*listener]struct{})}
}

// Run serves ln until ctx ends; then calls in flight are cancelled, streams
// are closed and the listener is, too.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	// Requests end after the note that we are stopping, so that none of them takes
	// it for its host's leaving.
	base, endBase := context.WithCancel(context.WithoutCancel(ctx))
	defer endBase()
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers.Go(func() { s.expire(ctx) })
	workers.Go(func() {
		<-ctx.Done()
		s.endAll()
		endBase()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		if hs.Shutdown(grace) != nil {
			hs.Close() // those who still hang are cut off
		}
	})
	if err := hs.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Sessions returns how many legacy sessions each host has open.
func (s *Server) Sessions() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := make(map[string]int)
	for _, one := range s.sessions {
		count[one.seat.Host]++
	}
	return count
}

// ServeHTTP takes a request through the guard to its method.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.guardOrigin(w, r) {
		return
	}
	endpoint, old, ok := parsePath(r.URL.Path)
	if !ok {
		// Also /.well-known/*, /register and the like: there is no OAuth here.
		refuse(w, http.StatusNotFound, "There is nothing at this address; the MCP endpoint is /mcp.")
		return
	}
	host, ok := s.guardToken(w, r)
	if !ok {
		return
	}
	switch {
	case old && (s.opts.LegacySSE == nil || !s.opts.LegacySSE()):
		refuse(w, http.StatusNotFound, "The HTTP+SSE transport of 2024-11-05 is not served here; use /mcp, or start bridgekeeper with `serve --legacy-sse`.")
	case endpoint != "" && s.opts.Directory.View().Server(endpoint) == nil:
		refuse(w, http.StatusNotFound, "There is no server of this name.") // whoever has no token doesn't learn which there are
	case old:
		s.serveOld(w, r, host, endpoint)
	default:
		s.serve(w, r, host, endpoint)
	}
}

// serve takes a request to its method, on the transport of all revisions since
// 2025-03-26; older hosts that know it are welcome.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	switch r.Method {
	case http.MethodPost:
		s.post(w, r, host, endpoint)
	case http.MethodGet:
		s.get(w, r, host, endpoint)
	case http.MethodDelete:
		s.delete(w, r, host, endpoint)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "MCP uses POST, GET and DELETE.")
	}
}

// serveOld does the same on the transport of 2024-11-05.
func (s *Server) serveOld(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	switch r.Method {
	case http.MethodGet:
		s.getOld(w, r, host, endpoint)
	case http.MethodPost:
		s.postOld(w, r, host, endpoint)
	default:
		w.Header().Set("Allow", "GET, POST")
		refuse(w, http.StatusMethodNotAllowed, "The HTTP+SSE transport uses GET and POST.")
	}
}

// parsePath maps a path to what it serves: "" for the merged endpoint, else a
// server's name; old is the transport of 2024-11-05.
func parsePath(path string) (name string, old, ok bool) {
	path = strings.TrimSuffix(path, "/")
	switch path {
	case "/mcp":
		return "", false, true
	case "/sse":
		return "", true, true
	}
	if name, ok = strings.CutPrefix(path, "/servers/"); !ok {
		return "", false, false
	}
	if name, ok = strings.CutSuffix(name, "/sse"); ok {
		return name, true, name != ""
	}
	name, ok = strings.CutSuffix(name, "/mcp")
	return name, false, ok && name != ""
}
