package proc

import "os"

// watchArgument makes our executable the watcher. It is not a command for people.
const watchArgument = "bridgekeeper-watch-children"

// entered says that this program calls RunWatcherIfAsked. Without that, the
// executable started again would be a second core and not a watcher.
var entered bool

// RunWatcherIfAsked must be the first call of main, and of TestMain in tests
// that build a Supervisor. It returns true when this process was the watcher
// and has done its work; main then returns at once.
func RunWatcherIfAsked() bool {
	entered = true
	if len(os.Args) != 2 || os.Args[1] != watchArgument {
		return false
	}
	watch(os.Stdin)
	return true
}
