package config

// migration turns the text of one version into that of the next. It edits the
// text, so that comments stay, and sets the new number.
type migration func(data []byte) ([]byte, error)

// migrations has the one for version 1 first. Each has a pair of files in
// testdata/migrate: N.before.json and N.after.json.
var migrations []migration

// Version is what the newest files have. A file without a number has version
// 1, which is what every host's file looks like. An older file is understood in
// its newer form; the newer form is written with the first change made by us.
var Version = 1 + len(migrations)
