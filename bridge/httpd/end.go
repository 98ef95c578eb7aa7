package httpd

import (
	"context"
	"slices"
)

// EndHost ends every session of a host whose token is worthless now.
func (s *Server) EndHost(host string) {
	s.endThose(func(its, _ string) bool { return its == host })
	s.opts.Directory.ForgetHost(host)
}

// EndServers ends what hosts have at the endpoints of servers that are not among
// these any more: their answers would never come, and their streams say nothing.
func (s *Server) EndServers(names []string) {
	s.endThose(func(_, endpoint string) bool { return endpoint != "" && !slices.Contains(names, endpoint) })
}

// endThose ends the sessions, old connections and subscriptions of these hosts and
// endpoints.
func (s *Server) endThose(gone func(host, endpoint string) bool) {
	var sessions []*session
	var old []*oldConn
	var listens []*listener
	s.mu.Lock()
	for _, one := range s.sessions {
		if gone(one.seat.Host, one.seat.Endpoint) {
			sessions = append(sessions, one)
		}
	}
	var lines []*lineConn
	for c := range s.lines {
		if gone(c.host, c.endpoint) {
			lines = append(lines, c)
		}
	}
	for _, o := range s.old {
		if gone(o.host, o.endpoint) {
			old = append(old, o)
		}
	}
	for l := range s.listens {
		if gone(l.host, l.endpoint) {
			listens = append(listens, l)
		}
	}
	s.mu.Unlock()
	for _, l := range listens { // before their streams are closed
		l.goodbye()
	}
	for _, one := range sessions {
		one.end(errSessionEnded) // all at once; giving up subscriptions may take a moment
	}
	for _, o := range old {
		o.stream.close()
	}
	for _, c := range lines {
		c.stream.close()
	}
	for _, one := range sessions {
		s.drop(context.Background(), one, errSessionEnded)
	}
}
