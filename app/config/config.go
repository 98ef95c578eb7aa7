// Package config owns bridgekeeper.json: it reads the file leniently, follows
// edits made by hand, and is its only writer among our packages.
//
// It never writes over a file that it could not read, never loses a comment or a
// key that it doesn't know, and starts nothing. The app calls it, and acts on
// what Current returns after Changed fires.
package config

import "bridgekeeper/app/wire"

// Config is what the file says: immutable once published.
type Config struct {
	Servers []Server // in the order of the file, only those that can be started as written

	// Settings are what the file says besides its servers, with the real keys of
	// models. A setting with a mistake has its former value, or is as strict as
	// it can be meant, and is in Warnings.
	Settings wire.Settings

	// ByHand is set when this config came from an edit of the file that was not
	// made through the Store; also the file as it was found at the start is one.
	// Server.ByHand and HandSet say it of each part, so that nothing is missed
	// when several changes came as one.
	ByHand bool
	// HandSet has, by key of the settings, whether the value came by hand.
	HandSet map[string]bool

	// Problems has, by server name, what is wrong with an entry. A server that
	// was fine before such an edit keeps its former entry in Servers.
	Problems map[string]wire.Error

	// Warnings are sentences about things that were read, but look like mistakes.
	Warnings []string

	strict map[string]bool // parts of the settings that are a strict reading, not the file's own value
}

// Server is one entry, with the real values of its variables.
type Server struct {
	Name   string
	Entry  wire.Entry
	ByHand bool // the entry became what it is by an edit of the file that was not ours
}

// Problem is why the file is not what runs. Line and Col count from 1, Col in
// characters; both are 0 when the problem is not at a place in the file.
type Problem struct {
	wire.Error
	Line, Col int
}

// Lookup returns the server of that name.
func (c *Config) Lookup(name string) (Server, bool) {
	for _, s := range c.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}
