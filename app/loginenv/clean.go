package loginenv

import (
	"runtime"
	"slices"
	"strings"
)

// The variables that an AppImage's or a snap's start adds for itself. Programs
// that get them load the wrong libraries, or take themselves for the package.
var (
	appImageOwn = []string{"APPIMAGE", "APPDIR", "OWD", "ARGV0", "APPIMAGE_UUID", "APPIMAGE_EXTRACT_AND_RUN", "APPRUN_CWD"}
	snapOwn     = "SNAP" // SNAP itself and SNAP_…
)

// ours is what the names of our own variables begin with.
const ours = "BRIDGEKEEPER_"

// Clean returns an environment without our own variables and without those that
// an AppImage or a snap around us made: whole, where they say what package it is;
// element by element, where a list like PATH or LD_LIBRARY_PATH got the package's
// folders. A home that the snap moved is moved back.
func Clean(env []string) []string {
	get := lookup(env)
	roots := packageRoots(get)
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || strings.HasPrefix(name, ours) {
			continue
		}
		if packaged(name, get) {
			continue
		}
		if name == "HOME" && get("SNAP") != "" && strings.HasPrefix(get("SNAP_REAL_HOME"), "/") {
			value = get("SNAP_REAL_HOME")
		}
		if len(roots) > 0 {
			kept, changed := without(value, roots)
			if changed && kept == "" {
				continue
			}
			value = kept
		}
		out = append(out, name+"="+value)
	}
	return out
}

// packaged reports whether a variable only tells of the package around us.
func packaged(name string, get func(string) string) bool {
	if get("APPDIR") != "" && slices.Contains(appImageOwn, name) {
		return true
	}
	return get("SNAP") != "" && (name == snapOwn || strings.HasPrefix(name, snapOwn+"_"))
}

// packageRoots are the folders that exist for the package alone.
func packageRoots(get func(string) string) (roots []string) {
	names := []string{"APPDIR", "SNAP", "SNAP_USER_DATA", "SNAP_USER_COMMON", "SNAP_DATA", "SNAP_COMMON"}
	if get("SNAP") == "" {
		names = names[:1]
	}
	for _, name := range names {
		// One level at least: "/" would take everything away.
		if dir := strings.TrimRight(get(name), "/"); strings.HasPrefix(dir, "/") && len(dir) > 1 {
			roots = append(roots, dir)
		}
	}
	return roots
}

// without takes the elements of a list, separated by colons, that are in one of
// the folders.
func without(value string, roots []string) (kept string, changed bool) {
	parts := strings.Split(value, ":")
	n := len(parts)
	parts = slices.DeleteFunc(parts, func(p string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return p == root || strings.HasPrefix(p, root+"/") })
	})
	if len(parts) == n {
		return value, false
	}
	// AppRun appends what was there before, and a colon even where nothing was.
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, ":"), true
}

// lookup reads variables of a list; the last of a name counts. Windows doesn't
// tell names apart by their case.
func lookup(env []string) func(string) string {
	return func(name string) string {
		for _, kv := range slices.Backward(env) {
			if k, v, ok := strings.Cut(kv, "="); ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
				return v
			}
		}
		return ""
	}
}
