package wire

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Kinds of entries of the record.
const (
	ActivityCall     = "call"
	ActivityQuestion = "question" // how a question to a person ended
	ActivityChange   = "change"   // of a rule, a switch, trust
	ActivityRecord   = "record"   // what Bridgekeeper found about the record itself
)

// Outcomes that the record itself gives; all others are what the call's end said.
const (
	OutcomeUnknown = "unknown" // it isn't known whether the call took effect
	OutcomeRunning = "running" // in a query: sent, and not ended yet
)

// Formats of an export.
const (
	FormatJSONL = "jsonl"
	FormatCSV   = "csv"
)

// Activity is one entry of the record: a tool call with its decision and, once
// it has ended, how; or another decision that a person should find again.
type Activity struct {
	ID       string          `json:"id"` // hexadecimal, grows with time
	Time     time.Time       `json:"time"`
	Kind     string          `json:"kind"` // call, question, change (of a rule, a switch, trust), record
	Host     string          `json:"host,omitempty"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Session  string          `json:"session,omitempty"`  // a name for the host's session, not its id
	Decision string          `json:"decision,omitempty"` // allow, deny
	Rule     string          `json:"rule,omitempty"`     // why, in words
	By       string          `json:"by,omitempty"`       // who decided: policy, terminal, window, cli, host, nobody
	ArgBytes int             `json:"argBytes,omitempty"` // size of the arguments
	ArgSum   string          `json:"argSum,omitempty"`   // first 16 hexadecimal digits of their SHA-256
	Args     json.RawMessage `json:"args,omitempty"`     // only when the person opted in; a string with their beginning when they are long
	Text     string          `json:"text,omitempty"`     // what a change was, in words

	Outcome string    `json:"outcome,omitempty"` // ok, tool_error, error, cancelled, refused, server_down, unknown; "" while it runs or was never sent
	Ended   time.Time `json:"ended,omitzero"`
	Bytes   int       `json:"bytes,omitempty"` // size of the result
	MS      float64   `json:"ms,omitempty"`    // how long the server took
}

// ActivityQuery picks entries of the record; zero fields mean any. In host, server
// and tool * stands for any run of characters.
type ActivityQuery struct {
	Host     string    `json:"host,omitempty"`
	Server   string    `json:"server,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Decision string    `json:"decision,omitempty"`
	Outcome  string    `json:"outcome,omitempty"` // also running
	Kind     string    `json:"kind,omitempty"`
	Since    time.Time `json:"since,omitzero"` // of the begin, as Until
	Until    time.Time `json:"until,omitzero"`
	Limit    int       `json:"limit,omitempty"` // the newest so many; 0 is all, -1 (to follow) none
}

// Values is the query as a URL has it.
func (q ActivityQuery) Values() url.Values {
	v := url.Values{}
	for _, f := range q.texts() {
		if *f.text != "" {
			v.Set(f.name, *f.text)
		}
	}
	if !q.Since.IsZero() {
		v.Set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	if !q.Until.IsZero() {
		v.Set("until", q.Until.UTC().Format(time.RFC3339Nano))
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

// ParseActivityQuery reads what Values wrote. Names that it doesn't know are
// refused: they would be wishes that are silently not granted.
func ParseActivityQuery(v url.Values) (ActivityQuery, error) {
	var q ActivityQuery
	texts := q.texts()
	for name, values := range v {
		value := values[0]
		var err error
		switch i := slices.IndexFunc(texts, func(t queryText) bool { return t.name == name }); {
		case i >= 0:
			*texts[i].text = value
		case name == "since":
			q.Since, err = time.Parse(time.RFC3339, value)
		case name == "until":
			q.Until, err = time.Parse(time.RFC3339, value)
		case name == "limit":
			q.Limit, err = strconv.Atoi(value)
		default:
			return q, badQuery("there is no filter %.40q", name)
		}
		if err != nil {
			return q, badQuery("%s is %.40q: times are written like 2026-01-31T15:04:05Z, a limit is a number", name, value)
		}
	}
	return q, q.Check()
}

// Check says what in a query can never fit.
func (q ActivityQuery) Check() error {
	kinds := []string{"", ActivityCall, ActivityQuestion, ActivityChange, ActivityRecord}
	switch {
	case !slices.Contains([]string{"", "allow", "deny"}, q.Decision):
		return badQuery("the decision is %.40q: it must be allow or deny", q.Decision)
	case !slices.Contains(kinds, q.Kind):
		return badQuery("the kind is %.40q: it must be call, question, change or record", q.Kind)
	case q.Limit < -1:
		return badQuery("the limit is %d: it must be a number from 0", q.Limit)
	case !q.Since.IsZero() && !q.Until.IsZero() && q.Until.Before(q.Since):
		return badQuery("the time until which to look is before the time since which to look")
	}
	return nil
}

type queryText struct {
	name string
	text *string
}

func (q *ActivityQuery) texts() []queryText {
	return []queryText{{"host", &q.Host}, {"server", &q.Server}, {"tool", &q.Tool}, {"decision", &q.Decision}, {"outcome", &q.Outcome}, {"kind", &q.Kind}}
}

func badQuery(format string, args ...any) error {
	return &Error{Code: CodeBadRequest, Message: fmt.Sprintf(format, args...)}
}

// ActivityCheck says whether the record is whole.
type ActivityCheck struct {
	OK      bool     `json:"ok"`
	Lines   int      `json:"lines"`            // that were looked at
	Older   int      `json:"older,omitempty"`  // of them written before there was a chain: they can't be checked
	Files   int      `json:"files"`            // that were looked at
	Breaks  []Broken `json:"breaks,omitempty"` // places at which lines were changed, cut, added or moved
	More    int      `json:"more,omitempty"`   // breaks beyond those
	Notes   []Broken `json:"notes,omitempty"`  // what looks strange and is explained
	Oldest  string   `json:"oldest,omitempty"` // time of the first line; older ones were rotated away
	Number  uint64   `json:"number,omitempty"` // of the newest line
	Digest  string   `json:"digest,omitempty"` // of that line: noted elsewhere it shows a record that was written anew
	Problem string   `json:"problem,omitempty"`
}

// Broken is one place of the record that isn't as it was written.
type Broken struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 is the file as a whole
	Text string `json:"text"`           // what is wrong, as a sentence
}
