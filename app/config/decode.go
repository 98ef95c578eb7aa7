package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// decoder reads the members of one object of the file; the first mistake stays
// in first, which the decoders of its nested objects share. An absent member and
// null are the zero value.
type decoder struct {
	r      *reading
	what   string    // whose object it is, for sentences
	code   wire.Code // of mistakes
	object *hujson.Object
	first  **wire.Error
}

func (r *reading) decoder(what string, code wire.Code, o *hujson.Object) decoder {
	return decoder{r: r, what: what, code: code, object: o, first: new(*wire.Error)}
}

func (d *decoder) err() *wire.Error { return *d.first }

func (d *decoder) fail(v hujson.Value, sentence string) {
	if *d.first == nil {
		*d.first = d.r.mistakeAt(d.code, d.what, v, sentence)
	}
}

// mistakeAt is an error about a place in the file.
func (r *reading) mistakeAt(code wire.Code, what string, v hujson.Value, sentence string) *wire.Error {
	line, col := r.text.Position(v.StartOffset)
	return &wire.Error{Code: code, Message: fmt.Sprintf("%s, line %d, column %d: %s", what, line, col, sentence)}
}

// only refuses every other key, and keys that stand twice. It is for objects
// that are ours alone: there a key that nobody knows is a protection that
// somebody misspelt.
func (d *decoder) only(keys ...string) {
	seen := map[string]bool{}
	for _, m := range d.object.Members {
		name := key(m)
		switch {
		case !slices.Contains(keys, name):
			d.fail(m.Name, fmt.Sprintf("there is no key %.40q here: it must be %s", name, strings.Join(keys, " or ")))
		case seen[name]:
			d.fail(m.Name, fmt.Sprintf("%q is there twice", name))
		}
		seen[name] = true
	}
}

func (d *decoder) member(key string, kinds string, what string) hujson.ValueTrimmed {
	v := member(d.object, key)
	if v == nil || v.Value.Kind() == 'n' {
		return nil
	}
	if strings.IndexByte(kinds, byte(v.Value.Kind())) < 0 {
		d.fail(*v, fmt.Sprintf("%q must be %s", key, what))
		return nil
	}
	return v.Value
}

func (d *decoder) text(key string) string {
	if v, ok := d.member(key, `"`, "a text in double quotes").(hujson.Literal); ok {
		return v.String()
	}
	return ""
}

func (d *decoder) flag(key string) bool {
	v, ok := d.member(key, "tf", "true or false").(hujson.Literal)
	return ok && v.Bool()
}

func (d *decoder) number(key string) int {
	v, ok := d.member(key, "0", "a whole number").(hujson.Literal)
	if !ok {
		return 0
	}
	var n int
	if json.Unmarshal(v, &n) != nil {
		d.fail(*member(d.object, key), fmt.Sprintf("%q must be a whole number", key))
	}
	return n
}

func (d *decoder) list(key string) []string {
	a, ok := d.member(key, "[", "a list of texts: [ \"...\" ]").(*hujson.Array)
	if !ok {
		return nil
	}
	var list []string
	for _, v := range a.Elements {
		lit, ok := v.Value.(hujson.Literal)
		if !ok || lit.Kind() != '"' {
			d.fail(v, fmt.Sprintf("every element of %q must be a text in double quotes", key))
			return nil
		}
		list = append(list, lit.String())
	}
	return list
}

// texts reads an object of texts; noun is what its keys are called.
func (d *decoder) texts(field, noun string) map[string]string {
	o, ok := d.member(field, "{", "an object of texts").(*hujson.Object)
	if !ok || len(o.Members) == 0 {
		return nil
	}
	all := make(map[string]string, len(o.Members))
	for _, m := range o.Members {
		lit, ok := m.Value.Value.(hujson.Literal)
		if !ok || lit.Kind() != '"' {
			d.fail(m.Value, fmt.Sprintf("the value of the %s %q must be a text in double quotes", noun, key(m)))
			return nil
		}
		all[key(m)] = lit.String()
	}
	return all
}

func (d *decoder) variables(field string) map[string]string {
	if v := member(d.object, field); v != nil {
		if o, ok := v.Value.(*hujson.Object); ok {
			for _, k := range jsonedit.Repeated(o) {
				d.r.warn("%s has the variable %q twice; the last one counts", d.what, k)
			}
		}
	}
	return d.texts(field, "variable")
}

// sub is the decoder of a nested object of ours, or nil when there is none.
func (d *decoder) sub(key string, keys ...string) *decoder {
	o, ok := d.member(key, "{", "an object").(*hujson.Object)
	if !ok {
		return nil
	}
	s := *d
	s.object = o
	s.only(keys...)
	return &s
}

// limits reads how much may be called; nil means that nothing is limited.
func (d *decoder) limits(key string) *wire.Limits {
	s := d.sub(key, "callsPerMinute", "callsAtOnce")
	if s == nil {
		return nil
	}
	l := wire.Limits{PerMinute: s.number("callsPerMinute"), AtOnce: s.number("callsAtOnce")}
	if l == (wire.Limits{}) {
		return nil
	}
	return &l
}

func (d *decoder) sampling(key string) *wire.SamplingTerms {
	s := d.sub(key, "enabled", "perHour", "tokensPerHour", "maxTokens")
	if s == nil {
		return nil
	}
	t := wire.SamplingTerms{Enabled: s.flag("enabled"), PerHour: s.number("perHour"),
		TokensPerHour: s.number("tokensPerHour"), MaxTokens: s.number("maxTokens")}
	if t == (wire.SamplingTerms{}) {
		return nil
	}
	return &t
}

// place is the value that a check complains of: at a path of keys with dots
// between them, as far as it is there; otherwise, within.
func place(within hujson.Value, path string) hujson.Value {
	for name := range strings.SplitSeq(path, ".") {
		o, ok := within.Value.(*hujson.Object)
		if !ok {
			break
		}
		v := member(o, name)
		if v == nil {
			break
		}
		within = *v
	}
	return within
}
