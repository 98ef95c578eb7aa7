package httpd

import (
	"net/http/httptest"
	"testing"
	"time"

	"bridgekeeper/bridge/directory"
)

// dated is a writer that notes the deadline of what is written.
type dated struct {
	*httptest.ResponseRecorder
	deadline time.Time
	before   bool // it was set before the first byte
}

func (d *dated) SetWriteDeadline(at time.Time) error {
	d.deadline, d.before = at, d.Body.Len() == 0
	return nil
}

// A host that sent calls and read no answers kept a goroutine and its buffers for
// ever, when the answers were small.
func TestEveryAnswerHasADeadline(t *testing.T) {
	d := &dated{ResponseRecorder: httptest.NewRecorder()}
	writeJSON(d, 200, &directory.Answer{Result: []byte(`{"x":1.0}`)}, []byte("1"))
	if left := time.Until(d.deadline); !d.before || left <= 0 || left > slowWrite {
		t.Errorf("the deadline is in %v, set first %v", left, d.before)
	}
	if got := d.Body.String(); got != `{"jsonrpc":"2.0","id":1,"result":{"x":1.0}}` {
		t.Errorf("wrote %s", got)
	}
}
