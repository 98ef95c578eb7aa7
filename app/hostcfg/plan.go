package hostcfg

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridgekeeper/app/home"
	"bridgekeeper/app/hostcfg/edit"
	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// Plan is a change of a host's file that was not made yet.
type Plan struct {
	Host *known.Host
	Act  string
	Path string // the file, as the host knows it
	// Exact is set when the file becomes, byte for byte, what it was before us.
	Exact    bool
	Replaces bool // there is an entry of our name
	Took     []Taken
	Warnings []string

	before, after []byte // nil: no file
	base          []byte // what undo restores
	was           []byte // like before, kept as it is when base is something else
	where         []string
	entry         jsonedit.Object
	squash        string // the change whose place this one takes
	dirs          []string
}

// Changes reports whether the plan changes anything.
func (p *Plan) Changes() bool {
	return !bytes.Equal(p.before, p.after) || (p.before == nil) != (p.after == nil)
}

// Creates reports whether there is no file yet.
func (p *Plan) Creates() bool { return p.before == nil && p.after != nil }

// Removes reports whether the file goes.
func (p *Plan) Removes() bool { return p.before != nil && p.after == nil }

// Diff is the exact difference as a text. Values that are hidden are masked:
// tokens, and what looks like a secret of the host's own servers.
func (p *Plan) Diff() string {
	return masked(unified(p.Path, p.before, p.after), p.hidden())
}

// Connect is what a person asked for.
type Connect struct {
	Host     string
	Endpoint known.Endpoint
	Take     []string // the host's own servers that moved to us
}

// PlanConnect says how our entry gets into a host's file. Nothing is written.
// Errors are *wire.Error.
func (s *Store) PlanConnect(c Connect) (*Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := editable(c.Host)
	if err != nil {
		return nil, err
	}
	p := &Plan{Host: h, Act: ActConnect, Path: s.machine.Target(h), entry: h.Entry(c.Endpoint)}
	if p.Path == "" {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("%s doesn't exist on this system", h.Title)}
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	if !h.SpeaksHTTP() {
		s.checkShim(p, c.Endpoint)
	}
	changes, err := s.changes()
	if err != nil {
		return nil, err
	}
	return p, s.planConnect(p, c, changes)
}

func editable(name string) (*known.Host, error) {
	h, ok := known.Find(name)
	switch {
	case !ok:
		return nil, &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("no application %.80q is known", name), Hint: "`bridgekeeper host detect` shows their names."}
	case h.Way == known.Manual:
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: h.Title + " has no file that could be changed", Hint: fmt.Sprintf("`bridgekeeper host connect %s` shows a text to paste.", h.Name)}
	case h.Way == known.Import:
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: h.Title + " can only be imported from", Hint: h.Note}
	}
	return h, nil
}

// open reads the file of a plan.
func (p *Plan) open() error {
	data, err := readFile(p.Path)
	switch {
	case missing(err):
		p.dirs = newDirs(p.Path)
		return nil
	case err != nil:
		return fileError(p.Path, reason(err), "Look at the file's permissions; the entry can be written by hand.")
	}
	p.before = data
	f, err := read.Parse(data, p.Host.Format)
	if err != nil {
		return p.unfit(err)
	}
	p.where = p.Host.Path
	if other := p.Host.Other; other != nil {
		if v, _ := f.Root.At(other...); v != nil {
			if _, ok := v.(*read.Map); ok && !entryNamed(v) {
				p.where = other
			}
		}
	}
	for _, why := range unreadable(p.Host, f) {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s can't read its file as it is: %s. Correct it, or our entry isn't seen.", p.Host.Title, why))
	}
	return nil
}

// entryNamed reports whether a map is an entry itself: a server may be called as
// the place of the others is.
func entryNamed(v any) bool {
	m := v.(*read.Map)
	return m.Text("command", "url", "type") != ""
}

func (p *Plan) unfit(err error) *wire.Error {
	return fileError(p.Path, err.Error(), "Nothing was written. Correct the file, or write the entry by hand.")
}

func fileError(path, why, hint string) *wire.Error {
	return &wire.Error{Code: wire.CodeHostFile, Message: fmt.Sprintf("%s: %s", path, why), Hint: hint}
}

