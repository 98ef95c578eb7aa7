package bytes

import "strings"

// entry is one message of a host and what the server says to it. In a message
// @ID@ stands for the request's id, @TOKEN@ for its progress token, and @META@
// for what a host of 2026-07-28 must say in _meta; @MARK@ for the entry's mark,
// which must be in every message.
type entry struct {
	name       string
	eras       string // of host and server when only these: "legacy" or "modern"; "same" for no translation, "never" for a test of its own
	id         string // raw; a number without
	token      string // raw
	method     string // for the Mcp-Method header
	target     string // for the Mcp-Name header
	message    string
	answer     []string // the server's lines; none for a notification
	question   string   // a request of the server's, before the answer
	questionID string   // raw
	reply      string   // the host's answer to it, a result
	again      []string // the server's lines when the call is repeated with inputResponses
}

// call is a message that calls a tool; args and rest are spliced in.
func call(args, rest string) string {
	return `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{@META@"k":"@MARK@"},"name":"tool","arguments":` + args + rest + `}}`
}

// on is a message for any method; params begin with a comma when there are some.
func on(method, params string) string {
	return `{"jsonrpc":"2.0","id":@ID@,"method":"` + method + `","params":{"_meta":{@META@"k":"@MARK@"}` + params + `}}`
}

func result(r string) []string { return []string{`{"jsonrpc":"2.0","id":@ID@,"result":` + r + `}`} }
func failure(e string) []string {
	return []string{`{"jsonrpc":"2.0","id":@ID@,"error":` + e + `}`}
}

const plain = `{"content":[{"type":"text","text":"x"}]}`

// depth is just below what encoding/json reads, for the peer uses it. Deeper
// results are among those of test/misbehave.
const depth = 9_900

// odd are values that a typed reader loses or breaks; all of them are legal.
var odd = map[string]string{
	"integers":  `{"id":12345678901234567890,"neg":-98765432109876543210,"safe":9007199254740993}`,
	"numbers":   `{"one":1.0,"huge":1e400,"tiny":1E-400,"zero":-0,"minus":-0.0,"exp":1e+2,"long":3.14159265358979323846264338327950288}`,
	"escapes":   `{"s":"nul \u0000 lone \ud800 \udfff pair \ud83d\ude00 slash \/ del \u007F ls \u2028"}`,
	"unicode":   "{\"s\":\"grüße 日本 \U0001F600 \u2028 <script>&amp;</script>\"}",
	"duplicate": `{"a":1,"a":2,"\u0061":3,"b":{"c":1,"c":2}}`,
	"unordered": `{"z":1,"a":2,"m":{"9":0,"1":0,"":null}}`,
	"spaces":    "{ \"a\" : [ 1 ,\t2 ] ,  \"b\" :  { } }",
	"empties":   `{"a":{},"b":[],"c":"","d":null,"":""}`,
	"lookalike": `{"id":5,"method":"tools/call","jsonrpc":"1.0","result":{"id":6},"error":{"code":1},"_meta":{"progressToken":"not a token"}}`,
	"deep":      `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`,
}

