package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/config"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
)

// reviews are the questions about commands and tools that a person hasn't seen.
// They are asked once each, when somebody is there, and again when a person
// wishes that or what is asked about changes. Its loop owns it but for mu's fields.
type reviews struct {
	app     *App
	waiting sync.WaitGroup // for questions

	mu   sync.Mutex // guards the fields below
	open map[reviewKey]review
	done map[reviewKey]string           // what was refused, by its fingerprint
	was  map[string]*wire.CommandDetail // what a person had allowed to run before, by server
}

// reviewKey names what is looked at; tool is "" for a server's command.
type reviewKey struct{ server, tool string }

type review struct {
	print  string // of what is asked about
	cancel context.CancelCauseFunc
}

// maxReviews bounds the questions about one server's tools that are open at once:
// the others follow as these are answered.
const maxReviews = 4

var (
	errMoved    = errors.New("it has changed again")
	errNoServer = errors.New("it is no longer there")
)

func newReviews(a *App) *reviews {
	return &reviews{app: a, open: make(map[reviewKey]review), done: make(map[reviewKey]string), was: make(map[string]*wire.CommandDetail)}
}

// due is one thing that a person should look at.
type due struct {
	key   reviewKey
	print string
	ask   func() *ask.Ask
	yes   func() error
}

