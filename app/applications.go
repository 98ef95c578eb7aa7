package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"bridgekeeper/app/hostcfg"
	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/wire"
)

// Applications lists those that are known, with what became of our entries.
func (a *App) Applications(context.Context) ([]wire.Application, error) {
	standing, err := a.files.LookAll()
	if err != nil {
		return nil, err
	}
	var list []wire.Application
	for _, d := range a.files.Machine().Detect() {
		one := wire.Application{Name: d.Host.Name, Title: d.Host.Title, Installed: d.Installed, Way: string(d.Host.Way), File: d.Target}
		for _, f := range d.Files {
			one.Servers += f.Servers
			if f.Error != "" {
				one.Text = f.Path + ": " + f.Error
			}
		}
		for _, st := range standing {
			if st.Host.Name == one.Name {
				one.State, one.Text, one.File = string(st.State), cmp.Or(st.Text, one.Text), cmp.Or(st.Path, one.File)
			}
		}
		list = append(list, one)
	}
	for _, h := range a.wireHosts(a.door.Sessions()) {
		i := slices.IndexFunc(list, func(one wire.Application) bool { return one.Name == h.Name })
		if i < 0 { // a person gave it a name of their own
			list, i = append(list, wire.Application{Name: h.Name, Title: h.Name, Way: string(known.Manual)}), len(list)
		}
		list[i].Host = &h
	}
	return list, nil
}

// EditApplication writes our entry into an application's file, or takes it out
// again. The application gets a token of its own where its entry has a URL.
func (a *App) EditApplication(ctx context.Context, name, verb string, req wire.EditApplication) (*wire.EditedApplication, error) {
	if !req.DryRun && !a.ownHand(ctx) {
		return nil, &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can change applications' files.",
			Hint: fmt.Sprintf("Use `bridgekeeper host %s %s` in a terminal of your own.", verb, name)}
	}
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	switch verb {
	case wire.VerbConnect, wire.VerbRepair:
		if h, ok := known.Find(name); ok && h.Way == known.Manual {
			return a.textFor(h, req.DryRun)
		}
		return a.connectApplication(name, verb, req.DryRun)
	case wire.VerbDisconnect, wire.VerbUndo:
		if h, ok := known.Find(name); ok && h.Way == known.Manual && !req.DryRun {
			return &wire.EditedApplication{Name: h.Name, Title: h.Title, Changed: true, Reload: "Its token is worthless now. The entry in " + h.Title + " is yours to take out."}, a.RemoveHost(ctx, name)
		}
		return a.disconnectApplication(ctx, name, verb, req.DryRun)
	}
	return nil, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("%.40q is nothing that can be done to an application.", verb)}
}

func (a *App) connectApplication(name, verb string, dry bool) (*wire.EditedApplication, error) {
	st, err := a.files.Look(name)
	if err != nil {
		return nil, err
	}
	switch {
	case st.State == hostcfg.Connected && a.knowsHost(name):
		return edited(st.Host, &hostcfg.Plan{Path: st.Path}), nil
	case verb == wire.VerbRepair && st.Since.ID == "":
		return nil, &wire.Error{Code: wire.CodeNotConnected, Message: st.Host.Title + " was never connected.", Hint: fmt.Sprintf("`bridgekeeper host connect %s` does it.", name)}
	}
	endpoint := known.Endpoint{Name: hostcfg.EntryName, URL: a.url}
	endpoint.Command, endpoint.Args = shimCommand(name)
	if dry {
		endpoint.Token = "bk_…"
		p, err := a.files.PlanConnect(hostcfg.Connect{Host: name, Endpoint: endpoint})
		if err != nil {
			return nil, err
		}
		return edited(st.Host, p), nil
	}
	token, back, err := a.tokenFor(name)
	if err != nil {
		return nil, err
	}
	endpoint.Token = token
	p, err := a.files.PlanConnect(hostcfg.Connect{Host: name, Endpoint: endpoint})
	if err == nil {
		_, err = a.files.Apply(p)
	}
	if err != nil {
		if undone := back(); undone != nil {
			a.opts.Log.Warn("a token that nobody has wasn't taken back", "host", name, "err", undone)
		}
		return nil, err
	}
	a.note("connected " + st.Host.Title + " by its file " + p.Path)
	a.news.poke()
	return edited(st.Host, p), nil
}

// textFor is what a person enters into an application that has no file for it.
func (a *App) textFor(h *known.Host, dry bool) (*wire.EditedApplication, error) {
	endpoint := known.Endpoint{Name: hostcfg.EntryName, URL: a.url, Token: "bk_…"}
	endpoint.Command, endpoint.Args = shimCommand(h.Name)
	e := &wire.EditedApplication{Name: h.Name, Title: h.Title}
	if h.Note != "" {
		e.Warnings = append(e.Warnings, h.Note)
	}
	if !dry {
		if a.knowsHost(h.Name) {
			e.Warnings = append(e.Warnings, "It has a new token now: what was entered before doesn't work any more.")
		}
		token, _, err := a.tokenFor(h.Name)
		if err != nil {
			return nil, err
		}
		endpoint.Token, e.Changed = token, true
		a.news.poke()
	}
	for _, one := range h.Text(endpoint) {
		e.Paste = append(e.Paste, wire.Paste(one))
	}
	return e, nil
}

// tokenFor gives a host a token, and a way back to what was before.
func (a *App) tokenFor(name string) (token string, back func() error, err error) {
	token, err = a.hosts.Add(name)
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Code == wire.CodeHostExists {
		return a.hosts.Renew(name)
	}
	return token, func() error { return a.hosts.Remove(name) }, err
}

// shimCommand is what starts the shim: the small program where it lies beside us.
func shimCommand(host string) (command string, args []string) {
	own, err := os.Executable()
	if err != nil {
		own = "bridgekeeper"
	}
	beside := filepath.Join(filepath.Dir(own), ShimProgram+filepath.Ext(own))
	if _, err := os.Stat(beside); err == nil {
		return beside, []string{"--host", host}
	}
	return own, []string{"stdio", "--host", host}
}

func (a *App) disconnectApplication(ctx context.Context, name, verb string, dry bool) (*wire.EditedApplication, error) {
	plan := a.files.PlanDisconnect
	if verb == wire.VerbUndo {
		plan = a.files.PlanUndo
	}
	p, err := plan(name)
	if err != nil {
		return nil, err
	}
	if dry {
		return edited(p.Host, p), nil
	}
	if _, err := a.files.Apply(p); err != nil {
		return nil, err
	}
	a.note("disconnected " + p.Host.Title + " by its file " + p.Path)
	if err := a.RemoveHost(ctx, name); err != nil {
		if e := wire.AsError(err); e.Code != wire.CodeNoSuchHost {
			return nil, err
		}
	}
	a.news.poke()
	return edited(p.Host, p), nil
}

func edited(h *known.Host, p *hostcfg.Plan) *wire.EditedApplication {
	e := &wire.EditedApplication{Name: h.Name, Title: h.Title, File: p.Path, Changed: p.Changes(), Warnings: p.Warnings}
	if e.Changed {
		e.Diff, e.Reload, e.Check = p.Diff(), h.Reload, h.Check
	}
	return e
}
