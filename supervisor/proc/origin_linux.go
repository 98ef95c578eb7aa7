package proc

import (
	"os"
	"strconv"
	"strings"
)

// executable is the path of the file that a process runs.
func executable(pid int) (string, bool) {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return strings.TrimSuffix(path, " (deleted)"), err == nil
}
