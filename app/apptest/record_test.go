package apptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
)

func TestTheRecordOfARunningCore(t *testing.T) {
	c := Start(t, Options{Answers: "allow"})
	c.Add("s", misbehave.Good)
	c.UntilListed("s")
	h := c.Host("h")
	h.Call("s__echo", `{"secret":"x"}`)
	var got []wire.Activity
	// An end is written a moment after its call.
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		got = nil
		skipped, err := c.Activity(t.Context(), wire.ActivityQuery{Host: "h", Tool: "ech*", Outcome: "ok"}, func(a wire.Activity) error {
			got = append(got, a)
			return nil
		})
		if err != nil || skipped > 0 {
			t.Fatal(skipped, err)
		}
		if len(got) > 0 {
			break
		}
		<-time.After(2 * time.Millisecond)
	}
	if len(got) != 1 || got[0].By != "policy" || got[0].ArgBytes == 0 || len(got[0].ArgSum) != 16 || got[0].Args != nil {
		t.Fatalf("%+v", got)
	}
	check, err := c.VerifyActivity(t.Context())
	if err != nil || !check.OK || check.Number != 2 {
		t.Errorf("%+v, %v", check, err)
	}
	file := filepath.Join(c.Home, "logs", "activity", "activity.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), `"allow"`, `"deny!"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if check, err := c.VerifyActivity(t.Context()); err != nil || check.OK || len(check.Breaks) != 1 || check.Breaks[0].Line != 1 {
		t.Errorf("after a change: %+v, %v", check, err)
	}
}