// run asks what is due after every change, until ctx ends.
func (r *reviews) run(ctx context.Context) error {
	defer r.waiting.Wait()
	for {
		changed := r.app.news.next()
		r.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// look compares what is due with what is asked.
func (r *reviews) look(ctx context.Context) {
	conf := r.app.config.Current()
	r.app.pinNew(conf)
	all := r.due(conf)
	attended := r.app.queue.Attended()
	r.mu.Lock()
	defer r.mu.Unlock()
	prints := make(map[reviewKey]string, len(all))
	for _, d := range all {
		prints[d.key] = d.print
	}
	count := make(map[string]int)
	for key, one := range r.open {
		switch print, ok := prints[key]; {
		case !ok:
			one.cancel(errNoServer)
		case print != one.print:
			one.cancel(errMoved)
		default:
			count[key.server]++
		}
	}
	for _, d := range all {
		if _, asked := r.open[d.key]; asked || !attended || r.done[d.key] == d.print || count[d.key.server] >= maxReviews {
			continue
		}
		count[d.key.server]++
		r.askLocked(ctx, d)
	}
}

func (r *reviews) askLocked(ctx context.Context, d due) {
	asked, cancel := context.WithCancelCause(ctx)
	r.open[d.key] = review{d.print, cancel}
	r.waiting.Go(func() {
		defer cancel(nil)
		o := r.app.queue.Ask(asked, d.ask())
		r.mu.Lock()
		delete(r.open, d.key)
		if o.End == ask.Answered || o.End == ask.Expired {
			r.done[d.key] = d.print // asked; not again by itself
		}
		r.mu.Unlock()
		if o.Yes() {
			if err := d.yes(); err != nil {
				r.app.opts.Log.Error("answer not kept", "server", d.key.server, "tool", d.key.tool, "err", err)
			}
		}
		if asked.Err() == nil {
			r.app.news.poke() // others may have waited for their turn
		}
	})
}

// again forgets what was refused of a server, so that it is asked about again,
// and returns how much waits for a person.
func (r *reviews) again(server string) int {
	n := 0
	for _, d := range r.due(r.app.config.Current()) {
		if d.key.server == server {
			n++
		}
	}
	r.mu.Lock()
	maps.DeleteFunc(r.done, func(key reviewKey, _ string) bool { return key.server == server })
	r.mu.Unlock()
	r.app.news.poke()
	return n
}

// replaces keeps what ran before an edit that a person has to see.
func (r *reviews) replaces(server string, e *wire.Entry) {
	if e.Trust == wire.TrustPending {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.was[server] = commandOf(e)
}

// due lists everything that waits for a person.
func (r *reviews) due(conf *config.Config) (all []due) {
	view, rules := r.app.dir.View(), r.app.rules.Load()
	for _, one := range conf.Servers {
		if one.Entry.Trust == wire.TrustPending {
			all = append(all, r.command(one))
			continue
		}
		s := view.Server(one.Name)
		if s == nil || rules.AcceptChanges(one.Name) {
			continue
		}
		for i := range s.Tools {
			t := &s.Tools[i]
			if pin := r.app.shelf.of(one.Name, t.Name, t.Definition).pin; pin == policy.PinNew || pin == policy.PinChanged {
				all = append(all, r.tool(view, one.Name, t))
			}
		}
	}
	return all
}

// command is the question whether an entry may run at all.
func (r *reviews) command(s config.Server) due {
	detail := commandOf(&s.Entry)
	detail.Source = "an edit through a program, not by your own hand"
	r.mu.Lock()
	detail.Before = r.was[s.Name]
	r.mu.Unlock()
	return due{
		key: reviewKey{s.Name, ""}, print: r.app.fingerprint(s.Name),
		ask: func() *ask.Ask {
			return &ask.Ask{Question: wire.Question{Kind: wire.AskFirstRun, Server: s.Name, Command: detail,
				Why:     "Whatever runs here can do all that you can do on this computer.",
				Notes:   oddCommand(&s.Entry),
				Choices: []string{wire.ChooseDeny, wire.ChooseOnce}}}
		},
		yes: func() error {
			full := ""
			return r.app.applying(r.app.config.EditServer(s.Name, wire.EditServer{Trust: &full}))
		},
	}
}

func commandOf(e *wire.Entry) *wire.CommandDetail {
	return &wire.CommandDetail{Command: e.Command, Args: e.Args, Env: slices.Sorted(maps.Keys(e.Env)), Cwd: e.Cwd}
}

// oddCommand points out what a person should look at twice.
func oddCommand(e *wire.Entry) (notes []string) {
	whole := strings.Join(append([]string{e.Command}, e.Args...), " ")
	for _, one := range []struct{ part, note string }{
		{"sudo", "It asks for the rights of the administrator (sudo)."},
		{"rm -", "It deletes files (rm)."},
		{"curl ", "It fetches something from the network (curl)."},
		{"wget ", "It fetches something from the network (wget)."},
		{"| sh", "It runs what it fetched (a pipe into a shell)."},
		{"|sh", "It runs what it fetched (a pipe into a shell)."},
		{"bash -c", "It runs a line of shell commands (bash -c)."},
		{"sh -c", "It runs a line of shell commands (sh -c)."},
		{"powershell", "It runs PowerShell."},
		{".ssh", "It names the folder of your SSH keys."},
		{"/etc/", "It names a folder of the system (/etc)."},
	} {
		if strings.Contains(strings.ToLower(whole), one.part) && !slices.Contains(notes, one.note) {
			notes = append(notes, one.note)
		}
	}
	return notes
}

// tool is the question about a new or changed tool.
func (r *reviews) tool(view *directory.View, server string, t *directory.Tool) due {
	look := r.app.pins.Look(server, t.Name, t.Definition)
	kind := "It isn't what it was when you trusted the server."
	if look.State == policy.PinNew {
		kind = "The server didn't have it when you trusted it."
	}
	return due{
		key: reviewKey{server, t.Name}, print: policy.Fingerprint(t.Definition),
		ask: func() *ask.Ask {
			change := &wire.ChangeDetail{New: look.State == policy.PinNew, Before: look.Before, After: t.Definition, Diff: policy.Diff(look.Before, t.Definition)}
			return &ask.Ask{Question: wire.Question{Kind: wire.AskChangedTool, Server: server, Tool: t.Name, Change: change, Why: kind + " Until you have seen it no application sees or calls it.",
				Notes: policy.Inspect(server, policy.Tool{Name: t.Name, Definition: t.Definition}, namesIn(view)), Choices: []string{wire.ChooseDeny, wire.ChooseOnce}}}
		},
		yes: func() error {
			if err := r.app.pins.Accept(server, policy.Tool{Name: t.Name, Definition: t.Definition}); err != nil {
				return err
			}
			r.app.note(fmt.Sprintf("the tool %s of %s was accepted as it is now", t.Name, server))
			r.app.rescreen()
			return nil
		},
	}
}

// namesIn are all tools of all servers, for look-alikes.
func namesIn(view *directory.View) *policy.Names {
	var all []policy.Named
	for _, s := range view.Servers() {
		for _, t := range s.Tools {
			all = append(all, policy.Named{Server: s.Name, Name: t.Name})
		}
	}
	return policy.NewNames(all)
}

// Review asks about a server's new and changed tools, or its command, once more
// (localapi.Policy).
func (a *App) Review(_ context.Context, server string) (int, error) {
	if _, err := a.entryOf(server); err != nil {
		return 0, err
	}
	n := a.reviews.again(server)
	if n > 0 && !a.queue.Attended() {
		return 0, &wire.Error{Code: wire.CodeDenied, Message: fmt.Sprintf("%d of %s wait for a person, and there is nobody here who could be asked.", n, server),
			Hint: "Start the core with `serve --answers tty`, or set \"changes\": \"accept\" for the server in the config file by hand."}
	}
	return n, nil
}