// corpus is everything that must pass as it is.
var corpus = append([]entry{
	// The message itself.
	{name: "keys-unordered", method: "tools/call", target: "tool",
		message: `{"params":{"name":"tool","z":[],"arguments":{},"_meta":{@META@"k":"@MARK@"}},"method":"tools/call","id":@ID@,"jsonrpc":"2.0"}`,
		answer:  []string{`{"result":{"content":[]},"x":{"y":1.0},"id":@ID@,"jsonrpc":"2.0"}`}},
	{name: "members-unknown", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","acme":{"trace":1.50},"id":@ID@,"method":"tools/call","params":{"acme/x":[1e2],"name":"tool","arguments":{},"_meta":{@META@"k":"@MARK@","acme/y":{"z":null},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},"task":null}}`,
		answer:  []string{`{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"x","acme":1.0}],"acme:extra":{"keep":"me"}},"acme":[]}`}},
	{name: "spaces-between", eras: "same" /* else _meta is another one */, method: "tools/call", target: "tool",
		message: "{ \"jsonrpc\" : \"2.0\" ,\t\"id\" : @ID@ , \"method\" : \"tools/call\" , \"params\" : { \"name\" : \"tool\" , \"_meta\" : {@META@ \"k\" : \"@MARK@\" } } }",
		answer:  []string{"{ \"jsonrpc\" : \"2.0\" ,\t\"id\" : @ID@ , \"result\" : { \"content\" : [ ] } }"}},
	{name: "method-escaped", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools\/call","params":{"_meta":{@META@"k":"@MARK@"},"name":"tool","arguments":{}}}`, answer: result(plain)},
	{name: "name-odd", method: "tools/call", target: "wetter/ü 😀",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{@META@"k":"@MARK@"},"name":"wetter\/\u00fc \ud83d\ude00","arguments":{}}}`, answer: result(plain)},
	{name: "no-arguments", method: "tools/call", target: "tool", message: on("tools/call", `,"name":"tool"`), answer: result(plain)},
	{name: "null-arguments", method: "tools/call", target: "tool", message: call("null", ""), answer: result(plain)},
	{name: "array-arguments", method: "tools/call", target: "tool", message: call("[1,2]", ""), answer: result(plain)},
	{name: "no-params", eras: "legacy", method: "tools/list", message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/list","x":"@MARK@"}`, answer: result(`{"tools":[]}`)},
	// Ids and tokens.
	{name: "id-zero", id: "0", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-negative", id: "-7", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-huge", id: "98765432109876543210", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-empty", id: `""`, method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-text", id: `"höst \u0000 \ud800 \/ 1"`, method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-like-ours", id: `"1"`, method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain)},
	{name: "id-error", id: "98765432109876543210", method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":-32602,"message":"no"}`)},
	{name: "progress", token: `"tök \u0000 1"`, method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{@META@"k":"@MARK@","progressToken":@TOKEN@},"name":"tool","arguments":{}}}`,
		answer: []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.50,"progressToken":@TOKEN@,"message":"\ud800","acme":1.0}}`,
			`{"params":{"progressToken":@TOKEN@,"_meta":{"a":1e400},"progress":1,"total":1e2},"method":"notifications/progress","jsonrpc":"2.0"}`,
			`{"jsonrpc":"2.0","id":@ID@,"result":{"content":[]}}`,
		}},
	{name: "token-zero", token: "0", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{"progressToken":@TOKEN@,@META@"k":"@MARK@"},"name":"tool","arguments":{}}}`,
		answer: []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@TOKEN@,"progress":1}}`,
			`{"jsonrpc":"2.0","id":@ID@,"result":{"content":[]}}`,
		}},
	{name: "token-huge", token: "123456789012345678901234567890", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{@META@"k":"@MARK@","progressToken":@TOKEN@},"name":"tool","arguments":{}}}`,
		answer: []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@TOKEN@,"progress":1}}`,
			`{"jsonrpc":"2.0","id":@ID@,"result":{"content":[]}}`,
		}},
	// Log messages and notifications that nobody knows, on the call's stream.
	{name: "log", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: append([]string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"n":1.0,"a":[]},"logger":null,"acme":1e400}}`}, result(plain)...)},
	{name: "log-modern", eras: "modern", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{@META@"k":"@MARK@","io.modelcontextprotocol/logLevel":"debug"},"name":"tool"}}`,
		answer:  append([]string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":{"n":1.0,"a":[]},"logger":null,"acme":1e400}}`}, result(plain)...)},
	{name: "notification-unknown", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: append([]string{`{"jsonrpc":"2.0","method":"notifications/acme/half-done","params":{"n":1.0}}`}, result(plain)...)},
	{name: "late-news", eras: "never", method: "tools/call", target: "tool", message: call("{}", ""), answer: append(result(plain),
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"n":1.0,"s":"\ud800"},"acme":1e400}}`,
		`{"params":{"n":1.0,"s":"\u0000"},"method":"notifications/acme/late","acme":[],"jsonrpc":"2.0"}`)},
	// Results.
	{name: "result-unknown-content", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"content":[{"type":"hologram","beam":{"x":1.0,"y":[2,3]}},{"type":"text","text":"after"},{"type":"","text":""},{"type":"text"}]}`)},
	{name: "result-duplicate", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"content":[{"type":"text","text":"first"}],"content":[{"type":"text","text":"second","text":"third"}],"isError":false,"isError":false}`)},
	{name: "result-is-error", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"isError":true,"content":[{"type":"text","text":"no such file"}],"structuredContent":null}`)},
	{name: "result-null-content", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(`{"content":null}`)},
	{name: "result-meta", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"_meta":{"acme/trace":"7","progressToken":"not a token","ui":{"resourceUri":"ui://a/b"}},"content":[],"x":null}`)},
	{name: "result-empty", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(`{}`)},
	{name: "result-leaked-inputs", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"content":null,"inputRequests":{"a":{"method":"elicitation/create"}},"requestState":"s"}`)},
	{name: "result-type", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"content":[],"resultType":"complete","acme":1.0}`)},
	{name: "result-task", eras: "modern", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: result(`{"resultType":"task","taskId":"t-1","status":"working","ttlMs":60000,"pollIntervalMs":1e3}`)},
	{name: "result-input-required", eras: "modern", method: "tools/call", target: "tool",
		message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","k":"@MARK@","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"acme":1.0}},"name":"tool","inputResponses":{"\u0061":{"n":1e400}}}}`,
		answer:  result(`{"content":null,"resultType":"input_required","requestState":"s \ud800 \/","inputRequests":{"k\u0000":{"params":{"message":"\u2028","requestedSchema":{"type":"object","properties":{"n":{"default":1.0,"type":"number"}}}},"method":"elicitation/create"}}}`)},
	// Errors.
	{name: "error-zero", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: failure(`{"code":0,"message":"","data":{"big":12345678901234567890,"z":1.0,"a":null}}`)},
	{name: "error-own", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: failure(`{"message":"mine","data":[1.0,"\ud800"],"code":12345,"acme":{"x":1e400}}`)},
	{name: "error-range", method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":-32000,"message":"m","data":"text"}`)},
	{name: "error-params", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: []string{`{"error":{"data":{"uri":"\u0000"},"code":-32602,"message":"Größe \/"},"id":@ID@,"jsonrpc":"2.0","x":1.0}`}},
	{name: "error-huge", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":-99999999999999999999,"message":"m"}`)},
	{name: "error-fraction", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":1.0,"message":"m"}`)},
	{name: "error-no-message", eras: "same", method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":5}`)},
	{name: "error-url", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", ""),
		answer: failure(`{"code":-32042,"message":"visit","data":{"elicitations":[{"mode":"url","url":"http:\/\/a.example\/","elicitationId":"e-1","message":"m"}]}}`)},
	{name: "error-resource", eras: "legacy", method: "resources/read", target: "test://none", message: on("resources/read", `,"uri":"test://none"`),
		answer: failure(`{"code":-32002,"message":"Resource not found","data":{"uri":"test:\/\/none"}}`)},
	// Lists.
	{name: "list-cursor-empty", method: "tools/list", message: on("tools/list", `,"cursor":""`), answer: result(`{"tools":[],"nextCursor":""}`)},
	{name: "list-cursor-odd", method: "resources/list", message: on("resources/list", `,"cursor":"\ud800\u0000 \/"`), answer: result(`{"nextCursor":"\udfff","resources":[]}`)},
	{name: "list-cursor-null", method: "prompts/list", message: on("prompts/list", `,"cursor":null`), answer: result(`{"prompts":[],"nextCursor":null}`)},
	{name: "list-definitions", method: "tools/list", message: on("tools/list", ""),
		answer: result(`{"tools":[{"x-acme":{"n":12345678901234567890,"f":1.0},"inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","$defs":{"b":{"$anchor":"a"},"a":{}},"properties":{"n":{"multipleOf":0.10,"maximum":1e400}},"x-y":null},"name":"a.b\/c","description":"\u00e9\ud800","outputSchema":{"type":"object"},"icons":[],"execution":{"taskSupport":"optional"}}]}`)},
	// Everything else of the core.
	{name: "read-ui", method: "resources/read", target: "ui://widgets/a?b=c#d", message: on("resources/read", `,"uri":"ui://widgets/a?b=c#d"`),
		answer: result(`{"contents":[{"uri":"ui://widgets/a?b=c#d","mimeType":"text/html;profile=mcp-app","text":"<html>\u2028<\/html>","_meta":{"ui":{"csp":{"connectDomains":[]},"prefersBorder":true}}}]}`)},
	{name: "read-odd-uri", method: "resources/read", target: "weird:ü %zz", message: on("resources/read", `,"uri":"weird:\u00fc %zz"`),
		answer: result(`{"contents":[{"uri":"other://","blob":"====","acme":1.0}]}`)},
	{name: "prompt-odd", method: "prompts/get", target: "p", message: on("prompts/get", `,"name":"p","arguments":{"a":"\ud800","a":"twice"}`),
		answer: result(`{"messages":[{"role":"robot","content":[{"type":"x"}]}],"description":null}`)},
	{name: "complete-odd", method: "completion/complete",
		message: on("completion/complete", `,"ref":{"type":"ref/acme","q":1.0},"argument":{"value":"","name":"\u0000"},"context":{"arguments":{"z":"1","a":"2"}}`),
		answer:  result(`{"completion":{"values":["\ud800"],"total":1e0,"hasMore":null,"acme":{}}}`)},
	{name: "method-unknown", eras: "same", method: "acme/öther thing", message: on(`acme/\u00f6ther thing`, `,"n":1.0`), answer: result(`{"deep":{"n":1.0,"\u0061":[]}}`)},
	{name: "method-unknown-fails", eras: "same", method: "acme/other", message: on("acme/other", ""), answer: failure(`{"code":-32601,"message":"never \/ heard","data":1.0}`)},
	// Tasks: those of 2025-11-25 and the extension.
	{name: "task-hint", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", `,"task":{"ttl":60000.0,"acme":[]}`),
		answer: result(`{"task":{"taskId":"t\u0000-1","status":"working","ttl":null,"pollInterval":5e3,"createdAt":"?"}}`)},
	{name: "task-made", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", `,"task":{}`), // for those below: a host sees its own tasks only
		answer: result(`{"task":{"n":1.0,"taskId":"t-1","status":"working","ttl":60000}}`)},
	{name: "tasks-get", eras: "same", method: "tasks/get", target: "t-1", message: on("tasks/get", `,"taskId":"t-1"`), answer: result(`{"taskId":"t-1","status":"acme","n":1.0,"resultType":"complete"}`)},
	{name: "tasks-result", eras: "legacy", method: "tasks/result", target: "t-1", message: on("tasks/result", `,"taskId":"t-1"`),
		answer: result(`{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1","n":1.0}}}`)},
	{name: "tasks-list", eras: "legacy", method: "tasks/list", message: on("tasks/list", `,"cursor":""`), answer: result(`{"tasks":[{"taskId":"t\u002d1","n":1.0} , {"n":1e400,"taskId":"t-1"}],"nextCursor":""}`)},
	{name: "tasks-cancel", eras: "same", method: "tasks/cancel", target: "t-1", message: on("tasks/cancel", `,"taskId":"t-1"`), answer: result(`{"n":1.0,"resultType":"complete"}`)},
	{name: "tasks-update", eras: "modern", method: "tasks/update", target: "t-1", message: on("tasks/update", `,"taskId":"t-1","inputResponses":{"k\u0000":{"n":1e400}}`), answer: result(`{"n":1.0,"resultType":"complete"}`)},
	// A question of the server's, and the host's answer.
	{name: "question", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain), questionID: `"q \u0000"`,
		question: `{"params":{"message":"\ud800 \/","requestedSchema":{"type":"object","properties":{"n":{"default":1.0,"type":"number"}}},"acme":{"x":1e400}},"method":"elicitation/create","id":"q \u0000","jsonrpc":"2.0"}`,
		reply:    `{"action":"accept","content":{"n":1.0,"z":12345678901234567890,"a":"\ud800"},"acme":null}`},
	{name: "question-sampling", eras: "legacy", method: "tools/call", target: "tool", message: call("{}", ""), answer: result(plain), questionID: "0",
		question: `{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1e2,"temperature":0.50,"tools":[{"name":"t","inputSchema":{"n":1.0}}],"metadata":{"z":1,"a":2}}}`,
		reply:    `{"role":"assistant","content":[{"type":"tool_use","input":{"n":1.0}}],"model":"\u0000","stopReason":null}`},
	// Questions of a modern server's; to a host of its era they are a result.
	{name: "rounds", eras: "modern", method: "tools/call", target: "tool", message: call(`{"n":1.0}`, ""), reply: `{"action":"accept","content":{"n":1.0,"a":"\ud800"},"acme":null}`,
		answer: result(`{"resultType":"input_required","inputRequests":{"k \u0000":{"method":"elicitation/create","params":{"message":"\ud800 \/","requestedSchema":{"type":"object","properties":{"n":{"default":1.0}}},"acme":1e400}}},"requestState":"s \ud800 \/"}`),
		again:  result(`{"content":[{"type":"text","text":"\u2028"}],"acme":1.0}`)},
}, oddEntries()...)

// oddEntries send each odd value up as arguments, and down as a result and as
// an error's data.
func oddEntries() (entries []entry) {
	for name, value := range odd {
		entries = append(entries,
			entry{name: "up-" + name, method: "tools/call", target: "tool", message: call(value, ""), answer: result(plain)},
			entry{name: "down-" + name, method: "tools/call", target: "tool", message: call("{}", ""), answer: result(`{"content":[],"structuredContent":` + value + `}`)},
			entry{name: "meta-" + name, method: "tools/call", target: "tool",
				message: `{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"name":"tool","arguments":{},"_meta":{@META@"k":"@MARK@","acme":` + value + `}}}`, answer: result(plain)},
			entry{name: "data-" + name, method: "tools/call", target: "tool", message: call("{}", ""), answer: failure(`{"code":77,"message":"m","data":` + value + `}`)},
		)
	}
	return entries
}
