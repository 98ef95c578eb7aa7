package draft

import (
	"strings"

	"bridgekeeper/app/wire"
	"bridgekeeper/keychain"
)

// McpRemote is the program that connects to servers on the net until we do it
// ourselves: a package of npm, in the version that was tried here.
const McpRemote = "mcp-remote@0.15.1"

// Transport is how mcp-remote speaks to a server.
type Transport string

const (
	HTTP      Transport = "http-only"
	SSE       Transport = "sse-only"   // servers of before 2025-03
	HTTPFirst Transport = "http-first" // what is said of it may be out of date
)

// TransportOf is how to speak to a server that is said to speak SSE, or not: the
// label is often older than the server.
func TransportOf(sse bool, address string) Transport {
	switch path := strings.TrimRight(withoutQuery(address), "/"); {
	case !sse:
		return HTTP
	case strings.HasSuffix(path, "/mcp"):
		return HTTPFirst
	}
	return SSE
}

// Header is one that a server on the net is sent.
type Header struct {
	Name     string
	Value    Text
	Optional bool // left out when an input in it has no value
}

// Remote makes d start mcp-remote for the server at address. Headers' values go
// through the environment: a command line can be read by everybody.
func (d *Draft) Remote(address Text, headers []Header, by Transport) {
	d.Install, d.Package, d.Pinned, d.Command = wire.InstallRemote, "", true, "npx"
	d.URL = withoutQuery(address.String())
	d.Args = append(Literals("-y", McpRemote), Arg{Value: address})
	d.Args = append(d.Args, Literals("--transport", string(by))...)
	if at := address.String(); strings.HasPrefix(at, "http://") {
		d.Args = append(d.Args, Literals("--allow-http")...)
		if !loopback(at) {
			d.Warn("Its address is plain http: what goes there can be read on the way.")
		}
	}
	for _, h := range headers {
		variable := "HEADER_" + keychain.UpperName(h.Name)
		d.Env = append(d.Env, Var{Name: variable, Value: h.Value, Optional: h.Optional})
		d.Args = append(d.Args, Arg{Flag: "--header", Value: Literal(h.Name + ":${" + variable + "}"), With: variable})
	}
	d.Needs = []string{"npx"}
}

func loopback(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	for _, own := range []string{"127.0.0.1", "localhost", "[::1]"} {
		if host == own || strings.HasPrefix(host, own+":") {
			return true
		}
	}
	return false
}

// withoutQuery is an address without what may be secret in it.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}
