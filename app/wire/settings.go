package wire

// Settings are what the config file says besides its servers. The zero value is
// the default of each.
type Settings struct {
	Ask       string               `json:"ask,omitempty"`   // the preset of servers that have none; "" is changes
	Rules     []Rule               `json:"rules,omitempty"` // in the order of the file
	Hosts     map[string]HostTerms `json:"hosts,omitempty"` // by the host's name
	Questions QuestionTerms        `json:"questions,omitzero"`
	Models    []Model              `json:"models,omitempty"` // for servers' sampling; the first one is the default
	Record    RecordTerms          `json:"record,omitzero"`
	LegacySSE bool                 `json:"legacySSE,omitempty"` // serve the HTTP+SSE transport of 2024-11-05, too
	Registry  string               `json:"registry,omitempty"`  // address of the MCP registry that is searched; "" is the official one
}

// EditSettings changes settings: nil fields mean unchanged.
type EditSettings struct {
	Ask       *string        `json:"ask,omitempty"`
	Questions *QuestionTerms `json:"questions,omitempty"`
	Models    *[]Model       `json:"models,omitempty"` // all of them; a masked key stays what it was
	Record    *RecordTerms   `json:"record,omitempty"`
	LegacySSE *bool          `json:"legacySSE,omitempty"`
	Registry  *string        `json:"registry,omitempty"`
}

// Values of HostTerms.Questions and Entry.Changes.
const (
	QuestionsHere = "here"
	QuestionsHost = "host"
	ChangesAsk    = "ask"
	ChangesAccept = "accept"
)

// HostTerms are what a person chose for one host.
type HostTerms struct {
	Ask       string  `json:"ask,omitempty"`       // a preset; never, for a host that asks its own user
	Questions string  `json:"questions,omitempty"` // here (default), host: who shows servers' questions
	Limits    *Limits `json:"limits,omitempty"`
}

// QuestionTerms are how long questions wait. Times are Go durations.
type QuestionTerms struct {
	Deadline  string            `json:"deadline,omitempty"`  // "" is 5m
	Deadlines map[string]string `json:"deadlines,omitempty"` // by the question's kind
	// CLI lets the command line answer, also where no terminal and no window does.
	CLI bool `json:"cli,omitempty"`
}

// RecordTerms are what the record of calls keeps.
type RecordTerms struct {
	Arguments bool `json:"arguments,omitempty"` // whole, not only their size and digest
	KeepMiB   int  `json:"keepMiB,omitempty"`   // of all its files; 0 is the default
}

// SamplingTerms let a server ask for a model. Zero numbers are the defaults.
type SamplingTerms struct {
	Enabled       bool `json:"enabled"`
	PerHour       int  `json:"perHour,omitempty"`       // requests
	TokensPerHour int  `json:"tokensPerHour,omitempty"` // of prompts and answers together
	MaxTokens     int  `json:"maxTokens,omitempty"`     // of one answer
}

// Kinds of models.
const (
	ModelOpenAI    = "openai"
	ModelAnthropic = "anthropic"
)

// Model is one model that may answer servers' prompts.
type Model struct {
	Name         string `json:"name"`                   // our name for it
	Kind         string `json:"kind"`                   // openai (any compatible endpoint), anthropic
	URL          string `json:"url,omitempty"`          // base address; "" is the provider's own
	Model        string `json:"model"`                  // the provider's name for it
	Key          string `json:"key,omitempty"`          // masked for clients
	Cost         int    `json:"cost,omitempty"`         // 1 (dear) to 10 (cheap)
	Speed        int    `json:"speed,omitempty"`        // 1 to 10
	Intelligence int    `json:"intelligence,omitempty"` // 1 to 10
}
