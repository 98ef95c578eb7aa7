package mcpb

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"bridgekeeper/app/wire"
)

// Store keeps bundles unpacked, each version in a folder of its own:
// NAME/VERSION-SHA256. Who owns the servers says which of them are in use.
type Store struct {
	dir string
	mu  sync.Mutex // one change at a time
}

// NewStore keeps bundles below dir, which is made when it is needed.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// unpacking is how folders are called that aren't whole yet.
const unpacking = ".unpacking-"

// Place is the folder in which a bundle is, or would be.
func (s *Store) Place(b *Bundle) string {
	return filepath.Join(s.dir, folder(b.Manifest.Name), folder(b.Manifest.Version)+"-"+b.SHA256[:8])
}

// folder is a name as a folder's: what could mean anything else is a dash.
func folder(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' && b.Len() > 0 {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	out := strings.Trim(b.String()[:min(b.Len(), 60)], "-.")
	if out == "" || reserved.MatchString(out) {
		return "bundle"
	}
	return out
}

// Install unpacks a bundle into its place. It is there whole or not at all. fresh
// is false when it was there already. run is the program that gets the right to
// be started, as a path below the place; "" for none.
func (s *Store) Install(b *Bundle, run string) (dir string, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir = s.Place(b)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir, false, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", false, writeError(err)
	}
	tmp, err := os.MkdirTemp(s.dir, unpacking)
	if err != nil {
		return "", false, writeError(err)
	}
	if err = unpack(b, tmp, run, dir); err == nil {
		if err = os.Rename(tmp, dir); err != nil {
			err = writeError(err)
		}
	}
	if err != nil {
		os.RemoveAll(tmp)
		return "", false, err
	}
	return dir, true, syncDir(filepath.Dir(dir))
}

// unpack writes the entries below root, which only we know so far. os.Root keeps
// every path below it, whatever the archive says.
func unpack(b *Bundle, root, run, dir string) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return writeError(err)
	}
	defer r.Close()
	var left int64 = maxTotal
	for _, f := range b.files {
		name := filepath.FromSlash(strings.TrimSuffix(f.Name, "/"))
		if strings.HasSuffix(f.Name, "/") {
			if err := r.MkdirAll(name, 0o700); err != nil {
				return writeError(err)
			}
			continue
		}
		if parent := filepath.Dir(name); parent != "." {
			if err := r.MkdirAll(parent, 0o700); err != nil {
				return writeError(err)
			}
		}
		mode := fs.FileMode(0o600)
		if f.Mode()&0o111 != 0 || filepath.Join(dir, name) == filepath.Clean(run) {
			mode = 0o700
		}
		n, err := write(r, f, name, mode, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func write(root *os.Root, f *zip.File, name string, mode fs.FileMode, left int64) (int64, error) {
	in, err := f.Open()
	if err != nil {
		return 0, bad("its %.120q can't be read: %s", f.Name, err)
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, writeError(err)
	}
	limit := min(left, int64(f.UncompressedSize64))
	n, err := io.Copy(out, io.LimitReader(in, limit+1))
	switch {
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		err = bad("its %.120q is damaged", f.Name)
	case err != nil:
		err = writeError(err)
	case n > limit:
		err = bad("its %.120q is larger than it says", f.Name)
	default:
		if err = out.Sync(); err != nil {
			err = writeError(err)
		}
	}
	if cerr := out.Close(); err == nil && cerr != nil {
		err = writeError(cerr)
	}
	return n, err
}

// Owns reports whether a path is within one of the bundles' folders, and which.
func (s *Store) Owns(path string) (dir string, ok bool) {
	rel, err := filepath.Rel(s.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if len(parts) < 3 || strings.HasPrefix(parts[0], ".") {
		return "", false
	}
	return filepath.Join(s.dir, parts[0], parts[1]), true
}

// OwnedBy are the folders that an entry uses.
func (s *Store) OwnedBy(e *wire.Entry) (dirs []string) {
	for _, value := range append([]string{e.Command, e.Cwd}, e.Args...) {
		for _, piece := range append(strings.Split(value, "="), value) { // --file=/path
			if dir, ok := s.Owns(piece); ok {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// Remove takes a bundle's folder away, and its parent when it was the last one.
func (s *Store) Remove(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removeLocked(dir)
}

func (s *Store) removeLocked(dir string) error {
	if owned, ok := s.Owns(filepath.Join(dir, "x")); !ok || owned != filepath.Clean(dir) {
		return fmt.Errorf("remove bundle %s: it is none of ours", dir)
	}
	// A new name first: what can't be removed whole is never taken for a bundle.
	gone := filepath.Join(s.dir, unpacking+"gone-"+filepath.Base(dir))
	os.RemoveAll(gone)
	if err := os.Rename(dir, gone); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("remove bundle: %w", err)
	}
	os.Remove(filepath.Dir(dir)) // only when nothing else is in it
	return os.RemoveAll(gone)
}

// Clean takes away what a run that was cut off left, and folders that no entry
// uses any more.
func (s *Store) Clean(used func(dir string) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clean bundles: %w", err)
	}
	var failed error
	for _, n := range names {
		if strings.HasPrefix(n.Name(), unpacking) {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(s.dir, n.Name())))
			continue
		}
		versions, _ := os.ReadDir(filepath.Join(s.dir, n.Name()))
		for _, v := range versions {
			if dir := filepath.Join(s.dir, n.Name(), v.Name()); !used(dir) {
				failed = errors.Join(failed, s.removeLocked(dir))
			}
		}
	}
	return failed
}

// syncDir makes a rename last through a power cut, where folders can be synced.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	_ = d.Sync() // Windows has no such thing
	return nil
}

func writeError(err error) *wire.Error {
	return &wire.Error{Code: wire.CodeConfigWrite, Message: "The bundle couldn't be unpacked: " + err.Error(), Hint: "Look at the folder's permissions and the free space."}
}
