// Package localapitest has a Backend for tests: a few servers and hosts in
// memory, and no process. Tests of the local API, its client and the command
// line share it.
package localapitest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

// Fake is a localapi.Backend. mu guards all that follows it.
type Fake struct {
	mu       sync.Mutex
	snap     wire.Snapshot
	entries  map[string]wire.Entry // with the real values
	changed  chan struct{}         // closed and replaced at every change
	lines    map[string][]wire.LogLine
	acts     []string
	hanging  int // calls of the tool that hangs
	past     []wire.Settled
	answers  []wire.Answer
	settings wire.Settings
	records  []wire.Activity // begins and ends, in their order
	check    wire.ActivityCheck
	skipped  int // lines of the record that can't be read
	queries  []wire.ActivityQuery
}

// Hanging counts the calls of the tool "hangs" that are in flight.
func (f *Fake) Hanging() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hanging
}

func (f *Fake) hang(ctx context.Context) {
	f.count(1)
	defer f.count(-1)
	<-ctx.Done()
}

func (f *Fake) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hanging += n
}

// New returns a backend without servers and hosts.
func New() *Fake {
	f := &Fake{entries: map[string]wire.Entry{}, changed: make(chan struct{}), lines: map[string][]wire.LogLine{}}
	f.snap = wire.Snapshot{
		Core: wire.Core{Version: "1.2.3", PID: 4242, Started: time.Now().Add(-3*time.Hour - time.Minute),
			URL: "http://127.0.0.1:2734/mcp", Answers: "deny"},
		Servers: []wire.Server{},
		Hosts:   []wire.Host{},
	}
	return f
}

// Update changes the snapshot and tells every watcher.
func (f *Fake) Update(change func(*wire.Snapshot)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updateLocked(change)
}

func (f *Fake) updateLocked(change func(*wire.Snapshot)) {
	next := f.snap
	next.Servers, next.Hosts = slices.Clone(next.Servers), slices.Clone(next.Hosts)
	change(&next)
	next.Seq++
	f.snap = next
	close(f.changed)
	f.changed = make(chan struct{})
}

// Say adds a line to a server's log.
func (f *Fake) Say(server, source, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seq := uint64(len(f.lines[server]) + 1)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	f.lines[server] = append(f.lines[server], wire.LogLine{Seq: seq, Time: at, Server: server, Source: source, Text: text})
	close(f.changed)
	f.changed = make(chan struct{})
}

// Acts returns the orders so far, as "verb name".
func (f *Fake) Acts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.acts)
}

// Entry returns an entry with the real values of its variables.
func (f *Fake) Entry(name string) (wire.Entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.entries[name]
	return e, ok
}

// Snapshot implements localapi.Snapshots.
func (f *Fake) Snapshot() *wire.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.snap
	return &s
}

