package directory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// taskMethods are about a task that the host names.
var taskMethods = []string{rpc.GetTask, rpc.TaskResult, rpc.CancelTask, rpc.UpdateTask}

// taskListWait bounds how long a list of tasks waits for one server.
const taskListWait = 10 * time.Second

// TasksExtension is the name of the tasks that 2026-07-28 has.
const TasksExtension = "io.modelcontextprotocol/tasks"

// tasksCapability is what the merged endpoint declares to hosts of 2025-11-25 at
// all times, as its other capabilities. Which tools run as tasks, each says itself.
const tasksCapability = `{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`

// hasTasks reports whether the server has the tasks of its era.
func hasTasks(info *upstream.Info) bool {
	if info.Era == upstream.Legacy {
		return info.Has("tasks")
	}
	return hasExtension(info.Capabilities)
}

// hasExtension reports whether a side's capabilities have the tasks extension.
func hasExtension(capabilities []byte) bool {
	at := rpc.Find(capabilities, "extensions")
	return at.Ok() && rpc.Find(capabilities[at.Start:at.End], TasksExtension).Ok()
}

// needsTasks refuses a modern host that doesn't say, with its request, that it
// knows tasks.
var needsTasks = &rpc.Error{Code: rpc.CodeMissingCapability, Message: "The request doesn't declare the tasks extension.",
	Data: []byte(`{"requiredCapabilities":{"extensions":{"` + TasksExtension + `":{}}}}`)}

// task passes a request about a task on to the server that has it.
func (d *Directory) task(ctx context.Context, r *Request) Answer {
	params := r.Message.Bytes(r.Message.Params)
	id := textOf(params, "taskId")
	t, clash := d.tasks.find(r.Seat, id)
	switch {
	case clash:
		return failure(rpc.CodeInvalidParams, fmt.Sprintf("Two servers have a task %s; use the endpoint of the one that is meant.", id))
	case t == nil && d.without(r.Seat, id):
		return d.forward(ctx, r, r.Seat.Endpoint)
	case r.Seat.Modern() && !hasExtension(r.Seat.Capabilities):
		return Answer{Error: needsTasks}
	case t == nil: // maybe another host's, which is none of this one's business
		return failure(rpc.CodeInvalidParams, "Unknown task: "+id)
	}
	session, err := d.opts.Upstreams.Session(ctx, t.server, t.scope)
	if err != nil {
		return failure(rpc.CodeInternal, err.Error())
	}
	reply, err := d.do(ctx, r, session, nil)
	if err != nil {
		return failure(rpc.CodeInternal, err.Error())
	}
	if reply.Result.Ok() && r.Message.Is(rpc.GetTask) {
		ttl, said := readTTL(reply.Bytes(reply.Result))
		d.tasks.renew(t, ttl, said)
	}
	return Answer{Reply: reply, era: session.Info().Era}
}

// without reports whether the seat's endpoint is that of a server without tasks,
// which then says so itself.
func (d *Directory) without(seat *Seat, id string) bool {
	s := d.View().Server(seat.Endpoint)
	return s != nil && s.Info != nil && !hasTasks(s.Info) && !d.tasks.anybodys(seat.Endpoint, id)
}

// noteTask remembers whose the task is that a call's answer speaks of.
func (d *Directory) noteTask(r *Request, a *Answer) {
	m := r.Message
	if a.Reply.Raw == nil || !a.Reply.Result.Ok() || !answersRounds(m) {
		return
	}
	id, ttl, ok := readTask(a.Reply.Bytes(a.Reply.Result), a.era)
	if !ok {
		return
	}
	server, v := r.Seat.Endpoint, d.View()
	if server == "" {
		switch {
		case m.Is(rpc.CallTool):
			server = v.tools[m.Text(m.Name)].server
		case m.Is(rpc.GetPrompt):
			server = v.prompts[m.Text(m.Name)].server
		default:
			server, _ = v.owner(m.Text(m.URI))
		}
	}
	if v.servers[server] == nil {
		return // removed a moment ago
	}
	scope := d.scope(r.Seat, server)
	scope.Capabilities = slices.Clone(scope.Capabilities) // the request's
	now := time.Now()
	early := d.tasks.add(&task{id: id, server: server, scope: scope, host: r.Seat.Host, session: r.Seat.Session, made: now, used: now, ttl: ttl})
	if early == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, raw := range early {
		d.tellTaskLocked(server, r.Seat.Host, r.Seat.Session, raw)
	}
}

// taskNewsLocked passes news of a task on to its host.
func (d *Directory) taskNewsLocked(server, scope string, m *rpc.Message, raw []byte) {
	if host, session, ok := d.tasks.owner(server, scope, textOf(m.Bytes(m.Params), "taskId"), raw); ok {
		d.tellTaskLocked(server, host, session, raw)
	}
}

// tellTaskLocked tells the session that made the task, where it is still there,
// else all that its host has.
func (d *Directory) tellTaskLocked(server, host, session string, raw []byte) {
	var others []*Seat
	for seat := range d.seats {
		switch {
		case seat.Host != host || !seat.sees(server):
		case session != "" && seat.Session == session:
			seat.Listener.Notify(raw)
			return
		default:
			others = append(others, seat)
		}
	}
	for _, seat := range others {
		seat.Listener.Notify(raw)
	}
}

