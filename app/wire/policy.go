package wire

// Presets: how much is asked, for a server or for a host.
const (
	PresetEverything  = "everything"  // every call
	PresetChanges     = "changes"     // every call but of read-only tools of trusted servers (the default)
	PresetDestructive = "destructive" // calls of tools that may destroy; absent annotations mean they may
	PresetNever       = "never"       // none
)

// Verdicts of the policy.
const (
	VerdictAllow = "allow"
	VerdictAsk   = "ask"
	VerdictDeny  = "deny"

	VerdictHeld = "held" // a person has to see what the tool has become, first
	VerdictOff  = "off"  // the tool is switched off: denied, and on no list
)

// Rule is one standing rule. Host, server and tool are names in which * stands
// for any run of characters; "" is *.
type Rule struct {
	Host   string `json:"host,omitempty"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Args is a digest of arguments (see Activity.ArgSum, in full length): the rule
	// is for calls with exactly these. Such a rule names one server and one tool.
	Args string `json:"args,omitempty"`
	Do   string `json:"do"` // allow, ask, deny
	Note string `json:"note,omitempty"`
}

// Limits bound what a host, or a server, may do; 0 is no limit.
type Limits struct {
	PerMinute int `json:"callsPerMinute,omitempty"`
	AtOnce    int `json:"callsAtOnce,omitempty"`
}

// Explanation tells what would happen to a call, and why.
type Explanation struct {
	Verdict string   `json:"verdict"` // allow, ask, deny, held, off
	Because string   `json:"because"` // the rule that decided, as a sentence
	Rule    *Rule    `json:"rule,omitempty"`
	Facts   []string `json:"facts"`            // what was known, one sentence each
	Passed  []string `json:"passed,omitempty"` // rules that matched, too, but were less specific
}
