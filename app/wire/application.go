package wire

// Application is an AI application that is known by its files, there or not.
type Application struct {
	Name      string `json:"name"` // that of its host, too
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	// Way is "edit" (we can write its file), "import" or "manual" (a person pastes).
	Way string `json:"way"`
	// File is the one that connecting edits, there or not.
	File string `json:"file,omitempty"`
	// Servers are those in its files besides our entry.
	Servers int `json:"servers"`
	// State is what has become of our entry: "not connected", "connected", "dropped",
	// "rewritten" or "broken"; Text says what is wrong.
	State string `json:"state,omitempty"`
	Text  string `json:"text,omitempty"`
	// Host is what it did as a host; nil when it has no token.
	Host *Host `json:"host,omitempty"`
}

// Change an application's file (POST /v1/applications/NAME/VERB).
const (
	VerbConnect    = "connect"
	VerbDisconnect = "disconnect"
	VerbUndo       = "undo"
	VerbRepair     = "repair"
)

// EditApplication asks for one.
type EditApplication struct {
	DryRun bool `json:"dryRun,omitempty"` // nothing is written
}

// EditedApplication is what was, or would be, changed.
type EditedApplication struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	// Diff is the exact difference, with secrets masked.
	Diff     string   `json:"diff,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Reload   string   `json:"reload,omitempty"` // what a person does so that it is seen
	Check    string   `json:"check,omitempty"`  // a command of the application's own
	// Paste is what a person enters into an application without a file for it. The
	// token in it is shown this once.
	Paste []Paste `json:"paste,omitempty"`
}

// Paste is one text for a person.
type Paste struct {
	What string `json:"what"` // where it goes
	Text string `json:"text"`
	Link bool   `json:"link,omitempty"` // it is a link to open
}
