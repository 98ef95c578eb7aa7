package wire

import (
	"encoding/json"
	"time"
)

// Activity is one entry of the record: a tool call with its decision and, once
// it has ended, how; or another decision that a person should find again.
type Activity struct {
	ID       string          `json:"id"` // hexadecimal, grows with time
	Time     time.Time       `json:"time"`
	Kind     string          `json:"kind"` // call, question, change (of a rule, a switch, trust)
	Host     string          `json:"host,omitempty"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Decision string          `json:"decision"`           // allow, deny
	Rule     string          `json:"rule,omitempty"`     // why, in words
	By       string          `json:"by,omitempty"`       // who decided: policy, terminal, window, cli, host, nobody
	ArgBytes int             `json:"argBytes,omitempty"` // size of the arguments
	ArgSum   string          `json:"argSum,omitempty"`   // first 16 hexadecimal digits of their SHA-256
	Args     json.RawMessage `json:"args,omitempty"`     // only when the person opted in
	Text     string          `json:"text,omitempty"`     // what a change was, in words

	Outcome string    `json:"outcome,omitempty"` // ok, tool_error, error, cancelled, refused, server_down, unknown; "" while it runs or was never sent
	Ended   time.Time `json:"ended,omitzero"`
	Bytes   int       `json:"bytes,omitempty"` // size of the result
	MS      float64   `json:"ms,omitempty"`    // how long the server took
}

// ActivityQuery picks entries of the record; zero fields mean any.
type ActivityQuery struct {
	Host     string    `json:"host,omitempty"`
	Server   string    `json:"server,omitempty"`
	Tool     string    `json:"tool,omitempty"` // * stands for any run of characters
	Decision string    `json:"decision,omitempty"`
	Outcome  string    `json:"outcome,omitempty"`
	Kind     string    `json:"kind,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Until    time.Time `json:"until,omitzero"`
	Limit    int       `json:"limit,omitempty"` // the newest so many; 0 is all
}

// ActivityCheck says whether the record is whole.
type ActivityCheck struct {
	OK      bool     `json:"ok"`
	Entries int      `json:"entries"`           // lines that were looked at
	Files   int      `json:"files"`             // files that were looked at
	Breaks  []Broken `json:"breaks,omitempty"`  // places at which lines were changed, cut or added
	Oldest  string   `json:"oldest,omitempty"`  // time of the first line; older ones were rotated away
	Problem string   `json:"problem,omitempty"` // why it could not be looked at
}

// Broken is one place of the record that isn't as it was written.
type Broken struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"` // what is wrong, as a sentence
}
