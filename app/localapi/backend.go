// Package localapi serves the local API: HTTP over a unix socket (0600), JSON
// bodies, a snapshot first and then a watch stream. It turns requests into
// calls of the interfaces below and errors into wire.Error; it decides nothing.
// The window, the tray and the command line are its clients, through app/client.
package localapi

import (
	"context"
	"io"
	"net"

	"bridgekeeper/app/wire"
)

// Snapshots is where the current state comes from.
type Snapshots interface {
	// Snapshot returns the current state. The value is shared: don't change it.
	Snapshot() *wire.Snapshot
	// Watch calls send with the current snapshot and again after every change,
	// coalesced, until ctx ends or send returns an error.
	// The watcher of a glance has no use for what servers take: nothing is measured for it.
	Watch(ctx context.Context, glance bool, send func(wire.Event) error) error
}

// Servers are the use cases about configured servers. Errors are *wire.Error.
type Servers interface {
	AddServer(ctx context.Context, req wire.AddServer) error
	EditServer(ctx context.Context, name string, req wire.EditServer) error
	RemoveServer(ctx context.Context, name string) error
	// Act performs start, stop or restart and returns when the order is taken,
	// not when it is carried out.
	Act(ctx context.Context, name, verb string) error
}

// Use is what a client does with one server.
type Use interface {
	Tools(ctx context.Context, server string) ([]wire.Tool, error)
	// Call returns the raw JSON of the CallToolResult.
	Call(ctx context.Context, server string, req wire.CallTool) ([]byte, error)
	// Request asks a server what it offers besides tools, and returns the raw result.
	Request(ctx context.Context, server string, req wire.ServerRequest) ([]byte, error)
	// Trace hands each message to and from a server to send, until ctx ends.
	Trace(ctx context.Context, server string, send func(wire.TraceLine) error) error
	// Logs writes the newest lines (0: all kept), oldest first, and, when follow
	// is set, every later one until ctx ends. server "" means all servers.
	Logs(ctx context.Context, server string, lines int, follow bool, send func(wire.LogLine) error) error
}

// Hosts are the AI applications with a token.
type Hosts interface {
	AddHost(ctx context.Context, name string) (*wire.NewHost, error)
	RemoveHost(ctx context.Context, name string) error
	// SetHost changes what is chosen for a host.
	SetHost(ctx context.Context, name string, req wire.EditHost) error
	// Lines admits a host that only starts commands, whose shim is the caller, and
	// returns what serves its connection, to the end. It may wait for a person.
	Lines(ctx context.Context, req wire.Lines) (serve func(ctx context.Context, pipe net.Conn, in io.Reader) error, err error)
}

// Questions are what waits for a person. What a caller may do is the
// implementation's to decide, by CallerOf(ctx).
type Questions interface {
	Question(ctx context.Context, id string) (*wire.Question, error)
	// Past returns the questions that were settled lately, newest last.
	Past(ctx context.Context) ([]wire.Settled, error)
	Answer(ctx context.Context, id string, a wire.Answer) error
	// DenyServer answers no to everything that waits because of one server.
	DenyServer(ctx context.Context, server string) (int, error)
	// Hold denies every call and question from now on, or ends that.
	Hold(ctx context.Context, on bool) error
	// Attend counts the caller among those who can answer until ctx ends.
	Attend(ctx context.Context) (leave func(), err error)
}

// Policy is what decides about calls. Less protection is asked about first: then
// the call returns when a person has answered.
type Policy interface {
	// Explain says what would happen to a call, and why.
	Explain(ctx context.Context, host, server, tool string) (*wire.Explanation, error)
	// Settings returns the config's settings, with keys masked.
	Settings(ctx context.Context) (*wire.Settings, error)
	EditSettings(ctx context.Context, req wire.EditSettings) error
	AddRule(ctx context.Context, rule wire.Rule) error
	// RemoveRule takes the rule at index, counted from 0, away if it is still the
	// expected one.
	RemoveRule(ctx context.Context, index int, expected wire.Rule) error
	// Review asks about a server's new and changed tools, or about what would run,
	// once more, and returns how many questions that were.
	Review(ctx context.Context, server string) (int, error)
}

// Record is the record of calls and decisions. What send is given is its own.
type Record interface {
	// Activity hands the entries that fit to send, newest last. skipped counts
	// lines that can't be read.
	Activity(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) (skipped int, err error)
	// FollowActivity hands the newest entries to send, and then each one as it
	// begins and again, with the same ID, when it has ended, until ctx ends.
	FollowActivity(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) error
	// ExportActivity writes the entries that fit, as jsonl or csv.
	ExportActivity(ctx context.Context, q wire.ActivityQuery, format string, w io.Writer) error
	// VerifyActivity looks whether the record is whole.
	VerifyActivity(ctx context.Context) (*wire.ActivityCheck, error)
}

// Windows are what the person sees of us.
type Windows interface {
	// Show brings the window up at a page; "" is the one it last showed.
	Show(ctx context.Context, page string) error
}

// Backend is everything the API serves.
type Backend interface {
	Snapshots
	Servers
	Use
	Hosts
	Applications
	Adding
	Questions
	Policy
	Windows
	Record
}
