package httpd

import (
	"testing"

	"bridgekeeper/bridge/rpc"
)

// Headers that repeat arguments (2026-07-28).
func TestParamHeaders(t *testing.T) {
	d := open(t)
	d.rooms.Set(rpc.ListTools, `{"tools":[{"name":"book","inputSchema":{"type":"object","properties":{
		"room":{"type":"string","x-mcp-header":"roomId"},"n":{"type":"integer","x-mcp-header":"N"},"loud":{"type":"boolean","x-mcp-header":"Loud"},
		"who":{"type":"object","properties":{"name":{"type":"string","x-mcp-header":"Who-Name"}}},"bad":{"type":"string","x-mcp-header":"a b"}}}}]}`)
	d.retoolOnly("book")
	for _, one := range []struct {
		what, arguments string
		lines           []string
		status          int
	}{
		{"none", `{}`, nil, 200},
		{"null", `{"room":null,"who":null}`, nil, 200},
		{"no arguments", ``, nil, 200},
		{"present", `{"room":"r1"}`, []string{"Mcp-Param-RoomId: r1"}, 200},
		{"of other case", `{"room":"r1"}`, []string{"mcp-param-ROOMID: r1"}, 200},
		{"blanks around", `{"room":"r1"}`, []string{"Mcp-Param-roomId:  r1\t"}, 200},
		{"escaped in the body", `{"room":"r\u0031"}`, []string{"Mcp-Param-roomId: r1"}, 200},
		{"base64", `{"room":" grün\n"}`, []string{"Mcp-Param-roomId: =?base64?IGdyw7xuCg==?="}, 200},
		{"base64 of another", `{"room":"x"}`, []string{"Mcp-Param-roomId: =?base64?IGdyw7xuCg==?="}, 400},
		{"empty", `{"room":""}`, []string{"Mcp-Param-roomId: =?base64??="}, 200},
		{"missing", `{"room":"r1"}`, nil, 400},
		{"another", `{"room":"r1"}`, []string{"Mcp-Param-roomId: r2"}, 400},
		{"value of other case", `{"room":"r1"}`, []string{"Mcp-Param-roomId: R1"}, 400},
		{"twice", `{"room":"r1"}`, []string{"Mcp-Param-roomId: r1", "Mcp-Param-roomId: r1"}, 400},
		{"of nothing", `{}`, []string{"Mcp-Param-roomId: r1"}, 400},
		{"of null", `{"room":null}`, []string{"Mcp-Param-roomId: null"}, 400},
		{"of nothing, empty", `{}`, []string{"Mcp-Param-roomId: "}, 400},
		{"integer", `{"n":42}`, []string{"Mcp-Param-N: 42"}, 200},
		{"integer as a fraction", `{"n":42.0}`, []string{"Mcp-Param-N: 42"}, 200},
		{"integer as a power", `{"n":42}`, []string{"Mcp-Param-N: 4.2e1"}, 200},
		{"large integers", `{"n":9007199254740993}`, []string{"Mcp-Param-N: 9007199254740992"}, 400},
		{"no number", `{"n":42}`, []string{"Mcp-Param-N: 84/2"}, 400},
		{"hexadecimal", `{"n":42}`, []string{"Mcp-Param-N: 0x2a"}, 400},
		{"a power that takes for ever", `{"n":1}`, []string{"Mcp-Param-N: 1e999999"}, 400},
		{"boolean", `{"loud":false}`, []string{"Mcp-Param-Loud: false"}, 200},
		{"boolean, another", `{"loud":false}`, []string{"Mcp-Param-Loud: true"}, 400},
		{"nested", `{"who":{"name":"x"}}`, []string{"Mcp-Param-Who-Name: x"}, 200},
		{"nested, missing", `{"who":{"name":"x"}}`, nil, 400},
		{"nested, not there", `{"who":5}`, nil, 200},
		{"an annotation that can't be followed", `{"bad":"x"}`, nil, 200},
		{"a header that means nothing", `{}`, []string{"Mcp-Param-Other: x"}, 200},
	} {
		arguments := ""
		if one.arguments != "" {
			arguments = `,"arguments":` + one.arguments
		}
		part := `"result"`
		if one.status != 200 {
			part = `"error":{"code":-32020,`
		}
		d.want(one.what, d.modern(stateless(rpc.CallTool, `"name":"rooms__book"`+arguments), one.lines...), one.status, part)
	}
	s := d.begin("2025-11-25")
	d.want("a legacy host", d.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rooms__book","arguments":{"room":"x"}}}`, s), 200, `"result"`)
}
