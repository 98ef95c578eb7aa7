// Package rpc reads and changes JSON-RPC messages without decoding them: it
// scans one message for the few spans that a gateway must know (id, method, a
// name, a token) and splices replacements into the raw bytes. Everything else
// (numbers, key order, unknown members, escapes) passes as it came.
//
// It does no I/O and keeps no state; upstream, directory, translate and httpd
// call it.
package rpc