func (s *Store) planConnect(p *Plan, c Connect, changes []Change) error {
	if p.where == nil {
		p.where = p.Host.Path
	}
	base, err := s.baseOf(p, changes)
	if err != nil {
		return err
	}
	p.base = base
	next := base
	if p.Replaces && p.squash == "" && bytes.Equal(base, p.before) {
		next = p.before // written by hand: it is replaced in its place
	} else if p.Replaces {
		next = p.before
	}
	if len(c.Take) > 0 {
		if next, err = p.take(next, c.Take); err != nil {
			return err
		}
	}
	after, err := edit.Put(next, p.Host.Format, p.where, EntryName, p.entry)
	if err != nil {
		return p.unfit(err)
	}
	p.after = after
	p.warnOfMode()
	return nil
}

// baseOf is the file without what we wrote, which undo restores: the bytes from
// before us when nobody else wrote since, else the file without our entry. An
// entry of our name that a person wrote stays in it.
func (s *Store) baseOf(p *Plan, changes []Change) ([]byte, error) {
	if p.before == nil {
		return nil, nil
	}
	f, err := read.Parse(p.before, p.Host.Format)
	if err != nil {
		return nil, p.unfit(err)
	}
	_, p.Replaces = f.Root.At(append(slices.Clone(p.where), EntryName)...)
	c, ours := last(changes, p.Host.Name)
	ours = ours && c.Path == p.Path
	switch {
	case !p.Replaces || !ours:
		return p.before, nil
	case c.Became == digest(p.before):
		base, err := s.backup(c)
		if err == nil {
			p.squash, p.dirs = c.ID, c.Dirs
			p.Took = c.Took
		}
		return base, err
	}
	base, err := edit.Take(p.before, p.Host.Format, p.where, EntryName)
	if err != nil {
		return nil, p.unfit(err)
	}
	p.was, p.Took = p.before, c.Took
	return base, nil
}

// backup is what a change's undo restores: nil when there was no file.
func (s *Store) backup(c Change) ([]byte, error) {
	if c.Base == "" {
		return nil, nil
	}
	data, err := os.ReadFile(s.backupPath(c.ID))
	if err == nil && digest(data) != c.Base {
		err = fmt.Errorf("the backup %s was changed", s.backupPath(c.ID))
	}
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeHostFile, Message: "the backup can't be used: " + err.Error(), Hint: "`bridgekeeper host disconnect` takes our entry alone out."}
	}
	return data, nil
}

// take cuts the host's own servers out.
func (p *Plan) take(data []byte, names []string) ([]byte, error) {
	f, err := read.Parse(data, p.Host.Format)
	if err != nil {
		return nil, p.unfit(err)
	}
	raws := read.Servers(f, p.Host)
	for _, name := range names {
		i := slices.IndexFunc(raws, func(r read.Raw) bool { return r.Name == name && r.Folder == "" && len(r.Path) > 0 })
		if i < 0 || name == EntryName {
			return nil, &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("%s has no server %.80q for all folders in %s", p.Host.Title, name, p.Path), Hint: "`bridgekeeper host import --dry-run` shows them."}
		}
		if data, err = edit.Take(data, p.Host.Format, raws[i].Path, name); err != nil {
			return nil, p.unfit(err)
		}
		p.Took = append(slices.Clone(p.Took), Taken{name, raws[i].Path})
	}
	return data, nil
}

// warnOfMode tells when others can read the token that is written.
func (p *Plan) warnOfMode() {
	info, err := os.Stat(p.Path)
	if err == nil && p.Host.SpeaksHTTP() && info.Mode().Perm()&0o044 != 0 && os.PathSeparator == '/' {
		p.Warnings = append(p.Warnings, fmt.Sprintf("Other users of this computer can read the file (%v), and with it the token: chmod 600 %s", info.Mode().Perm(), p.Path))
	}
}

// checkShim tells what goes wrong with the path of our program.
func (s *Store) checkShim(p *Plan, e known.Endpoint) {
	if strings.ContainsAny(e.Command, " \t") && s.machine.GOOS == "windows" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s splits paths at spaces: move %s to a folder without any.", p.Host.Title, e.Command))
	}
}

