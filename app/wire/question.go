package wire

import (
	"encoding/json"
	"time"
)

// Kinds of questions to a person.
const (
	AskCall           = "call"            // may this tool run?
	AskForm           = "form"            // a server wants values (elicitation, form mode)
	AskURL            = "url"             // a server wants a web page opened (elicitation, URL mode)
	AskSampling       = "sampling"        // a server wants a model to answer a prompt
	AskSamplingResult = "sampling_result" // may the model's answer go to the server?
	AskFirstRun       = "first_run"       // may this command run at all?
	AskChangedTool    = "changed_tool"    // a tool is new or not what it was
	AskNewHost        = "new_host"        // a program asks for a host's token
	AskLower          = "lower"           // a program asks for less protection
)

// Choices of an answer. Which of them a question takes is in its Choices.
const (
	ChooseDeny    = "deny"      // no; for a form and a URL: decline
	ChooseCancel  = "cancel"    // closed without an answer (forms and URLs)
	ChooseOnce    = "once"      // yes, this time; for a form and a URL: accept
	ChooseSession = "session"   // yes, until the host's session ends (modern hosts: until the core ends)
	ChooseMinutes = "minutes"   // yes, for 15 minutes
	ChooseTool    = "tool"      // yes, always this tool
	ChooseArgs    = "arguments" // yes, always this tool with these arguments
)

// Question waits for a person.
type Question struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Asked    time.Time `json:"asked"`
	Deadline time.Time `json:"deadline"`
	Host     string    `json:"host,omitempty"` // "" when it isn't known whose call made the server ask
	Server   string    `json:"server,omitempty"`
	Tool     string    `json:"tool,omitempty"`  // of the call that runs or wants to run
	Why      string    `json:"why"`             // a sentence: why a person is asked
	Notes    []string  `json:"notes,omitempty"` // what a person should look at: hidden characters, a retry after an unknown outcome
	Choices  []string  `json:"choices"`
	Waiting  int       `json:"waiting,omitempty"` // identical calls that wait for the same answer, besides the first

	Call     *CallDetail     `json:"call,omitempty"`
	Form     *FormDetail     `json:"form,omitempty"`
	URL      *URLDetail      `json:"url,omitempty"`
	Sampling *SamplingDetail `json:"sampling,omitempty"`
	Command  *CommandDetail  `json:"command,omitempty"`
	Change   *ChangeDetail   `json:"change,omitempty"`
	Lower    *LowerDetail    `json:"lower,omitempty"`
}

// CallDetail is the call that wants to run.
type CallDetail struct {
	Title       string          `json:"title,omitempty"` // of the tool
	Description string          `json:"description,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"` // the server's own word
	Trusted     bool            `json:"trusted"`               // whether annotations are believed
	Arguments   json.RawMessage `json:"arguments,omitempty"`   // byte for byte; {} when there are none
	ArgBytes    int             `json:"argBytes"`
	Cut         bool            `json:"cut,omitempty"` // too long for a list: ask for the question alone
}

// FormDetail is a form that a server wants filled in. The fields are in the
// server's order.
type FormDetail struct {
	Message string      `json:"message"`
	Fields  []FormField `json:"fields"`
}

// FormField is one value of a form.
type FormField struct {
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Type        string      `json:"type"` // string, number, integer, boolean, choice, choices
	Format      string      `json:"format,omitempty"`
	Pattern     string      `json:"pattern,omitempty"`
	MinLength   *int        `json:"minLength,omitempty"`
	MaxLength   *int        `json:"maxLength,omitempty"`
	Minimum     json.Number `json:"minimum,omitempty"`
	Maximum     json.Number `json:"maximum,omitempty"`
	// Bounds that are themselves no value.
	ExclusiveMinimum json.Number `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum json.Number `json:"exclusiveMaximum,omitempty"`

	MinItems *int            `json:"minItems,omitempty"`
	MaxItems *int            `json:"maxItems,omitempty"`
	Options  []FormOption    `json:"options,omitempty"` // of choice and choices
	Required bool            `json:"required,omitempty"`
	Default  json.RawMessage `json:"default,omitempty"`
	// Sensitive is set when the field's words ask for a password or a key: forms
	// must not be used for those.
	Sensitive bool `json:"sensitive,omitempty"`
}

// FormOption is one value to choose from.
type FormOption struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"`
}

