package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/keychain"
	"bridgekeeper/keychain/ref"
	"bridgekeeper/supervisor"
)

// adding is one server on its way into the config. Each step that was carried out
// leaves behind how it is undone.
type adding struct {
	app    *App
	held   *heldDraft
	filled *draft.Filled
	values map[string][]string
	was    *wire.Entry // that an update replaces; nil for a new server
	undone []func(context.Context) error
	stored []string // names of secrets
}

// undoTime bounds the way back: a keychain may ask its person.
const undoTime = 30 * time.Second

func (s *adding) undo() {
	ctx, cancel := context.WithTimeout(context.Background(), undoTime)
	defer cancel()
	for _, step := range slices.Backward(s.undone) {
		if err := step(ctx); err != nil {
			s.app.opts.Log.Error("step of adding a server not undone", "server", s.filled.Name, "err", err)
		}
	}
}

func (s *adding) carryOut(ctx context.Context, runs bool) error {
	steps := []func(context.Context) error{s.unpack, s.keepSecrets, s.writeEntry}
	if runs {
		steps = append(steps, s.awaitStart)
	}
	for _, step := range append(steps, s.remember) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *adding) unpack(context.Context) error {
	if s.held.bundle == nil {
		return nil
	}
	dir, fresh, err := s.app.bundles.Install(s.held.bundle.Bundle, s.filled.Entry.Command)
	if err != nil {
		return err
	}
	if fresh {
		s.undone = append(s.undone, func(context.Context) error { return s.app.bundles.Remove(dir) })
	}
	return nil
}

// keepSecrets puts secrets where they stay. Without a keychain the entry has them
// itself, in the config, which only its person can read.
func (s *adding) keepSecrets(ctx context.Context) error {
	if s.app.vault == nil {
		return s.plain()
	}
	for _, secret := range s.filled.Secrets {
		if err := s.app.vault.Set(ctx, secret.Name, secret.Value.Reveal()); err != nil {
			return err
		}
		s.stored = append(s.stored, secret.Name)
		s.undone = append(s.undone, func(ctx context.Context) error { return s.app.vault.Remove(ctx, secret.Name) })
	}
	return nil
}

