package wire

import (
	"encoding/json"
	"time"
)

// Snapshot is everything a client shows, as one immutable value. The watch
// stream sends one first and another after every change (coalesced).
type Snapshot struct {
	Seq     uint64   `json:"seq"` // grows with every change
	Core    Core     `json:"core"`
	Config  Config   `json:"config"`
	Servers []Server `json:"servers"` // in config order
	Hosts   []Host   `json:"hosts"`   // by name
	// Questions are those that wait for a person, oldest first. Long arguments are
	// left out: ask for the question alone.
	Questions []Question `json:"questions"`
}

// Core describes the running process.
type Core struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	URL     string    `json:"url"`              // of the merged endpoint, http://127.0.0.1:PORT/mcp
	Socket  string    `json:"socket"`           // path of the local API
	LogDir  string    `json:"logDir,omitempty"` // folder of the servers' logs
	Open    bool      `json:"open"`             // no token is asked for (serve --open)
	Answers string    `json:"answers"`          // tty, allow or deny
	// Attended is set when somebody can answer questions now.
	Attended bool `json:"attended"`
	// Held is when everything was put on hold; zero when it isn't.
	Held time.Time `json:"held,omitzero"`
	// Sessions counts the hosts' open legacy sessions.
	Sessions int `json:"sessions"`
	// Warnings are sentences a person should see: a port that was taken, names that collide.
	Warnings []string `json:"warnings,omitempty"`
}

// Config tells where the file is and whether the running config is the file's.
type Config struct {
	Path  string `json:"path"`
	Error *Error `json:"error,omitempty"` // the last edit didn't parse; the config before it runs on
	Line  int    `json:"line,omitempty"`  // of that error, from 1
	Col   int    `json:"col,omitempty"`   // of that error, from 1
}

// Server is one entry and the state of its instances.
type Server struct {
	Name      string     `json:"name"`
	Entry     Entry      `json:"entry"`
	State     string     `json:"state"` // supervisor.State of the shared instance
	Phase     string     `json:"phase,omitempty"`
	PID       int        `json:"pid,omitempty"`
	Gen       uint64     `json:"gen,omitempty"`
	Since     time.Time  `json:"since,omitzero"`
	Started   time.Time  `json:"started,omitzero"`
	Restarts  int        `json:"restarts,omitempty"`
	NextTry   time.Time  `json:"nextTry,omitzero"`
	LastExit  *Exit      `json:"lastExit,omitempty"`
	Strays    uint64     `json:"strays,omitempty"`
	Era       string     `json:"era,omitempty"`      // legacy or modern, once known
	Protocol  string     `json:"protocol,omitempty"` // the negotiated revision
	Title     string     `json:"title,omitempty"`    // serverInfo's title or name
	Version   string     `json:"version,omitempty"`  // serverInfo's version
	Tools     int        `json:"tools"`
	Prompts   int        `json:"prompts"`
	Resources int        `json:"resources"`
	Instances []Instance `json:"instances,omitempty"` // besides the shared one
	URL       string     `json:"url"`                 // of the server alone

	// What its whole process tree takes, and how much it is used. Nil or zero when
	// nothing runs or it isn't known yet.
	MemoryBytes    uint64  `json:"memoryBytes,omitempty"`
	CPUPercent     float64 `json:"cpuPercent,omitempty"`     // of one processor
	CallsPerMinute []int   `json:"callsPerMinute,omitempty"` // the last minutes, oldest first; at most CallMinutes
}

// CallMinutes is how many minutes of calls a snapshot tells of.
const CallMinutes = 30

// Instance is a scoped copy of a server (sharing per-host or per-session).
type Instance struct {
	Scope string `json:"scope"`
	State string `json:"state"`
	PID   int    `json:"pid,omitempty"`
}

