package known

import "bridgekeeper/app/jsonedit"

// wrapped is an entry within its map, as a person pastes it.
func wrapped(key, name string, entry jsonedit.Object) string {
	return jsonedit.Render(jsonedit.Object{f(key, jsonedit.Object{f(name, entry)})})
}

// oneLine is an entry for a link.
func oneLine(entry jsonedit.Object) string { return jsonedit.Compact(entry) }