// plain puts values in the place of all references.
func (s *adding) plain() error {
	look := ref.Lookups{Home: s.app.person, Variable: os.LookupEnv, Secret: func(name string) (keychain.Secret, bool) {
		i := slices.IndexFunc(s.filled.Secrets, func(one draft.Secret) bool { return one.Name == name })
		if i < 0 {
			return keychain.Secret{}, false
		}
		return s.filled.Secrets[i].Value, true
	}}
	expand := func(value string) (string, error) {
		t, err := ref.Parse(value)
		if err == nil {
			value, err = t.Expand(look)
		}
		if e, ok := errors.AsType[*keychain.Error](err); ok {
			return "", &wire.Error{Code: wire.CodeBadInput, Message: e.Message + ".", Hint: e.Hint}
		}
		return value, err
	}
	e := &s.filled.Entry
	var err error
	for i := range e.Args {
		if e.Args[i], err = expand(e.Args[i]); err != nil {
			return err
		}
	}
	for name := range e.Env {
		if e.Env[name], err = expand(e.Env[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *adding) writeEntry(context.Context) error {
	a, name, e := s.app, s.filled.Name, s.filled.Entry
	if s.was == nil {
		if err := a.applying(a.config.AddServer(name, e)); err != nil {
			return err
		}
		s.undone = append(s.undone, func(ctx context.Context) error {
			if err := a.applying(a.config.RemoveServer(name)); err != nil {
				return err
			}
			a.ended(ctx, name)
			return nil
		})
		return nil
	}
	if err := a.applying(a.config.EditServer(name, runsInstead(s.was, &e))); err != nil {
		return err
	}
	s.undone = append(s.undone, func(context.Context) error {
		return a.applying(a.config.EditServer(name, runsInstead(&e, s.was)))
	})
	return nil
}

// runsInstead is the edit that makes what runs as was run as next; what a person
// chose besides that stays.
func runsInstead(was, next *wire.Entry) wire.EditServer {
	req := wire.EditServer{Command: &next.Command, Args: &next.Args, Cwd: &next.Cwd, Env: map[string]*string{}}
	if next.Args == nil {
		req.Args = &[]string{}
	}
	for name := range was.Env {
		req.Env[name] = nil
	}
	for name, value := range next.Env {
		req.Env[name] = &value
	}
	return req
}

// ended waits until a server that is no longer configured has no process.
func (a *App) ended(ctx context.Context, name string) {
	for {
		changed := a.news.next()
		if st, there := a.status(name); !there || st.PID == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// awaitStart waits until the server is ready and its tools are known, or its
// first start has failed.
func (s *adding) awaitStart(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startWait, errTooLong)
	defer cancel()
	a, name := s.app, s.filled.Name
	if e := s.filled.Entry; e.Start == string(supervisor.StartManual) {
		if err := a.sup.Start(name); err != nil {
			return err
		}
	}
	began := time.Now()
	if s.was != nil {
		began = s.held.made // an update restarts it at once; what ended before counts no more
		if st, ok := a.status(name); ok && st.LastExit != nil && st.LastExit.At.After(began) {
			began = st.LastExit.At
		}
	}
	for {
		changed := a.news.next()
		st, _ := a.status(name)
		switch {
		case st.State == supervisor.Ready && s.runsNew(&st):
			return s.awaitTools(ctx)
		case st.State == supervisor.Failed, st.State == supervisor.Backoff && st.LastExit != nil && st.LastExit.At.After(began):
			return s.failed(&st)
		case st.State == supervisor.Disabled, st.State == supervisor.Held:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if context.Cause(ctx) == errTooLong {
				return &wire.Error{Code: wire.CodeServerDown, Message: fmt.Sprintf("The server %s didn't become ready within %s.", name, startWait)}
			}
			return ctx.Err()
		}
	}
}

// runsNew reports whether what is ready was started from the new entry.
func (s *adding) runsNew(st *supervisor.Status) bool {
	return s.was == nil || s.same() || st.Started.After(s.held.made)
}

// same: the update changes nothing that runs.
func (s *adding) same() bool { return printOf(s.was) == printOf(&s.filled.Entry) }

// toolsWait is how long a server that is ready has for its first list.
const toolsWait = 15 * time.Second

func (s *adding) awaitTools(ctx context.Context) error {
	if _, err := s.app.Session(ctx, s.filled.Name, directory.Scope{}); err != nil {
		return &wire.Error{Code: wire.CodeServerDown, Message: err.Error()}
	}
	timer := time.NewTimer(toolsWait)
	defer timer.Stop()
	for {
		changed := s.app.news.next()
		if v := s.app.dir.View().Server(s.filled.Name); v != nil && v.Listed() {
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil // it has none, or is slow to tell: it runs
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lastLines is how much of what a server wrote a failure shows.
const lastLines = 8

// failed says why a first start failed, with the server's own last words.
func (s *adding) failed(st *supervisor.Status) error {
	e := &wire.Error{Code: wire.CodeServerFailed, Message: fmt.Sprintf("The server %s didn't start, and was not added.", s.filled.Name)}
	if s.was != nil {
		e.Message = fmt.Sprintf("The server %s didn't start in its new version; the former one is back.", s.filled.Name)
	}
	x := st.LastExit
	if x == nil {
		return e
	}
	e.Message = strings.TrimSuffix(e.Message, ".") + ": " + strings.TrimSuffix(x.Reason, ".") + "."
	lines := x.Stderr[max(0, len(x.Stderr)-lastLines):]
	if len(lines) > 0 {
		e.Hint = "Its last words:\n" + s.masked(strings.Join(lines, "\n"))
	}
	return e
}

// masked takes the new secrets out of a text.
func (s *adding) masked(text string) string {
	for _, secret := range s.filled.Secrets {
		if value := secret.Value.Reveal(); len(value) >= 6 {
			text = strings.ReplaceAll(text, value, wire.Mask)
		}
	}
	return text
}

// remember writes down where the server came from.
func (s *adding) remember(context.Context) error {
	a, d, name := s.app, s.held.draft, s.filled.Name
	one := origin{Source: d.Source, Install: d.Install, Package: d.Package, Version: d.Version, Values: map[string][]string{}, Secrets: s.stored, Added: time.Now().UTC()}
	before, had := a.origins.of(name)
	if s.was != nil && had {
		one.Secrets = append(slices.Clone(before.Secrets), s.stored...)
	}
	for _, in := range d.Inputs {
		given, named := s.values[in.Name]
		switch {
		case !named:
			given = in.Default
		case in.Secret:
			given = s.refsOf(in.Name)
		}
		if len(given) > 0 {
			one.Values[in.Name] = given
		}
	}
	if err := a.origins.set(name, one); err != nil {
		return &wire.Error{Code: wire.CodeConfigWrite, Message: err.Error(), Hint: "Look at the folder's permissions and the free space."}
	}
	s.undone = append(s.undone, func(context.Context) error {
		if had {
			return a.origins.set(name, before)
		}
		a.origins.remove(name)
		return nil
	})
	return nil
}

// refsOf are the references that stand for a secret input; nil where the value
// itself stands in the config.
func (s *adding) refsOf(input string) []string {
	if s.app.vault == nil {
		return nil
	}
	for _, v := range s.held.draft.Env {
		if len(v.Value) == 1 && v.Value[0].Input == input {
			if value := s.filled.Entry.Env[v.Name]; strings.HasPrefix(value, "${secret:") {
				return []string{value}
			}
		}
	}
	return nil
}

// settle does what follows when nothing can fail any more.
func (s *adding) settle(ctx context.Context) {
	a, name := s.app, s.filled.Name
	what := "added the server " + name
	if s.was != nil {
		what = "updated the server " + name
		old := *s.was
		a.dropBundles(ctx, name, &old)
	}
	if from := s.held.draft.Source.From; from != "" {
		what += " from " + from
	}
	a.note(what)
	a.news.poke()
}

// updateOf makes drafts of a server's newest version, with what it was told.
func (a *App) updateOf(ctx context.Context, name, version string) ([]*draft.Draft, *heldBundle, error) {
	s, err := a.entryOf(name)
	if err != nil {
		return nil, nil, err
	}
	o, ok := a.origins.of(name)
	if !ok {
		return nil, nil, &wire.Error{Code: wire.CodeBadDraft, Message: fmt.Sprintf("Nobody knows where the server %s came from: it was not added from a catalog or a bundle.", name),
			Hint: fmt.Sprintf("Change its command with `bridgekeeper server edit %s -- COMMAND ARGS…`.", name)}
	}
	var list []*draft.Draft
	var bundle *heldBundle
	switch o.Source.Kind {
	case wire.SourceBuiltIn, wire.SourceRegistry:
		list, err = a.catalogNow().Drafts(ctx, o.Source.From, version)
		list = slices.DeleteFunc(list, func(d *draft.Draft) bool { return d.Install != o.Install })
		if err == nil && len(list) == 0 {
			err = &wire.Error{Code: wire.CodeBadDraft, Message: fmt.Sprintf("The new version of %s is no %s package any more.", name, o.Install), Hint: "Add it anew, and remove this one."}
		}
	case wire.SourceBundle:
		if isBundle(o.Source.From) && !strings.Contains(o.Source.From, "://") {
			bundle, err = a.bundleFile(o.Source.From)
		} else {
			bundle, err = a.fetchBundle(ctx, o.Source.From, "")
		}
		if err == nil {
			list = []*draft.Draft{a.draftOf(bundle, wire.DraftSource{Kind: wire.SourceBundle, From: o.Source.From})}
		}
	default:
		err = &wire.Error{Code: wire.CodeBadDraft, Message: fmt.Sprintf("The server %s was added by its command, which has no newer version.", name),
			Hint: fmt.Sprintf("Change it with `bridgekeeper server edit %s -- COMMAND ARGS…`.", name)}
	}
	for _, d := range list {
		d.Name = name
		refill(d, &o, &s.Entry)
	}
	return list, bundle, err
}

// refill gives a draft's inputs the values of the version before, and tells what
// is asked for besides.
func refill(d *draft.Draft, o *origin, was *wire.Entry) {
	if d.Version == o.Version && d.Version != "" && d.Bundle == "" {
		d.Warn("It is of this version already.")
	}
	known := maps.Clone(o.Values)
	for i := range d.Inputs {
		in := &d.Inputs[i]
		if values, ok := known[in.Name]; ok {
			in.Default = values
			continue
		}
		for _, v := range d.Env { // the value stands in the config, or nobody gave one
			if value := was.Env[v.Name]; value != "" && len(v.Value) == 1 && v.Value[0].Input == in.Name {
				in.Default = []string{value}
			}
		}
		if in.Required && len(in.Default) == 0 {
			d.Warn(fmt.Sprintf("The new version asks for %s, too.", in.Name))
		}
	}
}
