// Package loginenv finds the environment that a person's own programs get, for
// servers that are started by a core which was itself started from a desktop,
// and says of each part where it comes from.
//
// A desktop starts programs with a short PATH and without what a person's shell
// adds (nvm, Homebrew, variables of tools), so `npx` is "not on the PATH" there
// and works in a terminal. A Reader asks the person's shell once, as a login and
// interactive one, and joins the answer with what we have and with the folders in
// which the usual installers put programs. On Windows it is the registry that is
// asked. The app reads at start and when a person asks; nothing is kept on disk,
// and no value is logged.
package loginenv
