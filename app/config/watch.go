package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle waits for an editor to finish: most write in several steps.
	settle = 100 * time.Millisecond
	// latest is when an edit is taken even while the file is still being touched.
	latest = 500 * time.Millisecond
	// lookAgain is how often a missing folder is looked for, and how often the
	// file is looked at where the system can't tell of changes.
	lookAgain = 500 * time.Millisecond
)

// Run follows edits made by hand until ctx ends. It returns nil then.
func (s *Store) Run(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		// Systems limit the number of watchers; a look now and then does the same.
		s.log.Warn("config is polled, not watched", "err", err)
		s.poll(ctx)
		return nil
	}
	defer watcher.Close()
	f := &follower{store: s, watcher: watcher}
	f.follow(ctx)
	return nil
}

func (s *Store) poll(ctx context.Context) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		s.reload()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// follower watches folders, never the file: editors put a new file in its place.
// Its fields belong to the goroutine in follow.
type follower struct {
	store   *Store
	watcher *fsnotify.Watcher
	names   map[string]bool // what matters in the folders: the file, links to it, the folders
	missing bool            // a folder is not there: look again later
}

func (f *follower) follow(ctx context.Context) {
	f.watch()
	f.store.reload()
	quiet, deadline := stopped(), stopped()
	defer quiet.Stop()
	defer deadline.Stop()
	waiting := false
	for {
		var again <-chan time.Time
		if f.missing {
			again = time.After(lookAgain)
		}
		select {
		case <-ctx.Done():
			return
		case event, ok := <-f.watcher.Events:
			if !ok {
				return
			}
			if !f.names[filepath.Clean(event.Name)] {
				continue
			}
			quiet.Reset(settle)
			if !waiting {
				waiting = true
				deadline.Reset(latest)
			}
			continue
		case err, ok := <-f.watcher.Errors: // events were lost: look for ourselves
			if !ok {
				return
			}
			f.store.log.Warn("watch config", "err", err)
		case <-quiet.C:
		case <-deadline.C:
		case <-again:
		}
		quiet.Stop()
		deadline.Stop()
		waiting = false
		f.watch() // before reading: a change after the look is then an event
		f.store.reload()
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// watch brings the watched folders up to date. A folder that was replaced is a
// new one under the old name, so each is taken off and put on again.
func (f *follower) watch() {
	dirs, names, complete := chain(f.store.path)
	for _, dir := range f.watcher.WatchList() {
		// An error means that it was off already.
		_ = f.watcher.Remove(dir)
	}
	f.names, f.missing = names, !complete
	for _, dir := range dirs {
		if err := f.watcher.Add(dir); err != nil {
			f.missing = true
		}
	}
}

// maxLinks ends a walk along links that lead to each other.
const maxLinks = 40

// chain walks along path to the file behind every link. It returns the folders in which a
// change can lead to another file, the paths in them that matter, and
// whether every folder is there.
func chain(path string) (dirs []string, names map[string]bool, complete bool) {
	names = map[string]bool{}
	seen := map[string]bool{}
	watch := func(dir string) {
		names[dir] = true // the folder itself may be moved away
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	rest := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	volume := filepath.VolumeName(path)
	at := volume + string(filepath.Separator)
	links := 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == volume {
			continue
		}
		next := filepath.Join(at, part)
		link, err := os.Readlink(next)
		if err == nil && links < maxLinks {
			links++
			watch(at)
			names[next] = true
			if filepath.IsAbs(link) {
				at = filepath.VolumeName(link) + string(filepath.Separator)
				link = link[len(filepath.VolumeName(link)):]
			}
			rest = append(strings.Split(filepath.ToSlash(link), "/"), rest...)
			continue
		}
		if len(rest) == 0 {
			watch(at)
			names[next] = true
			return dirs, names, true
		}
		if info, err := os.Stat(next); err != nil || !info.IsDir() {
			watch(at) // its folder will appear here
			names[next] = true
			return dirs, names, false
		}
		at = next
	}
	return dirs, names, true
}
