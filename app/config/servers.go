package config

import (
	"fmt"

	"bridgekeeper/app/wire"
)

// AddServer adds an entry behind the others. Errors are *wire.Error.
func (s *Store) AddServer(name string, entry wire.Entry) error {
	if err := wire.CheckName("server", name); err != nil {
		return err
	}
	if err := entryError(name, entry); err != nil {
		return err
	}
	return s.change(scope{server: name}, func(e *editor) error {
		if e.Find(serversKey, name) != nil {
			return &wire.Error{Code: wire.CodeServerExists, Message: fmt.Sprintf("there is a server %q already", name),
				Hint: "Choose another name, or edit that server."}
		}
		return e.addServer(name, entry)
	})
}

// EditServer changes the keys of an entry that req names. Errors are *wire.Error.
func (s *Store) EditServer(name string, req wire.EditServer) error {
	for variable, value := range req.Env {
		if value != nil && *value == wire.Mask {
			return &wire.Error{Code: wire.CodeBadEntry,
				Message: fmt.Sprintf("the value of %q is a mask, not a value", variable)}
		}
	}
	return s.change(scope{server: name}, func(e *editor) error {
		if e.Find(serversKey, name) == nil {
			return noSuchServer(name)
		}
		return e.editServer(name, req)
	})
}

// RemoveServer takes an entry out of the file. Errors are *wire.Error.
func (s *Store) RemoveServer(name string) error {
	return s.change(scope{server: name}, func(e *editor) error {
		if e.Find(serversKey, name) == nil {
			return noSuchServer(name)
		}
		return e.Unset(serversKey, name)
	})
}

func noSuchServer(name string) *wire.Error {
	return &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("there is no server %.80q", name),
		Hint: "`bridgekeeper server list` shows their names."}
}

func entryError(name string, entry wire.Entry) error {
	if f := check(entry); f != nil {
		return &wire.Error{Code: wire.CodeBadEntry, Message: fmt.Sprintf("server %q: %s", name, f.sentence), Hint: f.hint}
	}
	return nil
}
