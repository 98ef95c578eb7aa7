package bridgetest

import (
	"sync"

	"bridgekeeper/bridge/rpc"
)

// Server answers on the far end of Lines by a table of raw results, so that
// tests decide every byte.
type Server struct {
	*Lines
	mu      sync.Mutex // guards the fields below
	results map[string]string
	handle  map[string]func(*rpc.Message)
	got     map[string]int
	done    chan struct{}
}

// Initialized is an InitializeResult with everything declared.
const Initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{}},"serverInfo":{"name":"fake","version":"1"},"instructions":"Be gentle."}`

// Serve starts a server with these results by method. A method that isn't there
// gets -32601. It ends with the lines.
func Serve(results map[string]string) *Server {
	s := &Server{Lines: NewLines(), results: map[string]string{rpc.Initialize: Initialized, rpc.Ping: "{}"},
		handle: make(map[string]func(*rpc.Message)), got: make(map[string]int), done: make(chan struct{})}
	for method, result := range results {
		s.results[method] = result
	}
	go s.loop()
	return s
}

// Set changes one method's result.
func (s *Server) Set(method, result string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[method] = result
}

// Handle takes a method out of the table: f answers it, or doesn't.
func (s *Server) Handle(method string, f func(*rpc.Message)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle[method] = f
}

// Got returns how many messages of a method came.
func (s *Server) Got(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[method]
}

// Wait returns when the server's goroutine has ended, after End.
func (s *Server) Wait() { <-s.done }

func (s *Server) loop() {
	defer close(s.done)
	for {
		select {
		case <-s.closed:
			return
		case line := <-s.toServer:
			if m, err := rpc.Scan(line); err == nil {
				s.take(&m)
			}
		}
	}
}

func (s *Server) take(m *rpc.Message) {
	method := m.MethodName()
	s.mu.Lock()
	s.got[method]++
	handle, result := s.handle[method], s.results[method]
	s.mu.Unlock()
	switch {
	case handle != nil:
		handle(m)
	case m.Kind() != rpc.Request:
	case result != "":
		s.Reply(m, result)
	default:
		s.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Method not found"}))
	}
}