// ownTasks leaves of a server's list of tasks those that are the seat's.
func (d *Directory) ownTasks(r *Request, a *Answer) {
	if a.Reply.Raw == nil || !a.Reply.Result.Ok() {
		return
	}
	result := a.Reply.Bytes(a.Reply.Result)
	at := rpc.Find(result, "tasks")
	if !at.Ok() {
		return
	}
	whole := result[at.Start:at.End]
	items, others := d.pickTasks(r.Seat, whole, nil)
	if !others {
		return
	}
	start := a.Reply.Result.Start
	a.Edits = append(a.Edits, rpc.Edit{Span: rpc.Span{Start: start + at.Start, End: start + at.End}, With: append(append([]byte{'['}, items...), ']')})
}

// pickTasks appends the seat's own tasks of a list, and reports whether there were
// others.
func (d *Directory) pickTasks(seat *Seat, list, items []byte) (_ []byte, others bool) {
	err := rpc.Elements(list, func(at rpc.Span) bool {
		raw := list[at.Start:at.End]
		if t, clash := d.tasks.find(seat, textOf(raw, "taskId")); t == nil && !clash {
			others = true
			return true
		}
		if len(items) > 0 {
			items = append(items, ',')
		}
		items = append(items, raw...)
		return true
	})
	return items, others || err != nil // what is no list shows nobody's tasks
}

// listTasks returns the seat's tasks at all servers that list them.
func (d *Directory) listTasks(ctx context.Context, r *Request) Answer {
	places := d.tasks.instances(r.Seat)
	order := d.View().order
	slices.SortFunc(places, func(a, b instance) int {
		return slices.Index(order, a.server) - slices.Index(order, b.server)
	})
	ctx, stop := context.WithTimeout(ctx, taskListWait)
	defer stop()
	lists := make([][]byte, len(places))
	var wait sync.WaitGroup
	for i, p := range places {
		wait.Go(func() { lists[i] = d.tasksAt(ctx, r.Seat, p) })
	}
	wait.Wait()
	out := []byte(`{"tasks":[`)
	first := len(out)
	for _, l := range lists {
		if len(l) > 0 && len(out) > first {
			out = append(out, ',')
		}
		out = append(out, l...)
	}
	return Answer{Result: append(out, "]}"...)}
}

// tasksAt reads all pages of one instance; what can't be read is left out.
func (d *Directory) tasksAt(ctx context.Context, seat *Seat, p instance) (items []byte) {
	session, err := d.opts.Upstreams.Session(ctx, p.server, p.scope)
	if err != nil || session.Info().Era != upstream.Legacy || !Declares(session.Info().Capabilities, "tasks.list") {
		return nil
	}
	var params []byte
	for range maxPages {
		reply, err := session.Request(ctx, rpc.ListTasks, params)
		if err != nil {
			return items
		}
		result := reply.Bytes(reply.Result)
		cursor := ""
		if at := rpc.Find(result, "tasks"); at.Ok() {
			items, _ = d.pickTasks(seat, result[at.Start:at.End], items)
			if next := rpc.Find(result, "nextCursor"); next.Ok() && result[next.Start] == '"' {
				cursor = string(result[next.Start:next.End])
			}
		}
		reply.Free()
		if cursor == "" || len(items) > maxBytes {
			return items
		}
		params = []byte(`{"cursor":` + cursor + `}`)
	}
	return items
}

// SubscribeTasks has a modern host's seat hear of its tasks and returns those that
// worked.
func (d *Directory) SubscribeTasks(seat *Seat, ids []string) []string {
	accepted := []string{}
	for _, id := range ids {
		t, _ := d.tasks.find(seat, id)
		if t == nil || slices.Contains(accepted, id) || len(accepted) >= maxSubscriptions {
			continue
		}
		if s := d.View().Server(t.server); s == nil || s.Info == nil || s.Info.Era != upstream.Modern || !hasTasks(s.Info) {
			continue
		}
		d.mu.Lock()
		if s := d.servers[t.server]; s != nil {
			if seat.tasks == nil {
				seat.tasks = make(map[string]instance)
			}
			seat.tasks[id] = instance{t.server, t.scope}
			s.tasks[subscription{t.scope.ID, id}]++
			d.soonLocked(job{t.server, news, t.scope.ID})
			accepted = append(accepted, id)
		}
		d.mu.Unlock()
	}
	d.poke()
	return accepted
}

// unsubscribeTasksLocked ends that.
func (d *Directory) unsubscribeTasksLocked(seat *Seat) {
	for id, at := range seat.tasks {
		s, book := d.servers[at.server], subscription{at.scope.ID, id}
		if s == nil || s.tasks[book] == 0 {
			continue
		}
		if s.tasks[book]--; s.tasks[book] == 0 {
			delete(s.tasks, book)
			d.soonLocked(job{at.server, news, at.scope.ID})
			d.poke()
		}
	}
	seat.tasks = nil
}

// tasksAtLocked are the tasks that seats want to hear of at an instance.
func (s *server) tasksAtLocked(scope string) (ids []string) {
	for sub := range s.tasks {
		if sub.scope == scope {
			ids = append(ids, sub.uri)
		}
	}
	slices.Sort(ids)
	return ids
}

// ForgetHost forgets what a host has whose token is worthless now: another of its
// name is another host.
func (d *Directory) ForgetHost(host string) {
	d.tasks.drop(func(t *task) bool { return t.host == host })
}