// Exit is how the last process of a server ended.
type Exit struct {
	At     time.Time `json:"at"`
	Code   int       `json:"code"` // -1: by a signal, or it never ran
	Signal string    `json:"signal,omitempty"`
	Reason string    `json:"reason"`
	Stderr []string  `json:"stderr,omitempty"`
	Stray  []string  `json:"stray,omitempty"`
}

// Entry is one server as the config file has it: the keys that hosts write,
// and ours. Pointers and nil mean "not given".
type Entry struct {
	Command  string            `json:"command"`
	Args     []string          `json:"args,omitempty"`
	Env      map[string]string `json:"env,omitempty"` // shown to local clients by name only: values are masked
	Cwd      string            `json:"cwd,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`

	Start    string `json:"start,omitempty"`    // always (default), on-demand, manual
	IdleStop string `json:"idleStop,omitempty"` // a Go duration, on-demand only
	Sharing  string `json:"sharing,omitempty"`  // shared (default)
	Era      string `json:"era,omitempty"`      // auto (default), legacy, modern
	MaxLine  int    `json:"maxLine,omitempty"`  // MiB

	Ask      string         `json:"ask,omitempty"`      // a preset; "" follows the default
	Off      []string       `json:"off,omitempty"`      // tools that no host sees; * stands for any run of characters
	Trust    string         `json:"trust,omitempty"`    // full (default), limited, pending
	Changes  string         `json:"changes,omitempty"`  // ask (default), accept: what happens to new and changed tools
	Limits   *Limits        `json:"limits,omitempty"`   // of all hosts together
	Sampling *SamplingTerms `json:"sampling,omitempty"` // nil: the server gets no model
	Roots    []string       `json:"roots,omitempty"`    // folders the server is told of
}

// Values of Entry.Trust.
const (
	TrustFull    = "full"    // it runs, and what its tools say of themselves is believed
	TrustLimited = "limited" // it runs; its annotations are not believed
	TrustPending = "pending" // it doesn't run before a person has seen what would run
)

// Host is an AI application that was given a token.
type Host struct {
	Name     string    `json:"name"`
	Created  time.Time `json:"created"`
	LastSeen time.Time `json:"lastSeen,omitzero"`
	Client   string    `json:"client,omitempty"`   // clientInfo name and version of its last session
	Protocol string    `json:"protocol,omitempty"` // revision of its last request
	Sessions int       `json:"sessions,omitempty"`
	Calls    uint64    `json:"calls,omitempty"` // tool calls since the core started
	Terms    HostTerms `json:"terms,omitzero"`  // what a person chose for it
}

// EditHost changes what is chosen for a host: nil fields mean unchanged.
type EditHost struct {
	Ask       *string `json:"ask,omitempty"`            // "": as its servers say
	Questions *string `json:"questions,omitempty"`      // "": here
	PerMinute *int    `json:"callsPerMinute,omitempty"` // 0: no limit
	AtOnce    *int    `json:"callsAtOnce,omitempty"`    // 0: no limit
}

// Apply returns t with the changes made.
func (e EditHost) Apply(t HostTerms) HostTerms {
	var limits Limits
	if t.Limits != nil {
		limits = *t.Limits
	}
	replace(&t.Ask, e.Ask)
	replace(&t.Questions, e.Questions)
	replace(&limits.PerMinute, e.PerMinute)
	replace(&limits.AtOnce, e.AtOnce)
	t.Limits = &limits
	if limits == (Limits{}) {
		t.Limits = nil
	}
	return t
}

