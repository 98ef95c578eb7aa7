package misbehave

import (
	"maps"
	"slices"
	"strings"
)

// deepArrays is how deep the result of odd tool deep is nested: legal JSON, and
// with the objects around it more than encoding/json's limit of 10,000.
const deepArrays = 10_000

// Odd maps a tool of mode OddResults to the exact bytes of its result: JSON that
// is legal, or that servers send anyway, and that a typed reader loses or breaks.
var Odd = map[string]string{
	"unknown_content": `{"content":[{"type":"hologram","beam":{"x":1,"y":[2,3]}},{"type":"text","text":"after"},{"type":"","text":""},{"type":"text"}],"acme:extra":{"keep":"me"}}`,
	"unknown_fields":  `{"_meta":{"acme/trace":"7","progressToken":"not a token"},"content":[{"type":"text","text":"x","color":"red","annotations":{"priority":0.50,"audience":["user","robot"]}}],"isError":false,"resultType":"complete","x":null}`,
	"duplicate_keys":  `{"content":[{"type":"text","text":"first"}],"content":[{"type":"text","text":"second","text":"third"}],"isError":false,"isError":false}`,
	"big_integers":    `{"content":[],"structuredContent":{"id":12345678901234567890,"neg":-98765432109876543210,"safe":9007199254740993}}`,
	"odd_numbers":     `{"content":[],"structuredContent":{"one":1.0,"huge":1e400,"tiny":1E-400,"zero":-0,"minus":-0.0,"exp":1e+2,"long":3.14159265358979323846264338327950288}}`,
	"odd_escapes":     `{"content":[{"type":"text","text":"nul \u0000 lone \ud800 \udfff pair \ud83d\ude00 slash \/ tab \t del \u007F ls \u2028\u2029"}]}`,
	"unordered_keys":  `{"structuredContent":{"z":1,"a":2,"m":{"9":0,"1":0}},"isError":false,"content":[{"text":"t","type":"text"}]}`,
	"spaces":          "{ \"content\" : [ { \"type\" : \"text\" ,\t\"text\" : \"a  b\" } ] ,  \"structuredContent\" :  { } }",
	"raw_unicode":     "{\"content\":[{\"type\":\"text\",\"text\":\"grüße 日本 \U0001F600 \u2028 <script>&amp;</script>\"}]}",
	"deep":            `{"content":[],"structuredContent":` + strings.Repeat("[", deepArrays) + strings.Repeat("]", deepArrays) + `}`,
	"looks_like_rpc":  `{"content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}],"id":5,"method":"tools/call","jsonrpc":"1.0","result":{"id":6},"error":{"code":1}}`,
	"is_error":        `{"isError":true,"content":[{"type":"text","text":"no such file"}],"structuredContent":null}`,
	"empty":           `{}`,
	"null_content":    `{"content":null}`,
	"task":            `{"resultType":"task","taskId":"t-1","ttlMs":60000,"pollIntervalMs":1e3}`,
}

// OddNames lists the tools of mode OddResults in the order of its list.
func OddNames() []string { return slices.Sorted(maps.Keys(Odd)) }

// OddDefinition is an odd tool's definition as the server lists it, byte for
// byte; a bridge may change nothing of it but the name.
func OddDefinition(name string) string {
	return definition(name, "odd tool "+name, `,"x-acme":{"n":12345678901234567890,"f":1.0,"z":1,"a":"\u00e9\ud800"},"_meta":{"k":[]},"name2":"`+name+`"`)
}

func (s *server) odd() {
	s.order, s.tools = nil, map[string]string{}
	for _, name := range OddNames() {
		s.add(name, "", "")
		s.tools[name] = OddDefinition(name)
	}
	s.call = func(m *message) bool {
		result, ok := Odd[m.Params.Name]
		if ok {
			s.result(m, result)
		}
		return ok
	}
	s.serve()
}