// Watch implements localapi.Snapshots.
func (f *Fake) Watch(ctx context.Context, _ bool, send func(wire.Event) error) error {
	for {
		f.mu.Lock()
		s, changed := f.snap, f.changed
		f.mu.Unlock()
		if err := send(wire.Event{Snapshot: &s}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// AddServer implements localapi.Servers.
func (f *Fake) AddServer(_ context.Context, req wire.AddServer) error {
	if err := wire.CheckName("server", req.Name); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.entries[req.Name]; taken {
		return &wire.Error{Code: wire.CodeServerExists, Message: fmt.Sprintf("there is a server %q already", req.Name)}
	}
	f.entries[req.Name] = req.Entry
	f.updateLocked(func(s *wire.Snapshot) {
		server := wire.Server{Name: req.Name, Entry: req.Entry.Masked(), State: "ready", PID: 100 + len(s.Servers), Tools: 2}
		s.Servers = append(s.Servers, server)
	})
	return nil
}

// EditServer implements localapi.Servers; it checks nothing.
func (f *Fake) EditServer(_ context.Context, name string, req wire.EditServer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.entries[name]
	if !ok {
		return noServer(name)
	}
	set(&e.Command, req.Command)
	set(&e.Args, req.Args)
	set(&e.Cwd, req.Cwd)
	set(&e.Disabled, req.Disabled)
	set(&e.Start, req.Start)
	set(&e.IdleStop, req.IdleStop)
	set(&e.Sharing, req.Sharing)
	set(&e.Era, req.Era)
	set(&e.MaxLine, req.MaxLine)
	set(&e.Ask, req.Ask)
	set(&e.Off, req.Off)
	set(&e.Trust, req.Trust)
	set(&e.Changes, req.Changes)
	set(&e.Roots, req.Roots)
	if req.Limits != nil {
		e.Limits = req.Limits
	}
	if req.Sampling != nil {
		e.Sampling = req.Sampling
	}
	e.Env = maps.Clone(e.Env)
	for name, value := range req.Env {
		if value == nil {
			delete(e.Env, name)
			continue
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = *value
	}
	f.entries[name] = e
	f.updateLocked(func(s *wire.Snapshot) {
		i := slices.IndexFunc(s.Servers, func(s wire.Server) bool { return s.Name == name })
		s.Servers[i].Entry = e.Masked()
	})
	return nil
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// RemoveServer implements localapi.Servers.
func (f *Fake) RemoveServer(_ context.Context, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.entries[name]; !ok {
		return noServer(name)
	}
	delete(f.entries, name)
	f.updateLocked(func(s *wire.Snapshot) {
		s.Servers = slices.DeleteFunc(s.Servers, func(s wire.Server) bool { return s.Name == name })
	})
	return nil
}

// Act implements localapi.Servers.
func (f *Fake) Act(_ context.Context, name, verb string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.entries[name]; !ok {
		return noServer(name)
	}
	f.acts = append(f.acts, verb+" "+name)
	return nil
}

// Tools implements localapi.Use.
func (f *Fake) Tools(_ context.Context, server string) ([]wire.Tool, error) {
	if _, ok := f.Entry(server); !ok {
		return nil, noServer(server)
	}
	return []wire.Tool{
		{Name: "echo", Seen: server + "__echo", ReadOnly: true, Definition: json.RawMessage(`{"name":"echo","description":"Says it again.\nTwice."}`)},
		{Name: "reboot", Seen: server + "__reboot", Limited: "from old hosts: its results are lists", Definition: json.RawMessage(`{"name":"reboot"}`)},
		{Name: "odd", Hidden: "its inputSchema is no object", Definition: json.RawMessage(`{"name":"odd","inputSchema":5}`)},
	}, nil
}

// Call implements localapi.Use: echo returns its arguments as text, raw returns
// its argument "result" as the result, and there is a tool for each other outcome.
func (f *Fake) Call(ctx context.Context, server string, req wire.CallTool) ([]byte, error) {
	if _, ok := f.Entry(server); !ok {
		return nil, noServer(server)
	}
	switch req.Tool {
	case "echo":
		text, _ := json.Marshal(string(req.Arguments))
		return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"big":12345678901234567890}`, text), nil
	case "raw":
		var args struct{ Result json.RawMessage }
		err := json.Unmarshal(req.Arguments, &args)
		return args.Result, err
	case "fails":
		return []byte(`{"content":[{"type":"text","text":"no such room"}],"isError":true}`), nil
	case "reboot":
		return nil, &wire.Error{Code: wire.CodeDenied, Message: "reboot was denied", Hint: "Nobody could be asked."}
	case "rpc":
		return nil, &wire.Error{Code: wire.CodeRPC, Message: "the server answered error -32602: bad params"}
	case "hangs":
		f.hang(ctx)
		return nil, ctx.Err()
	case "panics":
		panic("a bug")
	}
	return nil, &wire.Error{Code: wire.CodeNoSuchTool, Message: fmt.Sprintf("%q has no tool %q", server, req.Tool)}
}

// Logs implements localapi.Use.
func (f *Fake) Logs(ctx context.Context, server string, lines int, follow bool, send func(wire.LogLine) error) error {
	if _, ok := f.Entry(server); !ok && server != "" {
		return noServer(server)
	}
	sent := 0
	for first := true; ; first = false {
		f.mu.Lock()
		var all []wire.LogLine
		for _, name := range slices.Sorted(maps.Keys(f.lines)) {
			if server == "" || name == server {
				all = append(all, f.lines[name]...)
			}
		}
		changed := f.changed
		f.mu.Unlock()
		if first && lines > 0 {
			sent = max(0, len(all)-lines)
		}
		for ; sent < len(all); sent++ {
			if err := send(all[sent]); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// AddHost implements localapi.Hosts.
func (f *Fake) AddHost(_ context.Context, name string) (*wire.NewHost, error) {
	if err := wire.CheckName("host", name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.snap.Hosts, func(h wire.Host) bool { return h.Name == name }) {
		return nil, &wire.Error{Code: wire.CodeHostExists, Message: fmt.Sprintf("there is a host %q already", name)}
	}
	f.updateLocked(func(s *wire.Snapshot) {
		s.Hosts = append(s.Hosts, wire.Host{Name: name, Created: time.Now().Add(-2*time.Hour - time.Minute)})
	})
	return &wire.NewHost{Name: name, Token: "bk_token-of-" + name, URL: f.snap.Core.URL}, nil
}

// SetHost implements localapi.Hosts.
func (f *Fake) SetHost(_ context.Context, name string, req wire.EditHost) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.snap.Hosts, func(h wire.Host) bool { return h.Name == name })
	if i < 0 {
		return &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("there is no host %q", name)}
	}
	f.updateLocked(func(s *wire.Snapshot) { s.Hosts[i].Terms = req.Apply(s.Hosts[i].Terms) })
	return nil
}

// RemoveHost implements localapi.Hosts.
func (f *Fake) RemoveHost(_ context.Context, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.snap.Hosts)
	f.updateLocked(func(s *wire.Snapshot) {
		s.Hosts = slices.DeleteFunc(s.Hosts, func(h wire.Host) bool { return h.Name == name })
	})
	if len(f.snap.Hosts) == n {
		return &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("there is no host %q", name)}
	}
	return nil
}

func noServer(name string) *wire.Error {
	return &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("there is no server %q", name),
		Hint: "`bridgekeeper server list` shows their names."}
}
