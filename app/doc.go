// Package app is the core: it builds every part, wires them and holds the use
// cases behind the local API. It owns the one-instance lock, the order of
// starting and stopping, and the glue between the supervisor and the bridge,
// which don't know each other.
//
// It has no user interface; main calls Serve, and every client comes through
// app/localapi.
package app
