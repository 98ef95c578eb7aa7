// Package upstream is the client side: one Session with one running server
// instance, in either era. It owns the ids and progress tokens of that wire,
// matches replies to calls, and answers what the server may ask of any client.
//
// It never starts or ends processes (the supervisor does), knows no hosts and
// no merged names (the directory does). The app opens a Session on the lines
// of every start; directory calls it.
package upstream
