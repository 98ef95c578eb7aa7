package wire

import "time"

// DraftSource says where a draft came from.
type DraftSource struct {
	Kind string `json:"kind"`           // one of the Source… values
	From string `json:"from,omitempty"` // its name in a catalog, a path, a URL, an application
	// SHA256 is that of a bundle's file, in hexadecimal; Checked is set when a
	// registry gave the same.
	SHA256  string `json:"sha256,omitempty"`
	Checked bool   `json:"checked,omitempty"`
	// Signature says what is known of a bundle's signature: "not signed", or "signed
	// by …, not verified". It is never a reason to trust.
	Signature string `json:"signature,omitempty"`
}

// Values of DraftSource.Kind.
const (
	SourceBuiltIn  = "built-in" // the list that comes with Bridgekeeper
	SourceRegistry = "registry" // an MCP registry
	SourceFile     = "file"     // a server.json or a host's file
	SourceBundle   = "bundle"   // a .mcpb or .dxt
	SourceLink     = "link"     // an install link
	SourceJSON     = "json"     // a pasted text
	SourceCommand  = "command"  // a command line
	SourceServer   = "server"   // an update of a server that is there
)

// Values of Draft.Install: what brings the program.
const (
	InstallNPM    = "npm"
	InstallPyPI   = "pypi"
	InstallOCI    = "oci"
	InstallNuGet  = "nuget"
	InstallMCPB   = "mcpb"
	InstallCargo  = "cargo"
	InstallGo     = "go"
	InstallRemote = "remote" // on the net, reached through mcp-remote
	InstallBinary = "binary" // a program that is here already
)

// Draft is a server that isn't added yet: what would run, and what it needs to
// be told before it can. Inputs stand in arguments as <NAME>.
type Draft struct {
	ID          string      `json:"id"`    // for the requests that follow
	Label       string      `json:"label"` // tells it from others of the same source
	Name        string      `json:"name"`  // proposed
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Source      DraftSource `json:"source"`
	Install     string      `json:"install"`           // one of the Install… values
	Package     string      `json:"package,omitempty"` // as its registry calls it
	Version     string      `json:"version,omitempty"` // "" when any may run
	Pinned      bool        `json:"pinned"`            // the same code runs until a person updates it

	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"` // names of its variables
	Cwd     string   `json:"cwd,omitempty"`
	Folders []string `json:"folders,omitempty"` // folders and files that it is given
	URL     string   `json:"url,omitempty"`     // of a server on the net
	// Fetch is the address of a bundle that has to be fetched before the rest is known.
	Fetch string `json:"fetch,omitempty"`

	Inputs   []Input  `json:"inputs,omitempty"`
	May      []string `json:"may,omitempty"`      // sentences: what it may do
	Warnings []string `json:"warnings,omitempty"` // sentences
	Blocked  []string `json:"blocked,omitempty"`  // sentences: why it can't be added as it is
	Needs    []Need   `json:"needs,omitempty"`    // programs that must be on this computer
	// Replaces is the entry's version that an update takes the place of.
	Replaces string `json:"replaces,omitempty"`
}

// Values of Input.Kind.
const (
	InputString    = "string"
	InputNumber    = "number"
	InputBool      = "bool"
	InputChoice    = "choice"
	InputDirectory = "directory"
	InputFile      = "file"
)

// Input is one thing that a draft has to be told.
type Input struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Kind        string   `json:"kind"`
	Required    bool     `json:"required,omitempty"`
	Secret      bool     `json:"secret,omitempty"` // goes into the keychain
	Multiple    bool     `json:"multiple,omitempty"`
	Default     []string `json:"default,omitempty"` // more than one only with Multiple
	Placeholder string   `json:"placeholder,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
}

// Need is a program that a draft needs.
type Need struct {
	Program string `json:"program"`
	Path    string `json:"path,omitempty"` // where it was found; "" when it is missing
	Hint    string `json:"hint,omitempty"` // how to get it
}

// NewDraft asks for drafts. Exactly one of Catalog, Path, Text, Command and Update
// is set.
type NewDraft struct {
	Catalog string   `json:"catalog,omitempty"` // a name in the catalog
	Version string   `json:"version,omitempty"` // with Catalog; "" is the newest
	Path    string   `json:"path,omitempty"`    // absolute, of a bundle or a file
	Text    string   `json:"text,omitempty"`    // pasted: JSON, a link, a command line, a URL
	Command []string `json:"command,omitempty"` // an argument vector
	Update  string   `json:"update,omitempty"`  // a server that is there
}

// FillDraft gives a draft's inputs their values.
type FillDraft struct {
	Name   string              `json:"name,omitempty"`   // "" is the proposed one
	Values map[string][]string `json:"values,omitempty"` // by input; what isn't named has its default
	Env    map[string]string   `json:"env,omitempty"`    // further variables
	// Trust is full, limited or pending; "" is limited for everything but a command
	// of the person's own.
	Trust    string `json:"trust,omitempty"`
	Disabled bool   `json:"disabled,omitempty"` // add it, but don't start it
}

// Reviewed is exactly what would run.
type Reviewed struct {
	Name    string   `json:"name"`
	Entry   Entry    `json:"entry"`             // with references in the place of secrets; variables masked
	Secrets []string `json:"secrets,omitempty"` // names under which values would be kept
	Lines   []string `json:"lines"`             // the same for a person to read
}

// Added is what has become of a draft.
type Added struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`
	Tools   []Tool   `json:"tools"`
	Secrets []string `json:"secrets,omitempty"`
}

// CatalogQuery searches the catalog.
type CatalogQuery struct {
	Text   string `json:"text,omitempty"`
	Cursor string `json:"cursor,omitempty"` // of the page before, as it was given
	Limit  int    `json:"limit,omitempty"`  // 0 is 30; at most 100
	// Offline asks for what is here only.
	Offline bool `json:"offline,omitempty"`
}

// CatalogPage is one page of what was found.
type CatalogPage struct {
	Servers []CatalogServer `json:"servers"`
	Cursor  string          `json:"cursor,omitempty"` // of the next page; "" at the end
	// Age is when the registry's part was read; zero when nothing of it is here.
	Age time.Time `json:"age,omitzero"`
	// Offline is why the registry didn't answer; "" when it did, or wasn't asked.
	Offline string `json:"offline,omitempty"`
}

// CatalogServer is one server of the catalog.
type CatalogServer struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version,omitempty"`
	Source      string   `json:"source"`             // SourceBuiltIn or SourceRegistry
	Status      string   `json:"status,omitempty"`   // active, deprecated, deleted
	Message     string   `json:"message,omitempty"`  // of the registry, about the status
	Installs    []string `json:"installs,omitempty"` // Install… values, the first is preferred
	Needs       []string `json:"needs,omitempty"`    // in words
	Website     string   `json:"website,omitempty"`
	Versions    []string `json:"versions,omitempty"` // known ones, newest first; when shown alone
}
