package apptest

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkSnapshot is what one look of a client costs with 200 servers: the
// core, the encoding, the socket and the decoding.
func BenchmarkSnapshot(b *testing.B) {
	var entries []string
	for i := range 200 {
		entries = append(entries, fmt.Sprintf(`"server-%03d": {"command": "some-program", "args": ["--flag", "value"], "env": {"KEY": "value"}, "start": "manual"}`, i))
	}
	c := Start(b, Options{Config: `{"mcpServers": {` + strings.Join(entries, ",") + "}}"})
	if n := len(c.Now().Servers); n != 200 {
		b.Fatalf("%d servers", n)
	}
	for b.Loop() {
		c.Now()
	}
}
