package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/wire"
)

// Bounds of an entry's own values.
const (
	maxLineMiB  = 1024        // a longer line would not fit into a host's request either
	minIdleStop = time.Second // below it a server would be ended between two calls
)

// readEntry understands one server's object. Keys that it doesn't know are
// other programs' business.
func (r *reading) readEntry(name string, v hujson.Value) (wire.Entry, *wire.Error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return wire.Entry{}, r.bad(name, v, "must be an object with a command")
	}
	for _, k := range repeated(o) {
		r.warn("server %q has %q twice; the last one counts", name, k)
	}
	d := decoder{r: r, name: name, object: o}
	if err := d.remote(); err != nil {
		return wire.Entry{}, err
	}
	e := wire.Entry{
		Command:  d.text("command"),
		Args:     d.list("args"),
		Env:      d.variables("env"),
		Cwd:      d.text("cwd"),
		Disabled: d.flag("disabled"),
		Start:    d.text("start"),
		IdleStop: d.text("idleStop"),
		Sharing:  d.text("sharing"),
		Era:      d.text("era"),
		MaxLine:  d.number("maxLine"),
	}
	if d.err != nil {
		return wire.Entry{}, d.err
	}
	if key, sentence, hint := check(e); sentence != "" {
		at := member(o, key)
		if at == nil {
			at = &v
		}
		err := r.bad(name, *at, sentence)
		err.Hint = hint
		return wire.Entry{}, err
	}
	return e, nil
}

func (r *reading) bad(name string, v hujson.Value, sentence string) *wire.Error {
	line, col := position(r.text.src, v.StartOffset)
	return &wire.Error{
		Code:    wire.CodeBadEntry,
		Message: fmt.Sprintf("server %q, line %d, column %d: %s", name, line, col, sentence),
	}
}

// decoder reads the members of one entry; the first mistake stays in err. An
// absent member and null are the zero value.
type decoder struct {
	r      *reading
	name   string
	object *hujson.Object
	err    *wire.Error
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

func (d *decoder) fail(v hujson.Value, sentence string) {
	if d.err == nil {
		d.err = d.r.bad(d.name, v, sentence)
	}
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

func (d *decoder) variables(field string) map[string]string {
	o, ok := d.member(field, "{", "an object of texts").(*hujson.Object)
	if !ok || len(o.Members) == 0 {
		return nil
	}
	for _, k := range repeated(o) {
		d.r.warn("server %q has the variable %q twice; the last one counts", d.name, k)
	}
	vars := make(map[string]string, len(o.Members))
	for _, m := range o.Members {
		lit, ok := m.Value.Value.(hujson.Literal)
		if !ok || lit.Kind() != '"' {
			d.fail(m.Value, fmt.Sprintf("the value of the variable %q must be a text in double quotes", key(m)))
			return nil
		}
		vars[key(m)] = lit.String()
	}
	return vars
}

// remote refuses entries for servers that are reached by a URL.
func (d *decoder) remote() *wire.Error {
	kind := d.text("type")
	v := member(d.object, "url")
	if v == nil {
		v = member(d.object, "type")
	}
	if member(d.object, "url") == nil && (kind == "" || kind == "stdio") {
		return d.err
	}
	err := d.r.bad(d.name, *v, "remote servers (with a url) are not supported yet")
	err.Hint = "Give the command that starts a local server, or connect the AI application to that URL itself."
	return err
}
