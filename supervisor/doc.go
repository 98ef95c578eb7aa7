// Package supervisor owns the child processes: it starts each configured
// server, watches it, restarts it when it dies and ends its whole process tree.
//
// It knows lines, not MCP, and nothing of hosts, windows or policy. What must
// be said on the lines (handshake, ping, goodbye) comes from above through
// Attach. The app builds one Supervisor and is its only caller.
package supervisor
