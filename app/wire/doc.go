// Package wire is the vocabulary that leaves the process through the local
// API: snapshots, notices, requests and errors. Values are explicit strings and
// plain structs; it imports the standard library only, so that every client
// (window, tray, command line) can share it.
package wire
