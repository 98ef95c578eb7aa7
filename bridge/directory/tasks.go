package directory

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Bounds of the memory of tasks.
const (
	maxTasks      = 10_000
	maxHostTasks  = 1000           // of one host; over it its oldest is forgotten
	taskKeep      = 24 * time.Hour // how long a task without a ttl is remembered after its host last asked for it
	maxTaskTTL    = 7 * 24 * time.Hour
	taskGrace     = time.Minute // servers may keep a task a little longer than they say
	tasksSweep    = time.Minute // between two searches for those that have expired
	maxTaskResult = 64 << 10    // a larger result is no handle of a task
	// Of a new task's news that come before the answer which says whose it is.
	maxEarly  = 256
	earlyKeep = 10 * time.Second
)

// task is one task of a server that runs for a host: of 2025-11-25, or of the
// tasks extension. Its id is the server's own; nobody but its host may use it.
type task struct {
	id      string
	server  string
	scope   Scope // of the instance that has it
	host    string
	session string // where it was made; "" on the modern wire
	made    time.Time
	used    time.Time
	ttl     time.Duration // 0: none was said
}

func (t *task) expired(now time.Time) bool {
	if t.ttl > 0 {
		return now.After(t.made.Add(t.ttl + taskGrace))
	}
	return now.After(t.used.Add(taskKeep))
}

// seenBy reports whether the task is the seat's to use.
func (t *task) seenBy(seat *Seat) bool {
	if t.host != seat.Host || !seat.sees(t.server) {
		return false
	}
	own, ofSession := strings.CutPrefix(t.scope.ID, sessionScope)
	return !ofSession || own == seat.Session
}

// tasks remembers whose each task is. It lives as long as we do: servers end with
// us, and their tasks as a rule with them.
type tasks struct {
	mu    sync.Mutex         // guards the fields below
	byID  map[string][]*task // more than one where servers chose the same id
	count int
	hosts map[string]int // tasks by host
	swept time.Time
	early []earlyNews
}

// earlyNews is news of a task that nobody has yet.
type earlyNews struct {
	server, scope, id string
	raw               []byte
	at                time.Time
}

func newTasks() *tasks {
	return &tasks{byID: make(map[string][]*task), hosts: make(map[string]int)}
}

// add remembers a task and returns the news of it that came before. A server that
// gives an id again means a new task.
func (ts *tasks) add(t *task) (early [][]byte) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := t.made
	if now.Sub(ts.swept) > tasksSweep {
		ts.swept = now
		ts.dropLocked(func(t *task) bool { return t.expired(now) })
	}
	ts.dropIDLocked(t.id, func(old *task) bool { return old.server == t.server && old.scope.ID == t.scope.ID })
	switch {
	case ts.hosts[t.host] >= maxHostTasks:
		ts.dropOldestLocked(func(old *task) bool { return old.host == t.host })
	case ts.count >= maxTasks:
		ts.dropOldestLocked(func(*task) bool { return true })
	}
	ts.byID[t.id] = append(ts.byID[t.id], t)
	ts.count++
	ts.hosts[t.host]++
	kept := ts.early[:0]
	for _, n := range ts.early {
		switch {
		case n.server == t.server && n.scope == t.scope.ID && n.id == t.id:
			early = append(early, n.raw)
		case now.Sub(n.at) < earlyKeep:
			kept = append(kept, n)
		}
	}
	clear(ts.early[len(kept):])
	ts.early = kept
	return early
}

// find returns the seat's task of that id. clash is true when it has several, of
// different servers: none of them is picked by guess.
func (ts *tasks) find(seat *Seat, id string) (found *task, clash bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := time.Now()
	for _, t := range ts.byID[id] {
		if !t.seenBy(seat) || t.expired(now) {
			continue
		}
		if found != nil {
			return nil, true
		}
		found = t
	}
	if found != nil {
		found.used = now
	}
	return found, false
}

// anybodys reports whether a server has a task of that id for any host.
func (ts *tasks) anybodys(server, id string) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.ContainsFunc(ts.byID[id], func(t *task) bool { return t.server == server })
}

