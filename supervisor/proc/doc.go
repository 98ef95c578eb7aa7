// Package proc starts one process in a group of its own, waits for it, and ends
// everything it started, also what left the group.
//
// It owns process ids and nothing else: no pipes' contents, no restarts. What
// outlives a crash of the core is covered twice: by the watcher, a tiny process
// that ends every registered tree when the core is gone, and by the registry, a
// file swept at the next start. The supervisor is its only caller, apart from
// main, which calls RunWatcherIfAsked before anything else.
package proc
