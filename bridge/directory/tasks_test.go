package directory

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/upstream"
)

func at(server, host, id string) *task {
	now := time.Now()
	return &task{id: id, server: server, host: host, made: now, used: now}
}

func TestTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks()
		desk := &Seat{Host: "desk"}
		for n := range maxHostTasks + 5 {
			ts.add(at("a", "desk", fmt.Sprint(n)))
			time.Sleep(time.Microsecond)
		}
		if ts.count != maxHostTasks || ts.hosts["desk"] != maxHostTasks {
			t.Errorf("%d tasks, %v", ts.count, ts.hosts)
		}
		for id, want := range map[string]bool{"0": false, "4": false, "5": true, fmt.Sprint(maxHostTasks + 4): true} {
			if got, _ := ts.find(desk, id); (got != nil) != want {
				t.Errorf("task %s: %v", id, got)
			}
		}
		for n := range maxTasks {
			ts.add(at("b", fmt.Sprint("host", n), "x"+fmt.Sprint(n)))
		}
		if ts.count != maxTasks || len(ts.byID) != maxTasks {
			t.Errorf("%d tasks by %d ids", ts.count, len(ts.byID))
		}
		ts.drop(func(*task) bool { return true })
		if ts.count != 0 || len(ts.byID) != 0 || len(ts.hosts) != 0 {
			t.Errorf("left: %d, %v, %v", ts.count, ts.byID, ts.hosts)
		}
		for n := range 2 * maxEarly {
			ts.owner("a", "", fmt.Sprint(n), []byte("{}"))
		}
		if len(ts.early) > maxEarly {
			t.Errorf("%d early news", len(ts.early))
		}
		if early := ts.add(at("a", "desk", fmt.Sprint(2*maxEarly-1))); len(early) != 1 {
			t.Errorf("early news %q", early)
		}
	})
}

func TestTasksExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks()
		desk := &Seat{Host: "desk"}
		there := func(id string) bool { found, _ := ts.find(desk, id); return found != nil }
		short, endless := at("a", "desk", "short"), at("a", "desk", "endless")
		short.ttl = time.Hour
		ts.add(short)
		ts.add(endless)
		time.Sleep(time.Hour)
		if !there("short") || !there("endless") {
			t.Error("gone too early")
		}
		time.Sleep(2 * time.Minute)
		if there("short") {
			t.Error("it is still there")
		}
		time.Sleep(taskKeep - time.Hour)
		if !there("endless") {
			t.Error("a task that is asked for is gone")
		}
		ts.add(at("a", "desk", "next"))
		if ts.count != 2 {
			t.Errorf("%d tasks after the sweep", ts.count)
		}
		time.Sleep(taskKeep + time.Second)
		if there("endless") {
			t.Error("nobody asked for it for a day")
		}
	})
}

func TestReadTask(t *testing.T) {
	for _, c := range []struct {
		result string
		era    upstream.Era
		id     string
		ttl    time.Duration
	}{
		{`{"task":{"taskId":"t","ttl":60000}}`, upstream.Legacy, "t", time.Minute},
		{`{"task":{"taskId":"t","ttl":null}}`, upstream.Legacy, "t", 0},
		{`{"task":{"taskId":"\u0074","ttl":6e4}}`, upstream.Legacy, "t", time.Minute},
		{`{"task":{"taskId":"t","ttl":1e400}}`, upstream.Legacy, "t", 0},
		{`{"task":{"taskId":"t","ttl":1e300}}`, upstream.Legacy, "t", maxTaskTTL},
		{`{"task":{"taskId":"t","ttl":-1}}`, upstream.Legacy, "t", 0},
		{`{"task":{"taskId":5}}`, upstream.Legacy, "", 0},
		{`{"task":["taskId"]}`, upstream.Legacy, "", 0},
		{`{"content":[],"structuredContent":{"taskId":"t"}}`, upstream.Legacy, "", 0},
		{`{"resultType":"task","taskId":"t"}`, upstream.Legacy, "", 0},
		{`{"resultType":"task","taskId":"t","ttlMs":1000}`, upstream.Modern, "t", time.Second},
		{`{"resultType":"complete","taskId":"t"}`, upstream.Modern, "", 0},
		{`{"task":{"taskId":"t"}}`, upstream.Modern, "", 0},
	} {
		id, ttl, ok := readTask([]byte(c.result), c.era)
		if id != c.id || ttl != c.ttl || ok != (c.id != "") {
			t.Errorf("%s: %q, %v, %v", c.result, id, ttl, ok)
		}
	}
}