// newDirs are the folders that a file needs and that are not there, the outermost first.
func newDirs(path string) (dirs []string) {
	target, err := home.Target(path)
	if err != nil {
		return nil
	}
	for dir := filepath.Dir(target); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

// PlanDisconnect says how our entry gets out again: the bytes from before us when
// nobody else wrote since, else our entry alone. Errors are *wire.Error.
func (s *Store) PlanDisconnect(name string) (*Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, c, ours, err := s.openLast(name)
	if err != nil {
		return nil, err
	}
	p.Act = ActDisconnect
	if ours && p.before != nil && c.Became == digest(p.before) {
		if p.after, err = s.backup(c); err == nil {
			p.Exact, p.dirs = true, c.Dirs
			return p, nil
		}
		p.Warnings = append(p.Warnings, wire.AsError(err).Message)
	}
	if p.before == nil {
		return nil, notConnected(p.Host)
	}
	next, err := edit.Take(p.before, p.Host.Format, p.where, EntryName)
	if err != nil {
		return nil, p.unfit(err)
	}
	if bytes.Equal(next, p.before) && !ours {
		return nil, notConnected(p.Host)
	}
	p.after = s.putBack(p, c, next)
	return p, nil
}

func notConnected(h *known.Host) *wire.Error {
	return &wire.Error{Code: wire.CodeNotConnected, Message: h.Title + " is not connected", Hint: fmt.Sprintf("`bridgekeeper host connect %s` does it.", h.Name)}
}

// putBack writes the host's own servers that were taken out into a file that was
// changed since. Those that can't be put back are named.
func (s *Store) putBack(p *Plan, c Change, data []byte) []byte {
	if len(c.Took) == 0 {
		return data
	}
	base, err := s.backup(c)
	for _, t := range c.Took {
		raw := ""
		if err == nil && base != nil && (p.Host.Format == known.JSON || p.Host.Format == known.JSONC) {
			raw = edit.Cut(base, t.Path, t.Name)
		}
		next, perr := data, error(nil)
		if raw != "" {
			next, perr = edit.PutRaw(data, p.Host.Format, t.Path, t.Name, raw)
		}
		if raw == "" || perr != nil {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s was taken out and can't be put back by itself; it is in the backup %s", t.Name, s.backupPath(c.ID)))
			continue
		}
		data = next
	}
	return data
}

// PlanUndo says how the file gets the bytes from before the last connect. It
// refuses when somebody else wrote since. Errors are *wire.Error.
func (s *Store) PlanUndo(name string) (*Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, c, ours, err := s.openLast(name)
	if err != nil {
		return nil, err
	}
	if !ours {
		return nil, &wire.Error{Code: wire.CodeNotConnected, Message: "there is nothing to undo for " + p.Host.Title, Hint: "Only what `host connect` did last can be undone."}
	}
	if p.before == nil || c.Became != digest(p.before) {
		return nil, &wire.Error{Code: wire.CodeHostChanged, Message: fmt.Sprintf("%s was changed since we wrote it: it can't be given back byte for byte", p.Path),
			Hint: fmt.Sprintf("`bridgekeeper host disconnect %s` takes our entry alone out.", p.Host.Name)}
	}
	p.Act, p.Exact, p.dirs = ActDisconnect, true, c.Dirs
	p.after, err = s.backup(c)
	return p, err
}

// openLast opens the file of a host's last change, or where it would be.
func (s *Store) openLast(name string) (p *Plan, c Change, ours bool, err error) {
	h, err := editable(name)
	if err != nil {
		return nil, c, false, err
	}
	changes, err := s.changes()
	if err != nil {
		return nil, c, false, err
	}
	c, ours = last(changes, name)
	p = &Plan{Host: h, Path: s.machine.Target(h)}
	if ours {
		p.Path = c.Path
	}
	err = p.open()
	if p.where = c.Where; !ours || p.where == nil {
		p.where = h.Path
	}
	return p, c, ours, err
}

// statMode is the mode that a file has, or a new one gets: it holds a token.
func statMode(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
