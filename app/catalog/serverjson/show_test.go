package serverjson

import (
	"fmt"
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

// show is a draft in one line: NAME install: what runs, variables, inputs; or why not.
func show(d *draft.Draft) string {
	if len(d.Blocked) > 0 {
		return fmt.Sprintf("%s %s refused: %s", d.Name, d.Install, strings.Join(d.Blocked, " "))
	}
	w := d.Wire()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", d.Name, d.Install)
	if d.Bundle != "" {
		fmt.Fprintf(&b, "bundle %s %.8s", d.Bundle, d.SHA256)
	} else {
		b.WriteString(strings.Join(append([]string{w.Command}, w.Args...), " "))
	}
	if len(d.Env) > 0 {
		b.WriteString(" |")
		for _, v := range d.Env {
			b.WriteString(" " + v.Name + "=" + v.Value.String())
		}
	}
	for _, in := range w.Inputs {
		b.WriteString(" ?" + in.Name)
		if in.Kind != wire.InputString {
			b.WriteString(":" + in.Kind)
		}
		if in.Secret {
			b.WriteString("!")
		}
		if in.Required {
			b.WriteString("*")
		}
		if len(in.Default) > 0 {
			b.WriteString("=" + in.Default[0])
		}
	}
	return b.String()
}
