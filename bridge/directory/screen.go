package directory

import (
	"bridgekeeper/bridge/rpc"
)

// screen returns the list of a server's tools with those marked that no host may
// see; the list itself where there are none.
func (d *Directory) screen(server string, items []item) []item {
	if d.opts.Screen == nil {
		return items
	}
	var out []item
	for i := range items {
		if items[i].name == "" {
			continue
		}
		why := d.opts.Screen(server, items[i].name, items[i].raw)
		if why == "" {
			continue
		}
		if out == nil {
			out = append(out, items...)
		}
		out[i].off, out[i].hidden = why, why
	}
	if out == nil {
		return items
	}
	return out
}

// Rescreen asks Screen about every tool again.
func (d *Directory) Rescreen() {
	d.mu.Lock()
	d.screened++
	changed := d.publishLocked()
	d.mu.Unlock()
	d.announce(changed)
}

// screenReply takes the tools that no host may see out of a server's own
// tools/list result.
func (d *Directory) screenReply(server string, answer *Answer) {
	reply := &answer.Reply
	if d.opts.Screen == nil || reply.Raw == nil || !reply.Result.Ok() {
		return
	}
	result := reply.Bytes(reply.Result)
	at := rpc.Find(result, listMembers[tools])
	if !at.Ok() {
		return
	}
	list := result[at.Start:at.End]
	kept, left := []byte{'['}, 0
	err := rpc.Elements(list, func(at rpc.Span) bool {
		raw := list[at.Start:at.End]
		if it := readItem(raw, tools); it.name != "" && d.opts.Screen(server, it.name, raw) != "" {
			left++
			return true
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, raw...)
		return true
	})
	if err != nil || left == 0 {
		return
	}
	start := reply.Result.Start
	answer.Edits = append(answer.Edits, rpc.Edit{Span: rpc.Span{Start: start + at.Start, End: start + at.End}, With: append(kept, ']')})
}
