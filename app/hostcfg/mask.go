package hostcfg

import (
	"cmp"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
	"bridgekeeper/keychain/detect"
	"bridgekeeper/keychain/redact"
)

// minHidden is the length from which a value is taken out of a text wherever it
// is: a shorter one is in other words, too.
const minHidden = 4

// hidden are the values of a plan's texts that are not shown.
func (p *Plan) hidden() (values []string) {
	for _, text := range [][]byte{p.before, p.after} {
		f, err := read.Parse(text, p.Host.Format)
		if err != nil {
			continue
		}
		for _, raw := range read.Servers(f, p.Host) {
			s := read.Entry(raw, read.Context{Host: p.Host})
			e := detect.Entry{Server: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Headers: s.Headers, URL: s.URL}
			for _, one := range detect.Find(e, nil) {
				values = append(values, one.Value.Reveal())
			}
			for _, v := range s.Env { // the person's own, whatever it looks like
				values = append(values, v)
			}
		}
	}
	values = append(values, tokensOf(p.entry)...)
	return values
}

// tokensOf are the tokens of an entry of ours.
func tokensOf(entry jsonedit.Object) (tokens []string) {
	for _, f := range entry {
		if headers, ok := f.Value.(jsonedit.Inline); ok {
			for _, h := range headers {
				if text, ok := h.Value.(string); ok {
					tokens = append(tokens, strings.TrimPrefix(text, "Bearer "))
				}
			}
		}
	}
	return tokens
}

// masked is a text without these values, and without what looks like a secret.
func masked(text string, values []string) string {
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, v := range slices.Compact(values) {
		if len(v) < minHidden || v == wire.Mask || strings.HasPrefix(v, "${") {
			continue
		}
		for _, form := range []string{v, strings.Trim(jsonedit.Quote(v), `"`)} {
			text = strings.ReplaceAll(text, form, wire.Mask)
		}
	}
	var out strings.Builder
	at := 0
	for _, r := range redact.Shapes(text) {
		out.WriteString(text[at:r.Start] + wire.Mask)
		at = r.End
	}
	return out.String() + text[at:]
}
