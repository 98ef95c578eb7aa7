package directory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// One tool with a definition that a host refuses cost it the tools of all servers.
func TestDefinitionsThatHostsRefuse(t *testing.T) {
	const whole = `"inputSchema":{"type":"object","properties":{}}`
	for _, c := range []struct{ definition, want, why string }{
		{`{"name":"t","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/x"}}, "x":1.0}}`, `{"name":"a__t","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/x"}}, "x":1.0}}`, ""},
		{`{"name":"t"}`, `{"name":"a__t",` + whole + `}`, ""},
		{`{ "name" : "t" , "n":1.0 }`, `{ "name" : "a__t" , "n":1.0 ,` + whole + `}`, ""},
		{`{"inputSchema": null, "name":"t"}`, `{"inputSchema": {"type":"object","properties":{}}, "name":"a__t"}`, ""},
		{`{"inputSchema": {} ,"name":"t"}`, `{"inputSchema": {"type":"object","properties":{}} ,"name":"a__t"}`, ""},
		{`{"name":"t","inputSchema":{ }}`, `{"name":"a__t","inputSchema":{ "type":"object","properties":{}}}`, ""},
		{`{"name":"t","inputSchema":{"type":"object"},"x":1}`, `{"name":"a__t","inputSchema":{"type":"object","properties":{}},"x":1}`, ""},
		{`{"name":"t","inputSchema":{"properties":{"a":{}}}}`, `{"name":"a__t","inputSchema":{"properties":{"a":{}},"type":"object"}}`, ""},
		{`{"name":"t","inputSchema":{"anyOf":[{"required":["a"]}]}}`, `{"name":"a__t","inputSchema":{"anyOf":[{"required":["a"]}],"type":"object","properties":{}}}`, ""},
		{`{"name":"t","inputSchema":{"\u0074ype":"\u006fbject","properties":{}}}`, `{"name":"a__t","inputSchema":{"\u0074ype":"\u006fbject","properties":{}}}`, ""},
		{`{"name":"t","inputSchema":{"type":["object", "null"],"properties":[ ]}}`, `{"name":"a__t","inputSchema":{"type":"object","properties":{}}}`, ""},
		{`{"name":"t","inputSchema":{"properties":null,"type":"object"}}`, `{"name":"a__t","inputSchema":{"properties":{},"type":"object"}}`, ""},
		{`5`, "", "entry 2 of server a is hidden: its definition is no object"},
		{`{"inputSchema":{}}`, "", "entry 2 of server a is hidden: it has no name"},
		{`{"name":5}`, "", "entry 2 of server a is hidden: its name is no string, or an empty one"},
		{`{"name":""}`, "", "entry 2 of server a is hidden: its name is no string, or an empty one"},
		{`{"name":"t","inputSchema":true}`, "", `"t" of server a is hidden: its inputSchema is no object`},
		{`{"name":"t","inputSchema":[]}`, "", `"t" of server a is hidden: its inputSchema is no object`},
		{`{"name":"t","inputSchema":{"type":"string"}}`, "", `"t" of server a is hidden: the type of its inputSchema is "string", not "object"`},
		{`{"name":"t","inputSchema":{"type":["string"]}}`, "", `the type of its inputSchema is ["string"]`},
		{`{"name":"t","inputSchema":{"type":null}}`, "", `the type of its inputSchema is null`},
		{`{"name":"t","inputSchema":{"type":"object","properties":["a"]}}`, "", "the properties of its inputSchema are no object"},
	} {
		list := `{"tools":[{"name":"first"},` + c.definition + `,{"name":"last"}]}`
		st := stage.New(t, nil, "a")
		a := st.Open("a", map[string]string{rpc.ListTools: list}, upstream.Auto)
		st.Ready("a", a.Session)
		st.Until("the list", func(v *directory.View) bool { return len(v.Server("a").Tools) > 0 })
		h, alone := sit(t, st, ""), sit(t, st, "a")
		want := c.want
		if want != "" {
			want += ","
		}
		h.want(c.definition, h.askContext(context.Background(), rpc.ListTools, ""), `"result":{"tools":[{"name":"a__first",`+whole+`},`+want+`{"name":"a__last",`+whole+`}]}`)
		alone.want("alone", alone.askContext(context.Background(), rpc.ListTools, ""), `"result":`+list)
		if warnings := strings.Join(st.View().Warnings, "\n"); c.why == "" && warnings != "" || !strings.Contains(warnings, c.why) {
			t.Errorf("%s: warnings %q", c.definition, warnings)
		}
		if tool := st.View().Server("a").Tool("t"); tool != nil && ((tool.Hidden != "") != (c.want == "") || (tool.Seen == "") != (c.want == "") || string(tool.Definition) != c.definition) {
			t.Errorf("%s: the map has %+v", c.definition, tool)
		}
		st.Close()
	}
}

// A hidden tool can still be called at the endpoint of its server alone, and
// doesn't take a name from another.
func TestHiddenTools(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Open("a", map[string]string{rpc.CallTool: `{"ok":1}`, rpc.ListTools: `{"tools":[{"name":"bad","inputSchema":5},{"name":"good","annotations":{"readOnlyHint":true}}` + strings.Repeat(`,7`, 20) + `]}`,
		rpc.ListPrompts: `{"prompts":[{"title":"x"},{"name":"p"}]}`, rpc.ListResources: `{"resources":[null,{"uri":"r://1"}]}`}, upstream.Auto)
	st.Ready("a", a.Session)
	st.Until("the lists", func(v *directory.View) bool {
		s := v.Server("a")
		return len(s.Tools) == 2 && s.Prompts == 1 && s.Resources == 1
	})
	h, alone := sit(t, st, ""), sit(t, st, "a")
	h.want("merged", h.ask(rpc.CallTool, `"name":"a__bad"`), `"error":{"code":-32602,"message":"Unknown tool: a__bad"}`)
	alone.want("alone", alone.ask(rpc.CallTool, `"name":"bad"`), `"result":{"ok":1}`)
	h.want("the other", h.ask(rpc.CallTool, `"name":"a__good"`), `"result":{"ok":1}`)
	h.want("prompts", h.ask(rpc.ListPrompts, ""), `"result":{"prompts":[{"name":"a__p"}]}`)
	h.want("resources", h.ask(rpc.ListResources, ""), `"result":{"resources":[{"uri":"r://1"}]}`)
	warnings := st.View().Warnings
	all := fmt.Sprintf("%q", warnings)
	if len(warnings) != 13 || !strings.Contains(all, "tools: 11 more of server a are hidden") || !strings.Contains(all, "prompts: entry 1 of server a is hidden: it has no name") ||
		!strings.Contains(all, "resources: entry 1 of server a is hidden: its definition is no object") {
		t.Errorf("%d warnings %s", len(warnings), all)
	}
}
