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
		{`{"name":"t","description":null,"x":1.0,` + whole + `}`, `{"name":"a__t","x":1.0,` + whole + `}`, ""},
		{`{"description":null,"annotations" : null , "title":null,"name":"t","outputSchema":null}`, `{"name":"a__t",` + whole + `}`, ""},
		{`{"name":"t","annotations":{"title":null},"_meta":null,"execution":null,"icons":null,` + whole + `}`, `{"name":"a__t","annotations":{"title":null},` + whole + `}`, ""},
		{`{"name":"t","description":5}`, "", `"t" of server a is hidden: its description is no text`},
		{`{"name":"t","annotations":[]}`, "", `"t" of server a is hidden: its annotations is no object`},
		{`{"name":"t","outputSchema":true}`, "", `"t" of server a is hidden: its outputSchema is no object`},
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

// A tool whose results are lists, as 2026-07-28 allows, or one reference in a schema
// cost some hosts the whole list.
func TestFlavoursOfTheMergedTools(t *testing.T) {
	const input = `"inputSchema":{"type":"object","properties":{}}`
	const refs = `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`
	const loop = `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#"}}}`
	st := stage.New(t, nil, "a")
	a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"plain",` + input + `},{"name":"list","outputSchema":{"type":"array"},` + input + `},` +
		`{"name":"any","outputSchema":{"n":1.0},` + input + `},{"name":"maybe","outputSchema":{"type":["null","object"]},` + input + `},{"name":"refs",` + refs + `},{"name":"loop",` + loop + `},{"name":"plain","title":"again",` + input + `}]}`}, upstream.Auto)
	st.Ready("a", a.Session)
	st.Until("the list", func(v *directory.View) bool { return len(v.Server("a").Tools) == 7 })
	ask := func(version, host, client string) string {
		h := sitWith(t, st, "", host, "s", version, "{}")
		h.Client = client
		return strings.ReplaceAll(h.askContext(context.Background(), rpc.ListTools, ""), `,`+input, "")
	}
	legacy := `"result":{"tools":[{"name":"a__plain"},{"name":"a__any","outputSchema":{"n":1.0,"type":"object"}},{"name":"a__maybe","outputSchema":{"type":"object"}},`
	h := sit(t, st, "")
	h.want("legacy", ask(rpc.V20251125, "desk", "claude-code 2"), legacy+`{"name":"a__refs",`+refs+`},{"name":"a__loop",`+loop+`}]}`)
	inlined := legacy + `{"name":"a__refs","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]}`
	h.want("by its own name", ask(rpc.V20250618, "desk", "gemini-cli-mcp-client 1"), inlined)
	h.want("by the name it was given", ask(rpc.V20251125, "OpenCode", ""), inlined)
	modern := ask(rpc.V20260728, "opencode", "")
	for _, part := range []string{`{"name":"a__list","outputSchema":{"type":"array"}}`, `{"name":"a__any","outputSchema":{"n":1.0}}`, loop, refs} {
		if !strings.Contains(modern, part) {
			t.Errorf("%s is not in %s", part, modern)
		}
	}
	limits := st.View().Limits("a")
	if len(limits) != 2 || limits["list"] != `from hosts of revisions before 2026-07-28: the type of its outputSchema is "array", not "object"` ||
		!strings.HasPrefix(limits["loop"], "from hosts that don't follow references") {
		t.Errorf("limits %q", limits)
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
