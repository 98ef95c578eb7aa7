package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bridgekeeper/bridge/rpc"
)

// Bounds and marks of the files.
const (
	cacheVersion = "1" // another one is ignored, not understood
	// maxCacheFile bounds one server's file: reading it must take less time than
	// hosts notice. What is larger is read from the server alone.
	maxCacheFile = 16 << 20
	cacheEnding  = ".json"
	cacheTemp    = ".tmp-"
)

// cache keeps the lists of servers on disk, one file each, so that hosts get
// them before the servers have started. A file counts for exactly the command
// it was made with; one that is broken or of another command is as good as none.
type cache struct {
	folder string // "" keeps nothing
	log    *slog.Logger
	wake   chan struct{}

	mu      sync.Mutex                   // guards the fields below
	waiting map[string]*record           // to be written; nil is to be removed
	saved   map[string][sha256.Size]byte // what the files hold, as far as known
}

// record is what one file holds. The lists that aren't known are left out.
type record struct {
	fingerprint string
	lists       [kinds]list
}

func newCache(folder string, log *slog.Logger) *cache {
	return &cache{folder: folder, log: log, wake: make(chan struct{}, 1), waiting: make(map[string]*record), saved: make(map[string][sha256.Size]byte)}
}

// load returns the lists kept of a server.
func (c *cache) load(server, fingerprint string) (lists [kinds]list) {
	if c.folder == "" {
		return lists
	}
	f, err := os.Open(c.file(server))
	if errors.Is(err, fs.ErrNotExist) {
		return lists
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxCacheFile+1))
		f.Close()
	}
	if err == nil {
		lists, err = decode(data, server, fingerprint)
	}
	if err != nil {
		c.log.Info("kept lists not used", "server", server, "err", err)
		return lists
	}
	c.mu.Lock()
	c.saved[server] = sha256.Sum256(data)
	c.mu.Unlock()
	return lists
}

// keep has the lists written soon, or with nil the file removed.
func (c *cache) keep(server string, r *record) {
	if c.folder == "" || r != nil && !slices.ContainsFunc(r.lists[:], func(l list) bool { return l.known }) {
		return
	}
	c.mu.Lock()
	c.waiting[server] = r
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run writes what there is to write until stop is closed, and then the rest.
// It alone writes files, so an older list never replaces a newer one.
func (c *cache) run(stop <-chan struct{}, servers []string) {
	if c.folder == "" {
		return
	}
	c.prune(servers)
	for {
		c.flush()
		select {
		case <-c.wake:
		case <-stop:
			c.flush()
			return
		}
	}
}

// prune removes the files of servers that were removed while we didn't run.
// Without any server nothing is removed: the config may just be broken.
func (c *cache) prune(servers []string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil || len(servers) == 0 {
		return
	}
	ours := make(map[string]bool)
	for _, name := range servers {
		ours[filepath.Base(c.file(name))] = true
	}
	for _, e := range entries {
		name := e.Name()
		if !ours[name] && (strings.HasSuffix(name, cacheEnding) || strings.HasPrefix(name, cacheTemp)) {
			c.remove(filepath.Join(c.folder, name))
		}
	}
}

func (c *cache) flush() {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting = make(map[string]*record)
	c.mu.Unlock()
	for server, r := range waiting {
		c.write(server, r)
	}
}

func (c *cache) write(server string, r *record) {
	var data []byte
	if r != nil {
		data = encode(server, r)
	}
	sum := sha256.Sum256(data)
	c.mu.Lock()
	same := c.saved[server] == sum
	c.mu.Unlock()
	if same {
		return // as after most restarts
	}
	if r == nil || len(data) > maxCacheFile {
		c.remove(c.file(server))
		sum = [sha256.Size]byte{}
	} else if err := replace(c.file(server), data); err != nil {
		c.log.Warn("lists not kept", "server", server, "err", err)
		return
	}
	c.mu.Lock()
	c.saved[server] = sum
	c.mu.Unlock()
}

func (c *cache) remove(path string) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("kept lists not removed", "err", err)
	}
}

// file is a server's file. The hash tells names apart that differ by case only,
// and keeps clear of names that a system has for itself.
func (c *cache) file(server string) string {
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(c.folder, clean(server)+"-"+hex.EncodeToString(sum[:4])+cacheEnding)
}

// replace puts data in the place of the file at path whole. There is no need to
// survive a power cut: what a disk then holds is read as broken.
func replace(path string, data []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(folder, cacheTemp) // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func encode(server string, r *record) []byte {
	members := rpc.AppendMember(nil, "version", []byte(cacheVersion))
	members = rpc.AppendMember(members, "server", rpc.Quote(server))
	members = rpc.AppendMember(members, "fingerprint", rpc.Quote(r.fingerprint))
	for k, l := range r.lists {
		if !l.known {
			continue
		}
		items := make([][]byte, 0, len(l.items))
		for _, it := range l.items {
			items = append(items, it.raw)
		}
		members = rpc.AppendMember(members, listMembers[k], slices.Concat([]byte{'['}, join(items), []byte{']'}))
	}
	return slices.Concat([]byte{'{'}, members, []byte("}\n"))
}

func join(items [][]byte) (out []byte) {
	for i, raw := range items {
		if i > 0 {
			out = append(out, ",\n"...)
		}
		out = append(out, raw...)
	}
	return out
}

// decode reads a file's bytes, which may be anything.
func decode(data []byte, server, fingerprint string) (lists [kinds]list, err error) {
	none := lists
	if len(data) > maxCacheFile {
		return none, fmt.Errorf("over %d MiB", maxCacheFile>>20)
	}
	if _, err := rpc.Scan(data); err != nil {
		return none, err
	}
	says := map[string]string{"version": "", "server": "", "fingerprint": ""}
	outer := rpc.Members(data, func(key []byte, at rpc.Span) bool {
		raw, name := data[at.Start:at.End], string(key)
		if _, ok := says[name]; ok {
			says[name] = rpc.Text(raw)
			if raw[0] != '"' {
				says[name] = string(raw)
			}
		}
		if k := slices.Index(listMembers[:], name); k >= 0 {
			lists[k] = list{known: true}
			err = rpc.Elements(raw, func(at rpc.Span) bool {
				lists[k].items = append(lists[k].items, readItem(raw[at.Start:at.End], kind(k)))
				return len(lists[k].items) <= maxItems
			})
			if len(lists[k].items) > maxItems {
				err = fmt.Errorf("over %d entries", maxItems)
			}
		}
		return err == nil
	})
	switch err = errors.Join(outer, err); {
	case err != nil:
		return none, err
	case says["version"] != cacheVersion:
		return none, errors.New("of another version")
	case says["server"] != server:
		return none, errors.New("of another server")
	case says["fingerprint"] != fingerprint:
		return none, errors.New("the server's command has changed")
	}
	return lists, nil
}