// owner returns whose task of an instance it is. News of one that nobody has are
// kept for a moment: the answer that says whose it is may just be on its way.
func (ts *tasks) owner(server, scope, id string, raw []byte) (host, session string, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byID[id] {
		if t.server == server && t.scope.ID == scope {
			return t.host, t.session, true
		}
	}
	if len(ts.early) == maxEarly {
		ts.early = append(ts.early[:0], ts.early[maxEarly/2:]...) // the older half is too old by now
	}
	if len(raw) <= maxTaskResult {
		ts.early = append(ts.early, earlyNews{server, scope, id, raw, time.Now()})
	}
	return "", "", false
}

// renew notes what a server says of the time that a task has.
func (ts *tasks) renew(t *task, ttl time.Duration, said bool) {
	if !said {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.ttl = ttl
}

// instance is where tasks are.
type instance struct {
	server string
	scope  Scope
}

// instances returns where the seat has tasks.
func (ts *tasks) instances(seat *Seat) (all []instance) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	known := make(map[subscription]bool)
	for _, list := range ts.byID {
		for _, t := range list {
			at := subscription{t.scope.ID, t.server}
			if t.seenBy(seat) && !known[at] {
				known[at] = true
				all = append(all, instance{t.server, t.scope})
			}
		}
	}
	return all
}

// drop forgets the tasks that gone reports.
func (ts *tasks) drop(gone func(*task) bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.dropLocked(gone)
}

func (ts *tasks) dropLocked(gone func(*task) bool) {
	for id := range ts.byID {
		ts.dropIDLocked(id, gone)
	}
}

func (ts *tasks) dropIDLocked(id string, gone func(*task) bool) {
	list := ts.byID[id]
	kept := list[:0]
	for _, t := range list {
		if !gone(t) {
			kept = append(kept, t)
			continue
		}
		ts.count--
		if ts.hosts[t.host]--; ts.hosts[t.host] == 0 {
			delete(ts.hosts, t.host)
		}
	}
	clear(list[len(kept):])
	if len(kept) == 0 {
		delete(ts.byID, id)
		return
	}
	ts.byID[id] = kept
}

func (ts *tasks) dropOldestLocked(of func(*task) bool) {
	var oldest *task
	for _, list := range ts.byID {
		for _, t := range list {
			if of(t) && (oldest == nil || t.used.Before(oldest.used)) {
				oldest = t
			}
		}
	}
	if oldest != nil {
		ts.dropIDLocked(oldest.id, func(t *task) bool { return t == oldest })
	}
}

// readTask looks for the handle of a new task in a result of a server.
func readTask(result []byte, era upstream.Era) (id string, ttl time.Duration, ok bool) {
	if len(result) > maxTaskResult || !bytes.Contains(result, []byte("taskId")) {
		return "", 0, false // as nearly all
	}
	if era == upstream.Modern {
		kind := rpc.Find(result, "resultType")
		if !kind.Ok() || rpc.Text(result[kind.Start:kind.End]) != "task" {
			return "", 0, false
		}
	} else {
		at := rpc.Find(result, "task")
		if !at.Ok() || result[at.Start] != '{' {
			return "", 0, false
		}
		result = result[at.Start:at.End]
	}
	ttl, _ = readTTL(result)
	id = textOf(result, "taskId")
	return id, ttl, id != ""
}

// readTTL reads how long a task is kept from its making; 0 is "not said", and
// said is false for an object that doesn't speak of it.
func readTTL(task []byte) (ttl time.Duration, said bool) {
	for _, name := range []string{"ttlMs", "ttl"} { // the extension's, that of 2025-11-25
		at := rpc.Find(task, name)
		if !at.Ok() {
			continue
		}
		ms, err := strconv.ParseFloat(string(task[at.Start:at.End]), 64)
		if err != nil || ms <= 0 || math.IsNaN(ms) {
			return 0, true // null: without end
		}
		return time.Duration(min(ms, float64(maxTaskTTL/time.Millisecond)) * float64(time.Millisecond)), true
	}
	return 0, false
}

// textOf returns the text of an object's member; "" when it has none.
func textOf(object []byte, name string) string {
	at := rpc.Find(object, name)
	if !at.Ok() {
		return ""
	}
	return rpc.Text(object[at.Start:at.End])
}
