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

	// Problems has, by server name, what is wrong with an entry. A server that
	// was fine before such an edit keeps its former entry in Servers.
	Problems map[string]wire.Error

	// Warnings are sentences about things that were read, but look like mistakes.
	Warnings []string
}

// Server is one entry, with the real values of its variables.
type Server struct {
	Name  string
	Entry wire.Entry
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

// keepFormer gives each server that has a problem now, and had none before, its
// former entry back: a slip in one value must not end a server that works.
func (c *Config) keepFormer(order []string, before *Config) {
	if len(c.Problems) == 0 {
		return
	}
	var servers []Server
	for _, name := range order {
		s, ok := c.Lookup(name)
		if !ok {
			s, ok = before.Lookup(name)
		}
		if ok {
			servers = append(servers, s)
		}
	}
	c.Servers = servers
}
