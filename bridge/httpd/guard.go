package httpd

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bridgekeeper/bridge/rpc"
)

// guardOrigin keeps web pages out: the Host header first (a rebinding page's
// same-origin GET carries no Origin), then Origin. (transports, "Security
// Warning")
func (s *Server) guardOrigin(w http.ResponseWriter, r *http.Request) bool {
	if !s.ownHost(r.Host) {
		refuse(w, http.StatusForbidden, "This endpoint answers requests to 127.0.0.1 or localhost only; the Host header names something else.")
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if !loopbackOrigin(origin) {
			refuse(w, http.StatusForbidden, "Requests from web pages are refused: the Origin header names something that isn't on this computer.")
			return false
		}
	}
	return true
}

func (s *Server) ownHost(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	return err == nil && port == s.port && loopbackName(host)
}

func loopbackName(host string) bool {
	return host == "127.0.0.1" || host == "::1" || strings.EqualFold(host, "localhost")
}

func loopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && loopbackName(u.Hostname()) &&
		u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

// guardToken finds the host by its bearer token.
func (s *Server) guardToken(w http.ResponseWriter, r *http.Request) (host string, ok bool) {
	if s.opts.Open {
		return OpenHost, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") {
		if host, ok = s.opts.Tokens.Identify(strings.TrimSpace(token)); ok {
			return host, true
		}
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuse(w, http.StatusUnauthorized, "This host has no valid token. Run `bridgekeeper host add NAME` and put the token it prints into the host's configuration as \"Authorization: Bearer TOKEN\".")
	return "", false
}

// refuse answers with an HTTP error whose body is a JSON-RPC error without an
// id; its code is the HTTP status, outside of the ranges that JSON-RPC and MCP
// reserve.
func refuse(w http.ResponseWriter, status int, sentence string) {
	fail(w, status, nil, &rpc.Error{Code: status, Message: sentence})
}

// fail answers with an HTTP error and a JSON-RPC error for the raw id.
func fail(w http.ResponseWriter, status int, id []byte, e *rpc.Error) {
	body := rpc.AppendError(nil, id, e)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // the host is gone when it fails: nobody to tell
}
