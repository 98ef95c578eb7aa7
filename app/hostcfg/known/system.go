package known

import "strings"

// System is what paths depend on. It touches nothing, so that the paths of every
// system are tested on one.
type System struct {
	GOOS   string
	Getenv func(string) string
	Home   string
}

// Join makes a path in the system's own way.
func (s System) Join(elem ...string) string {
	sep := "/"
	if s.GOOS == "windows" {
		sep = `\`
	}
	return strings.Join(elem, sep)
}

// home is a path below the person's home.
func (s System) home(elem ...string) string { return s.Join(append([]string{s.Home}, elem...)...) }

// set is the folder that a variable names, or "" when it names no absolute path.
func (s System) set(variable string) string {
	dir := s.Getenv(variable)
	if s.GOOS == "windows" {
		if len(dir) > 2 && dir[1] == ':' || strings.HasPrefix(dir, `\\`) {
			return strings.TrimRight(dir, `\/`)
		}
		return ""
	}
	if strings.HasPrefix(dir, "/") {
		return strings.TrimRight(dir, "/")
	}
	return ""
}

// or is what variable names, else a path below the home; elem go behind either.
func (s System) or(variable string, below []string, elem ...string) string {
	dir := s.set(variable)
	if dir == "" {
		dir = s.home(below...)
	}
	return s.Join(append([]string{dir}, elem...)...)
}

// config is ~/.config, also on macOS: what programs of the command line use there.
func (s System) config(elem ...string) string {
	if s.GOOS == "darwin" {
		return s.home(append([]string{".config"}, elem...)...)
	}
	return s.or("XDG_CONFIG_HOME", []string{".config"}, elem...)
}

// roaming is %APPDATA%.
func (s System) roaming(elem ...string) string {
	return s.or("APPDATA", []string{"AppData", "Roaming"}, elem...)
}

// local is %LOCALAPPDATA%.
func (s System) local(elem ...string) string {
	return s.or("LOCALAPPDATA", []string{"AppData", "Local"}, elem...)
}

// data is where applications with a window keep their settings.
func (s System) data(elem ...string) string {
	switch s.GOOS {
	case "windows":
		return s.roaming(elem...)
	case "darwin":
		return s.home(append([]string{"Library", "Application Support"}, elem...)...)
	}
	return s.config(elem...)
}

func at(path string) []Place { return []Place{{Path: path}} }

// code is the folder of an editor's settings (VS Code and its relatives).
func (s System) code(editor string, elem ...string) string {
	return s.data(append([]string{editor, "User"}, elem...)...)
}
