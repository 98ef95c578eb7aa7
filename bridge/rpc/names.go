package rpc

// Members of a modern request's _meta (2026-07-28, basic/index).
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
)

// Protocol revisions, oldest first.
const (
	V20241105 = "2024-11-05"
	V20250326 = "2025-03-26"
	V20250618 = "2025-06-18"
	V20251125 = "2025-11-25"
	V20260728 = "2026-07-28"
)

// Legacy lists the revisions that begin with initialize, newest first.
var Legacy = []string{V20251125, V20250618, V20250326, V20241105}

// IsLegacy reports whether v is a revision that begins with initialize.
func IsLegacy(v string) bool {
	for _, known := range Legacy {
		if v == known {
			return true
		}
	}
	return false
}

// Error codes (JSON-RPC 2.0, and MCP's own since 2026-07-28).
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603

	CodeUserRejected = -1 // a person said no to sampling (client/sampling, "Error Handling")

	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022

	CodeResourceNotFound = -32002 // legacy only
	CodeURLElicitation   = -32042 // 2025-11-25 only
)

// Methods that a gateway treats in a way of its own.
const (
	Initialize           = "initialize"
	Initialized          = "notifications/initialized"
	Ping                 = "ping"
	Discover             = "server/discover"
	ListTools            = "tools/list"
	CallTool             = "tools/call"
	ListPrompts          = "prompts/list"
	GetPrompt            = "prompts/get"
	ListResources        = "resources/list"
	ListTemplates        = "resources/templates/list"
	ReadResource         = "resources/read"
	Subscribe            = "resources/subscribe"
	Unsubscribe          = "resources/unsubscribe"
	Listen               = "subscriptions/listen"
	Complete             = "completion/complete"
	SetLevel             = "logging/setLevel"
	ListRoots            = "roots/list"
	CreateMessage        = "sampling/createMessage"
	Elicit               = "elicitation/create"
	GetTask              = "tasks/get"
	TaskResult           = "tasks/result" // 2025-11-25 only, as the list
	ListTasks            = "tasks/list"
	CancelTask           = "tasks/cancel"
	UpdateTask           = "tasks/update" // the tasks extension only
	TaskStatus           = "notifications/tasks/status"
	TaskChanged          = "notifications/tasks" // the tasks extension's
	Progress             = "notifications/progress"
	Cancelled            = "notifications/cancelled"
	LogMessage           = "notifications/message"
	ToolsChanged         = "notifications/tools/list_changed"
	PromptsChanged       = "notifications/prompts/list_changed"
	ResourcesChanged     = "notifications/resources/list_changed"
	ResourceUpdated      = "notifications/resources/updated"
	RootsChanged         = "notifications/roots/list_changed"
	ElicitationCompleted = "notifications/elicitation/complete"
)
