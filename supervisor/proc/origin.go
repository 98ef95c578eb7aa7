package proc

import "os"

// Origin says where a process of this machine comes from.
type Origin struct {
	// Child is set for a process of a server's tree, also for one that left its
	// group and its parent but kept the mark. A program that goes to more trouble
	// isn't found.
	Child bool
	// Ours is set for a process that runs our own executable.
	Ours bool
	// Path is that of its executable.
	Path string
}

// OriginOf tells where the process comes from; false when it is gone or can't be
// looked at, and then nothing may be believed of it.
func OriginOf(pid int) (Origin, bool) {
	path, ok := executable(pid)
	if !ok {
		return Origin{}, false
	}
	child, ok := isChild(pid)
	return Origin{Child: child, Ours: sameFile(path), Path: path}, ok
}

// sameFile reports whether path is the file that this process was started from.
// The file may have been replaced since, by an update: then its path counts.
func sameFile(path string) bool {
	own, err := os.Executable()
	if err != nil {
		return false
	}
	if path == own {
		return true
	}
	a, err := os.Stat(path)
	if err != nil {
		return false
	}
	b, err := os.Stat(own)
	return err == nil && os.SameFile(a, b)
}
