// Package keychain keeps the values that nobody should see: it stores, reads,
// lists and removes secrets by name, over the system's keychain or one of its
// stand-ins, and it holds the Secret type, which shows as a mask.
//
// It owns the list of names (no keychain can be asked for it everywhere) and the
// order of calls: one at a time, each with a time limit, because a locked
// keychain may never answer. It never keeps a value, writes one to a file of its
// own, or opens a dialog unless Unlock is called. The app calls it, and nothing
// here knows of the app, of servers or of hosts.
//
// Below it: system, agefile and memory hold the values; ref expands references
// in a server's entry; detect finds likely secrets in a draft; redact takes
// values out of text that people see.
package keychain