// URLDetail is a web page that a server wants opened.
type URLDetail struct {
	Message string   `json:"message"`
	URL     string   `json:"url"`  // in full, as the server wrote it
	Host    string   `json:"host"` // the host's name that would be visited, in ASCII form
	Notes   []string `json:"notes,omitempty"`
}

// SamplingDetail is a prompt for a model, or the model's answer.
type SamplingDetail struct {
	Model      string            `json:"model,omitempty"` // that would be used, or was
	System     string            `json:"system,omitempty"`
	Messages   []SamplingMessage `json:"messages,omitempty"`
	MaxTokens  int               `json:"maxTokens,omitempty"`
	Tools      []string          `json:"tools,omitempty"`  // names of the tools the model may ask for
	Result     *SamplingMessage  `json:"result,omitempty"` // the model's answer, for the second question
	StopReason string            `json:"stopReason,omitempty"`
}

// SamplingMessage is one message: its text parts can be edited, other parts are
// described.
type SamplingMessage struct {
	Role  string         `json:"role"`
	Parts []SamplingPart `json:"parts"`
}

// SamplingPart is a piece of a message.
type SamplingPart struct {
	Type string `json:"type"` // text, image, audio, tool_use, tool_result
	Text string `json:"text"` // of a text part: what may be edited; otherwise a description
}

// CommandDetail is what would be started, untruncated.
type CommandDetail struct {
	Command string         `json:"command"`
	Args    []string       `json:"args,omitempty"`
	Env     []string       `json:"env,omitempty"` // names only
	Cwd     string         `json:"cwd,omitempty"`
	Source  string         `json:"source"`           // where the entry comes from, in words
	Before  *CommandDetail `json:"before,omitempty"` // what was approved earlier
}

// ChangeDetail is a tool that is new or not what it was.
type ChangeDetail struct {
	New    bool            `json:"new"` // there was no such tool when the server was trusted
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after"`
	Diff   []DiffLine      `json:"diff"`
}

// What a line of a difference is.
const (
	DiffSame  = "same"
	DiffGone  = "gone"
	DiffAdded = "added"
	DiffFold  = "fold" // stands for lines that aren't shown; its text says how many
)

// DiffLine is one line of a readable difference. What can't be seen in it, or
// turns text around, is written like \u{202e}.
type DiffLine struct {
	Op   string `json:"op"` // same, gone, added, fold
	Text string `json:"text"`
}

// LowerDetail is an edit that would lower protection.
type LowerDetail struct {
	What   string `json:"what"` // in words
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Answer is a person's answer to a question. The first one wins.
type Answer struct {
	Choice  string          `json:"choice"`
	Content json.RawMessage `json:"content,omitempty"` // of an accepted form: an object
	// Sampling is the prompt or result as the person edited it: the texts of all
	// text parts in order; nil means unchanged.
	Sampling *SamplingEdit `json:"sampling,omitempty"`
}

// SamplingEdit replaces texts of a prompt or a result.
type SamplingEdit struct {
	System *string  `json:"system,omitempty"`
	Texts  []string `json:"texts,omitempty"` // one for each text part, in order
}

// Settled is a question that is no longer open.
type Settled struct {
	Question
	At     time.Time `json:"at"`
	Choice string    `json:"choice,omitempty"` // of the answer that won
	By     string    `json:"by,omitempty"`     // who answered: terminal, window, cli
	End    string    `json:"end"`              // answered, expired, withdrawn, denied
	Reason string    `json:"reason,omitempty"` // of a withdrawal or a denial, as a sentence
}
