// Package known holds what is known of each AI application (host): where its
// files are on each system, in which form it wants our entry, how it reads its
// own entries, and how a person sees that it worked. One file a host; adding one
// touches nothing else.
//
// It reads no file and changes nothing. app/hostcfg asks it.
package known

import (
	"cmp"
	"fmt"
	"slices"

	"bridgekeeper/app/jsonedit"
)

// Format is how a file is written.
type Format string

const (
	JSON  Format = "json"  // the host refuses comments and trailing commas
	JSONC Format = "jsonc" // it takes both
	TOML  Format = "toml"
	YAML  Format = "yaml"
)

// Way is what we can do for a host.
type Way string

const (
	Edit   Way = "edit"   // we write its file
	Import Way = "import" // we read its file; it is no longer made, or its file is not ours to write
	Manual Way = "manual" // it has no file: a person pastes a text or opens a link
)

// Host is what is known of one application.
type Host struct {
	Name  string // our name of it, also that of its token
	Title string
	Way   Way

	// Places are where the file that we edit may be, the best one first.
	Places func(System) []Place
	// Reads are further files that have servers to import.
	Reads func(System) []Source
	// Signs are paths that are there when the host is installed, besides its
	// files; a * stands for any part of a name.
	Signs func(System) []string
	// Programs are commands on the PATH that tell the same.
	Programs []string

	Format Format
	// Path leads to the map of servers; the entry goes there.
	Path []string
	// Other is a newer or older place of the map: used when the file has it.
	Other []string

	// HTTP is the entry of a host that speaks HTTP; nil: it starts the shim.
	HTTP func(Endpoint) jsonedit.Object
	// Shim is the entry that starts the shim; nil is command and args.
	Shim func(Endpoint) jsonedit.Object

	Dialect Dialect
	Strict  Strict

	Reload string // what a person does so that the host reads its file again
	Check  string // a command of the host's own that tells whether it reaches us
	Shares string // hosts that read the same file
	Note   string // something else a person should know

	ToolLimit int // tools that the host takes; 0: none known
	// Prefix is what the model sees before a tool's name, with %s for the entry's name.
	Prefix string

	// Text is what a person pastes or opens, for hosts with Way Manual.
	Text func(Endpoint) []Paste
}

// Place is where a file may be.
type Place struct {
	Path string // a * in a folder's name stands for any part of it
	// If is a folder: when it is there the file is here, also one that is not yet
	// there; when it is not, the place doesn't count. "" always counts.
	If string
}

// Source is a file to import from.
type Source struct {
	Path   string // a * stands for any part of a name
	Format Format
}

// Endpoint is what our entry says.
type Endpoint struct {
	Name    string // of the entry
	URL     string
	Token   string
	Command string // absolute path of our binary
	Args    []string
}

// Paste is a text for a person.
type Paste struct {
	What string // where it goes
	Text string
	Link bool // it is a link to open
}

// Strict is what makes a host refuse its whole file.
type Strict struct {
	BOM  bool // a byte order mark
	Text bool // a variable in env that is no text
}

// Dialect is how a host reads its own entries.
type Dialect struct {
	Vars     Vars
	Unset    Unset
	PlainURL Transport // what a url without a type is
	Seconds  bool      // timeouts are seconds, not milliseconds
}

// Vars are the forms of references that a host expands.
type Vars uint

const (
	Braces   Vars = 1 << iota // ${NAME}, ${NAME:-default}
	Env                       // ${env:NAME}
	Dollar                    // $NAME
	Percent                   // %NAME%, on Windows
	Curly                     // {env:NAME}
	Editor                    // ${workspaceFolder}, ${userHome}, ${pathSeparator}, ...
	Inputs                    // ${input:NAME}
	Vault                     // ${{ secrets.NAME }}
	Commands                  // $(command)
	Files                     // ${file:PATH}, {file:PATH}
)

// Unset is what becomes of a reference to a variable that is not set.
type Unset string

const (
	Literal Unset = "" // it stays as it is written
	Blank   Unset = "empty"
)

// Transport is how a remote server is spoken to.
type Transport string

const (
	HTTP Transport = "http"
	SSE  Transport = "sse"
)

var hosts []*Host

// add makes a host known; each host's file calls it once, from init.
func add(h Host) {
	if i, there := slices.BinarySearchFunc(hosts, h.Name, byName); !there {
		hosts = slices.Insert(hosts, i, &h)
		return
	}
	panic(fmt.Sprintf("host %q is known twice", h.Name))
}

func byName(h *Host, name string) int { return cmp.Compare(h.Name, name) }

// All are the hosts by name. The slice and what is in it are shared: don't change them.
func All() []*Host { return hosts }

// Find returns the host of that name.
func Find(name string) (*Host, bool) {
	i, ok := slices.BinarySearchFunc(hosts, name, byName)
	if !ok {
		return nil, false
	}
	return hosts[i], true
}

// SpeaksHTTP reports whether our entry has a URL.
func (h *Host) SpeaksHTTP() bool { return h.HTTP != nil }

// Entry is what we write into the host's file.
func (h *Host) Entry(e Endpoint) jsonedit.Object {
	switch {
	case h.HTTP != nil:
		return h.HTTP(e)
	case h.Shim != nil:
		return h.Shim(e)
	}
	return shim(e)
}

// f is a member of an entry.
func f(key string, value any) jsonedit.Field { return jsonedit.Field{Key: key, Value: value} }

// bearer is the object of headers that most hosts take.
func bearer(e Endpoint) jsonedit.Inline {
	return jsonedit.Inline{f("Authorization", "Bearer "+e.Token)}
}

func shim(e Endpoint) jsonedit.Object {
	return jsonedit.Object{f("command", e.Command), f("args", e.Args)}
}

// typedURL is {"type": "http", "url": ..., "headers": ...}.
func typedURL(e Endpoint) jsonedit.Object {
	return jsonedit.Object{f("type", "http"), f("url", e.URL), f("headers", bearer(e))}
}

// plainURL is {"url": ..., "headers": ...}.
func plainURL(e Endpoint) jsonedit.Object {
	return jsonedit.Object{f("url", e.URL), f("headers", bearer(e))}
}

var mcpServers = []string{"mcpServers"}
