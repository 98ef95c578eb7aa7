package wire

// CheckServer asks for a check-up of a server.
type CheckServer struct{}

// CheckReport is what a check-up found.
type CheckReport struct {
	Server   string    `json:"server"`
	Title    string    `json:"title,omitempty"`
	Version  string    `json:"version,omitempty"`
	Protocol string    `json:"protocol,omitempty"` // the negotiated revision
	StartMS  int64     `json:"startMs"`            // from the start of its process to its answer to initialize
	Tools    int       `json:"tools"`
	Findings []Finding `json:"findings"`
}

// Values of Finding.Level.
const (
	FindError   = "error"   // against the specification, or it breaks hosts
	FindWarning = "warning" // models or people understand it badly
	FindNote    = "note"    // worth knowing
)

// Finding is one thing to mend.
type Finding struct {
	Level string `json:"level"`
	Code  string `json:"code"`           // stable, like tool-name
	Tool  string `json:"tool,omitempty"` // that it is about
	Text  string `json:"text"`           // a sentence
	Mend  string `json:"mend"`           // how to mend it
	Spec  string `json:"spec,omitempty"` // the section of the specification
}
