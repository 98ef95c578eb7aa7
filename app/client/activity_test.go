package client

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/wire"
)

func TestActivity(t *testing.T) {
	fake := localapitest.New()
	dial, stop := core(t, fake)
	defer stop()
	c := NewDialer(dial)
	defer c.Close()
	none := func(wire.Activity) error { return errors.New("there is none") }
	if skipped, err := c.Activity(t.Context(), wire.ActivityQuery{}, none); skipped != 0 || err != nil {
		t.Errorf("%d, %v", skipped, err)
	}
	fake.SetCheck(wire.ActivityCheck{OK: true, Lines: 7}, 3)
	if skipped, err := c.Activity(t.Context(), wire.ActivityQuery{}, none); skipped != 3 || err != nil {
		t.Errorf("%d, %v", skipped, err)
	}
	const many = 1000 // several pieces of an answer
	for i := range many {
		fake.Record(wire.Activity{ID: fmt.Sprint(i), Time: time.Now(), Kind: wire.ActivityCall, Host: "h", Tool: strings.Repeat("<", 100)})
	}
	got := 0
	skipped, err := c.Activity(t.Context(), wire.ActivityQuery{}, func(a wire.Activity) error {
		if a.ID != fmt.Sprint(got) || len(a.Tool) != 100 {
			t.Errorf("%+v at %d", a, got)
		}
		got++
		return nil
	})
	if got != many || skipped != 3 || err != nil {
		t.Errorf("%d entries, %d, %v", got, skipped, err)
	}
	q := wire.ActivityQuery{Host: "h", Server: "s", Tool: "*", Decision: "deny", Outcome: "ok", Kind: "call", Limit: 5,
		Since: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Until: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)}
	var b bytes.Buffer
	if err := c.ExportActivity(t.Context(), q, wire.FormatCSV, &b); err != nil || b.String() != "995,h\n996,h\n997,h\n998,h\n999,h\n" {
		t.Errorf("%v: %s", err, &b)
	}
	if asked := fake.Queries(); asked[len(asked)-1] != q {
		t.Errorf("asked %+v", asked)
	}
	if err := c.ExportActivity(t.Context(), q, "xml", &b); code(err) != wire.CodeBadRequest {
		t.Errorf("xml: %v", err)
	}
	enough := errors.New("enough")
	if err := c.FollowActivity(t.Context(), wire.ActivityQuery{Limit: -1}, func(wire.Activity) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
	check, err := c.VerifyActivity(t.Context())
	if err != nil || !check.OK || check.Lines != 7 {
		t.Errorf("%+v, %v", check, err)
	}
}
