package directory

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// welcomeWait bounds how long a host that connects to one server alone waits
// for it to start.
const welcomeWait = 20 * time.Second

// Bounds of the merged instructions, which hosts put before the model.
const (
	maxInstructions    = 2 << 10 // of one server
	maxAllInstructions = 16 << 10
)

// mergedCapabilities are declared on the merged endpoint at all times: servers
// come and go, and hosts believe only what initialize said.
const mergedCapabilities = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}}`

// mergedFor adds the tasks of the seat's era: those of 2025-11-25 always, the
// extension while a server has it, for a modern host asks again.
func (d *Directory) mergedFor(seat *Seat) []byte {
	capabilities := []byte(mergedCapabilities)
	switch v := d.View(); {
	case seat.Version == rpc.V20251125:
		return setMember(capabilities, "tasks", tasksCapability)
	case seat.Modern() && v.anyTasks():
		return setMember(capabilities, "extensions", `{"`+TasksExtension+`":{}}`)
	}
	return capabilities
}

// anyTasks reports whether a modern server has the tasks extension.
func (v *View) anyTasks() bool {
	for _, s := range v.servers {
		if s.Info != nil && s.Info.Era == upstream.Modern && hasTasks(s.Info) {
			return true
		}
	}
	return false
}

// Welcome answers initialize for the seat.
func (d *Directory) Welcome(ctx context.Context, seat *Seat) Answer {
	out := rpc.AppendMember(nil, "protocolVersion", rpc.Quote(seat.Version))
	out = d.introduce(ctx, out, seat)
	return Answer{Result: append(append([]byte{'{'}, out...), '}')}
}

// discover answers server/discover for the seat.
func (d *Directory) discover(ctx context.Context, seat *Seat) Answer {
	out := rpc.AppendMember(nil, "supportedVersions", []byte(`["`+rpc.V20260728+`"]`))
	out = d.introduce(ctx, out, seat)
	return Answer{Result: append(append([]byte{'{'}, out...), '}')}
}

// introduce appends capabilities, serverInfo and instructions.
func (d *Directory) introduce(ctx context.Context, out []byte, seat *Seat) []byte {
	capabilities, identity := d.mergedFor(seat), d.identity()
	var instructions []byte
	if seat.Endpoint == "" {
		if text := d.instructions(); text != "" {
			instructions = rpc.Quote(text)
		}
	} else if info := d.info(ctx, seat); info != nil {
		capabilities = promise(info.Capabilities)
		instructions = info.Instructions
		if info.ServerInfo != nil {
			identity = info.ServerInfo
		}
	}
	out = rpc.AppendMember(out, "capabilities", capabilities)
	out = rpc.AppendMember(out, "serverInfo", identity)
	if instructions != nil {
		out = rpc.AppendMember(out, "instructions", instructions)
	}
	return out
}

// info returns what is known of a server, after a wait for its first start.
func (d *Directory) info(ctx context.Context, seat *Seat) *upstream.Info {
	ctx, stop := context.WithTimeout(ctx, welcomeWait)
	defer stop()
	if session, err := d.session(ctx, seat, seat.Endpoint); err == nil {
		return session.Info()
	}
	if s := d.View().Server(seat.Endpoint); s != nil {
		return s.Info // of an earlier start: better than a host that gives up
	}
	return nil
}

// promise sets listChanged in the capabilities that have it: hosts ignore
// list_changed unless it was promised, and we notice changes (restarts, edits)
// that the server itself never announces.
func promise(capabilities []byte) []byte {
	for _, name := range []string{"tools", "prompts", "resources"} {
		at := rpc.Find(capabilities, name)
		if !at.Ok() || capabilities[at.Start] != '{' {
			continue
		}
		object := capabilities[at.Start:at.End]
		object = setMember(object, "listChanged", "true")
		capabilities = rpc.Splice(nil, capabilities, rpc.Edit{Span: at, With: object})
	}
	return capabilities
}

// setMember returns the object with the member of that name set.
func setMember(object []byte, name, value string) []byte {
	edit := rpc.Edit{Span: rpc.Find(object, name), With: []byte(value)}
	if !edit.Span.Ok() {
		edit = rpc.InsertMember(object, rpc.Span{End: len(object)}, name, []byte(value))
	}
	return rpc.Splice(nil, object, edit)
}

// instructions joins what the servers say about themselves.
func (d *Directory) instructions() string {
	v := d.View()
	var b strings.Builder
	for _, name := range v.order {
		s := v.servers[name]
		if s.Info == nil || s.Info.Instructions == nil || b.Len() > maxAllInstructions {
			continue
		}
		text := strings.TrimSpace(rpc.Text(s.Info.Instructions))
		if text == "" {
			continue
		}
		if len(text) > maxInstructions {
			cut := maxInstructions
			for !utf8.RuneStart(text[cut]) {
				cut--
			}
			text = text[:cut] + "…"
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("Server " + name + " (tools named " + toolPrefix(name) + "…): " + text)
	}
	return b.String()
}
