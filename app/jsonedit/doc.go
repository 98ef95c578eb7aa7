// Package jsonedit changes JSON with comments by splices of its text, so that
// what a change doesn't name stays as the person wrote it, byte for byte.
//
// It owns no file and no state, and doesn't know what a text is about. app/config
// edits our own file with it, app/hostcfg those of hosts.
package jsonedit