func replace[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// NewHost is the answer to adding a host: the only time its token is shown.
type NewHost struct {
	Name  string `json:"name"`
	Token string `json:"token"`
	URL   string `json:"url"`
}

// Tool is one tool of a server: its own name, the name hosts see, and the
// definition byte for byte.
type Tool struct {
	Name       string          `json:"name"`
	Seen       string          `json:"seen"`              // on the merged endpoint; "" when it is hidden there
	Hidden     string          `json:"hidden,omitempty"`  // why
	Limited    string          `json:"limited,omitempty"` // from which hosts it is hidden there, and why
	Off        bool            `json:"off,omitempty"`     // hidden everywhere: switched off, or a person has to see it first
	ReadOnly   bool            `json:"readOnly"`          // by its own word
	Notes      []string        `json:"notes,omitempty"`   // what a person should look at: hidden characters, look-alikes
	Definition json.RawMessage `json:"definition"`
}

// AddServer asks for a new entry. Start is taken from the entry.
type AddServer struct {
	Name  string `json:"name"`
	Entry Entry  `json:"entry"`
}

// EditServer changes an entry: nil fields mean unchanged. Env sets or, with a
// nil value, removes single variables.
type EditServer struct {
	Command  *string            `json:"command,omitempty"`
	Args     *[]string          `json:"args,omitempty"`
	Env      map[string]*string `json:"env,omitempty"`
	Cwd      *string            `json:"cwd,omitempty"`
	Disabled *bool              `json:"disabled,omitempty"`
	Start    *string            `json:"start,omitempty"`
	IdleStop *string            `json:"idleStop,omitempty"`
	Sharing  *string            `json:"sharing,omitempty"`
	Era      *string            `json:"era,omitempty"`
	MaxLine  *int               `json:"maxLine,omitempty"`

	Ask      *string        `json:"ask,omitempty"`
	Off      *[]string      `json:"off,omitempty"`
	Trust    *string        `json:"trust,omitempty"`
	Changes  *string        `json:"changes,omitempty"`
	Limits   *Limits        `json:"limits,omitempty"`   // all zero: none
	Sampling *SamplingTerms `json:"sampling,omitempty"` // not enabled: none
	Roots    *[]string      `json:"roots,omitempty"`
}

// CallTool asks for one tool call as the host "cli"; the gate decides as for
// any other host.
type CallTool struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// ServerRequest asks one server for what it offers besides tools: its resources,
// prompts and completions. The answer is the raw result.
type ServerRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"` // an object
}

// Directions of a TraceLine, as the server sees them.
const (
	TraceIn  = "in"  // from the server
	TraceOut = "out" // to the server
)

// TraceLine is one message between us and a server.
type TraceLine struct {
	Time      time.Time `json:"time"`
	Scope     string    `json:"scope,omitempty"` // of the instance; "" is the shared one
	Direction string    `json:"direction"`
	Bytes     int       `json:"bytes"`
	Text      string    `json:"text"`
	Cut       bool      `json:"cut,omitempty"`  // only the beginning is shown
	Lost      int       `json:"lost,omitempty"` // messages before it that the reader was too slow for
}

// LogLine is one line a server wrote, or a note of the supervisor about it.
type LogLine struct {
	Seq    uint64    `json:"seq"` // grows by one per line of this server, never reused in one run
	Time   time.Time `json:"time"`
	Server string    `json:"server"`
	Source string    `json:"source"` // stderr, stdout (a stray line), bridgekeeper (a note)
	Text   string    `json:"text"`
	Cut    bool      `json:"cut,omitempty"` // the line was longer than the cap
}

// Event is one line of the watch stream: exactly one field is set.
type Event struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	Notice   *Notice   `json:"notice,omitempty"`
	// Show asks the window process to show itself: a page's name, or one of the
	// Show constants.
	Show string `json:"show,omitempty"`
}

// What Event.Show can ask for besides a page.
const (
	ShowWindow   = "window"    // the window at the page it last showed
	ShowNoTray   = "no-tray"   // the same, and say once that this desktop has no tray
	ShowCopyURL  = "copy-url"  // no window: put the endpoint's address on the clipboard
	ShowQuestion = "question/" // and the ID: the pop-up of that question
	ShowLogs     = "logs/"     // and the name of a server: its log
)

// Notice is something a person may want to be told once.
type Notice struct {
	Level string `json:"level"` // info, warning, error
	Text  string `json:"text"`
}
