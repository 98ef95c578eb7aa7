package app

import (
	"maps"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/config"
	"bridgekeeper/app/hosts"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/httpd"
	"bridgekeeper/supervisor"
)

// Snapshot builds what clients show (localapi.Snapshots).
func (a *App) Snapshot() *wire.Snapshot {
	seq := a.news.count()
	view := a.dir.View()
	conf := a.config.Current()
	sessions := a.door.Sessions()
	snap := &wire.Snapshot{Seq: seq, Core: a.core(), Config: wire.Config{Path: a.config.Path()}}
	if p := a.config.Problem(); p != nil {
		e := p.Error
		snap.Config.Error, snap.Config.Line, snap.Config.Col = &e, p.Line, p.Col
	}
	for _, n := range sessions {
		snap.Core.Sessions += n
	}
	snap.Core.Warnings = slices.Concat(a.warnings, conf.Warnings, view.Warnings, a.oddInstructions(view))
	for _, name := range slices.Sorted(maps.Keys(conf.Problems)) {
		snap.Core.Warnings = append(snap.Core.Warnings, "server "+name+": "+conf.Problems[name].Message)
	}
	shared, scoped := make(map[string]supervisor.Status), make(map[string][]wire.Instance)
	for _, st := range a.sup.Statuses() {
		if st.Key.Scope == "" {
			shared[st.Key.Server] = st
		} else {
			scoped[st.Key.Server] = append(scoped[st.Key.Server], wire.Instance{Scope: st.Key.Scope, State: string(st.State), PID: st.PID})
		}
	}
	snap.Servers = make([]wire.Server, 0, len(conf.Servers))
	for _, s := range conf.Servers {
		one := a.wireServer(s, shared[s.Name], view.Server(s.Name))
		one.Instances = scoped[s.Name]
		a.metrics.of(&one, time.Now())
		snap.Servers = append(snap.Servers, one)
	}
	snap.Hosts = a.wireHosts(sessions)
	snap.Questions = a.queue.Open()
	return snap
}

func (a *App) wireServer(s config.Server, st supervisor.Status, seen *directory.Server) wire.Server {
	out := wire.Server{
		Name: s.Name, Entry: s.Entry.Masked(), URL: strings.TrimSuffix(a.url, "/mcp") + "/servers/" + s.Name + "/mcp",
		State: string(st.State), Phase: string(st.Phase), PID: st.PID, Gen: st.Gen, Since: st.Since, Started: st.Started,
		Restarts: st.Restarts, NextTry: st.NextTry, Strays: st.Strays,
	}
	if out.State == "" {
		out.State = string(supervisor.Stopped) // added a moment ago
	}
	if x := st.LastExit; x != nil {
		out.LastExit = &wire.Exit{At: x.At, Code: x.Code, Signal: x.Signal, Reason: x.Reason, Stderr: x.Stderr, Stray: x.Stray}
	}
	if seen == nil {
		return out
	}
	out.Tools, out.Prompts, out.Resources = len(seen.Tools), seen.Prompts, seen.Resources
	if info := seen.Info; info != nil {
		out.Era, out.Protocol, out.Version = string(info.Era), info.Version, info.Text("version")
		if out.Title = info.Text("title"); out.Title == "" {
			out.Title = info.Text("name")
		}
	}
	return out
}

func (a *App) wireHosts(sessions map[string]int) []wire.Host {
	list := a.hosts.List()
	if a.opts.Open {
		list = append(slices.Clone(list), hosts.Host{Name: httpd.OpenHost, Created: a.started})
	}
	terms := a.config.Current().Settings.Masked().Hosts
	out := make([]wire.Host, 0, len(list))
	for _, h := range list {
		one := a.seen.of(h.Name)
		out = append(out, wire.Host{Name: h.Name, Created: h.Created, LastSeen: one.last.Truncate(time.Second), Client: one.client,
			Protocol: one.protocol, Sessions: sessions[h.Name], Calls: one.calls, Terms: terms[h.Name]})
	}
	slices.SortFunc(out, func(x, y wire.Host) int { return strings.Compare(x.Name, y.Name) })
	return out
}

func (a *App) status(name string) (supervisor.Status, bool) {
	for _, st := range a.sup.Statuses() {
		if st.Key == (supervisor.Key{Server: name}) {
			return st, true
		}
	}
	return supervisor.Status{}, false
}
