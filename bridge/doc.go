// Package bridge holds everything that speaks MCP: rpc (raw JSON-RPC),
// upstream (the client side of one server), directory (names and merged
// lists), httpd (the hosts' side) and translate (between the eras). The folder
// itself has no code; the app wires the parts.
package bridge
