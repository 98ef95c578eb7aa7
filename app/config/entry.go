package config

import (
	"cmp"
	"fmt"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// readEntry understands one server's object. Keys that it doesn't know are
// other programs' business.
func (r *reading) readEntry(name string, v hujson.Value) (wire.Entry, *wire.Error) {
	what := fmt.Sprintf("server %q", name)
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return wire.Entry{}, r.mistakeAt(wire.CodeBadEntry, what, v, "must be an object with a command")
	}
	for _, k := range jsonedit.Repeated(o) {
		r.warn("%s has %q twice; the last one counts", what, k)
	}
	r.warnOfCase(what, o, entryKeys)
	d := r.decoder(what, wire.CodeBadEntry, o)
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
		Ask:      d.text("ask"),
		Off:      d.list("off"),
		Trust:    d.trust(),
		Changes:  d.text("changes"),
		Limits:   d.limits("limits"),
		Sampling: d.sampling("sampling"),
		Roots:    d.list("roots"),
	}
	if err := d.err(); err != nil {
		return wire.Entry{}, err
	}
	if f := check(e); f != nil {
		err := r.mistakeAt(wire.CodeBadEntry, what, place(v, f.path), f.sentence)
		err.Hint = f.hint
		return wire.Entry{}, err
	}
	return e, nil
}

// trust reads how far a server is trusted. Other programs have true and false
// there: whether they ask before calls, which is not what it means here.
func (d *decoder) trust() string {
	v := member(d.object, "trust")
	if v == nil || v.Value.Kind() != 't' && v.Value.Kind() != 'f' {
		return d.text("trust")
	}
	value := wire.TrustLimited
	if v.Value.Kind() == 't' {
		value = "" // as if it were not there
	}
	line, col := d.r.text.Position(v.StartOffset)
	d.r.warn("%s, line %d, column %d: trust is %v, as in another program's file; it is read as %q", d.what, line, col, v.Value, cmp.Or(value, wire.TrustFull))
	return value
}

// remote refuses entries for servers that are reached by a URL.
func (d *decoder) remote() *wire.Error {
	kind := d.text("type")
	v := member(d.object, "url")
	if v == nil {
		v = member(d.object, "type")
	}
	if member(d.object, "url") == nil && (kind == "" || kind == "stdio") {
		return d.err()
	}
	err := d.r.mistakeAt(d.code, d.what, *v, "remote servers (with a url) are not supported yet")
	err.Hint = "Give the command that starts a local server, or connect the AI application to that URL itself."
	return err
}
