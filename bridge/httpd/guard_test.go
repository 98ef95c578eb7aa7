package httpd

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// A page that rebinds its name to 127.0.0.1 sends no Origin with a GET: the
// Host header alone gives it away.
func TestHost(t *testing.T) {
	d := open(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(d.base, "http://"))
	for host, status := range map[string]int{
		"127.0.0.1:" + port: 400, "localhost:" + port: 400, "LOCALHOST:" + port: 400, "[::1]:" + port: 400,
		"evil.example": 403, "evil.example:" + port: 403, "127.0.0.1": 403, "localhost": 403, "127.0.0.1:1": 403,
		"127.0.0.1.evil.example:" + port: 403, "localhost.:" + port: 403, "127.0.0.2:" + port: 403, "::1": 403,
	} {
		d.want("Host "+host, d.do(d.request("GET", "/mcp", "", "Host: "+host)), status)
		if status == 403 { // before everything else: path, token, method
			d.want("Host "+host, d.do(d.request("PUT", "/nowhere", "", "Host: "+host, "-Authorization")), 403, `"id":null`)
		}
	}
}

func TestOrigin(t *testing.T) {
	d := open(t)
	for origins, status := range map[string]int{
		"": 400, "http://localhost:3000": 400, "https://127.0.0.1": 400, "http://[::1]:80": 400, "HTTP://LOCALHOST": 400,
		"null": 403, "https://evil.example": 403, "http://localhost.evil.example": 403, "http://127.0.0.1@evil.example": 403,
		"file://": 403, "localhost": 403, "http://localhost/": 403, "http://a@localhost": 403, "chrome-extension://abc": 403,
		"http://localhost|https://evil.example": 403, "https://evil.example|http://localhost": 403, " ": 403,
	} {
		r := d.request("GET", "/mcp", "")
		if origins != "" {
			for one := range strings.SplitSeq(origins, "|") {
				r.Header.Add("Origin", strings.TrimSpace(one))
			}
		}
		d.want("Origin "+origins, d.do(r), status)
	}
}

// Hosts start a browser for OAuth at the slightest sign of it.
func TestNoTokenNoOAuth(t *testing.T) {
	d := open(t)
	for _, auth := range []string{"-Authorization", "Authorization: Bearer bad", "Authorization: Basic good", "Authorization: good", "Authorization: Bearer"} {
		for _, path := range []string{"/mcp", "/mcp/", "/servers/rooms/mcp", "/servers/unknown/mcp"} {
			for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
				got := d.do(d.request(method, path, "{}", auth))
				d.want(method+" "+path+" "+auth, got, 401, "bridgekeeper host add")
				if h := got.header.Values("Www-Authenticate"); len(h) != 1 || h[0] != "Bearer" {
					t.Errorf("WWW-Authenticate %q", h)
				}
			}
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/register", "/authorize", "/token", "/", "/mcp/x", "/servers/mcp", "/servers//mcp", "//mcp", "/MCP"} {
		for _, auth := range []string{"-Authorization", "Authorization: Bearer good"} {
			got := d.do(d.request("GET", path, "", auth))
			d.want(path, got, 404)
			if got.header.Get("Www-Authenticate") != "" {
				t.Errorf("%s asks for authorization", path)
			}
		}
	}
	d.want("a server that isn't, with a token", d.do(d.request("GET", "/servers/unknown/mcp", "")), 404)
	d.want("bearer in other case", d.do(d.request("GET", "/mcp", "", "Authorization: bearer  good ")), 400)
}

func TestOpenNeedsNoToken(t *testing.T) {
	d := open(t, func(s *Server) { s.opts.Open = true })
	d.want("open", d.post(initialize("2025-06-18", "{}"), "-Authorization"), 200, `"2025-06-18"`)
	if got := d.Sessions(); got[OpenHost] != 1 {
		t.Errorf("sessions %v", got)
	}
}

func TestMethods(t *testing.T) {
	d := open(t)
	for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE", "HEAD"} {
		got := d.do(d.request(method, "/mcp", ""))
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, POST, DELETE" {
			t.Errorf("%s: HTTP %d, Allow %q", method, got.status, got.header.Get("Allow"))
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: %s lets web pages in", method, name)
			}
		}
	}
}
