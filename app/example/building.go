package example

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Device is one piece of equipment in a room.
type Device struct {
	ID       string `json:"id"`
	Kind     string `json:"kind" jsonschema:"codec, display, camera, microphone, speaker, touch panel or dock"`
	Model    string `json:"model"`
	Firmware string `json:"firmware"`
	Online   bool   `json:"online"`
	Note     string `json:"note,omitempty" jsonschema:"what is wrong with it, when something is"`
}

// Room is one meeting room and what can be said about it now.
type Room struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Floor       string   `json:"floor"`
	Seats       int      `json:"seats"`
	State       string   `json:"state" jsonschema:"ok, degraded or offline"`
	InCall      bool     `json:"in_call"`
	UptimeHours int      `json:"uptime_hours"`
	Reboots     int      `json:"reboots" jsonschema:"reboots since the server started"`
	Devices     []Device `json:"devices"`
}

// building holds the rooms; mu guards everything below it.
type building struct {
	mu    sync.Mutex
	rooms []Room
}

func newBuilding() *building { return &building{rooms: firstRooms()} }

// ids lists the rooms' ids in order; they never change.
func (b *building) ids() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := make([]string, len(b.rooms))
	for i, r := range b.rooms {
		ids[i] = r.ID
	}
	return ids
}

// list returns copies of the rooms in the given state, or of all for "".
func (b *building) list(state string) []Room {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []Room{}
	for _, r := range b.rooms {
		if state == "" || r.State == state {
			out = append(out, r.copy())
		}
	}
	return out
}

func (b *building) room(id string) (Room, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, err := b.findLocked(id)
	if err != nil {
		return Room{}, err
	}
	return r.copy(), nil
}

// reboot brings a room's devices back, as a reboot does, and counts it.
func (b *building) reboot(id string) (Room, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, err := b.findLocked(id)
	if err != nil {
		return Room{}, err
	}
	for i := range r.Devices {
		r.Devices[i].Online, r.Devices[i].Note = true, ""
	}
	r.State, r.InCall, r.UptimeHours = "ok", false, 0
	r.Reboots++
	return r.copy(), nil
}

func (b *building) findLocked(id string) (*Room, error) {
	i := slices.IndexFunc(b.rooms, func(r Room) bool { return r.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("no room %q; list_rooms shows the ids", id)
	}
	return &b.rooms[i], nil
}

func (r Room) copy() Room {
	r.Devices = slices.Clone(r.Devices)
	return r
}

// problems tells each fault of the room in a line.
func (r Room) problems() []string {
	var out []string
	for _, d := range r.Devices {
		if d.Note != "" || !d.Online {
			out = append(out, fmt.Sprintf("%s (%s): %s", d.Kind, d.Model, cmp.Or(d.Note, "offline")))
		}
	}
	return out
}

// matches reports whether every word of query occurs somewhere in the room.
func (r Room) matches(query string) bool {
	text := strings.ToLower(fmt.Sprint(r.ID, " ", r.Name, " ", r.Floor, " ", r.State, " ", r.Devices))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// firstRooms is the building as every start finds it.
func firstRooms() []Room {
	rooms := []Room{
		{ID: "aspen", Name: "Aspen", Floor: "1", Seats: 6, UptimeHours: 212},
		{ID: "birch", Name: "Birch", Floor: "1", Seats: 8, UptimeHours: 96, InCall: true},
		{ID: "cedar", Name: "Cedar", Floor: "2", Seats: 14, UptimeHours: 1042},
		{ID: "hazel", Name: "Hazel", Floor: "2", Seats: 4, UptimeHours: 31},
		{ID: "juniper", Name: "Juniper", Floor: "2", Seats: 10, UptimeHours: 540},
		{ID: "larch", Name: "Larch", Floor: "3", Seats: 6, UptimeHours: 77},
		{ID: "linden", Name: "Linden", Floor: "3", Seats: 20, UptimeHours: 318, InCall: true},
		{ID: "maple", Name: "Maple", Floor: "3", Seats: 8, UptimeHours: 0},
		{ID: "rowan", Name: "Rowan", Floor: "4", Seats: 5, UptimeHours: 164},
		{ID: "willow", Name: "Willow Boardroom", Floor: "4", Seats: 24, UptimeHours: 689},
	}
	for i := range rooms {
		r := &rooms[i]
		r.State, r.Devices = "ok", equipment(r.ID, r.Seats)
	}
	faults := []struct{ room, kind, note, state string }{
		{"cedar", "microphone", "no signal from the ceiling array since 07:40", "degraded"},
		{"juniper", "camera", "tracking lost its calibration", "degraded"},
		{"maple", "codec", "does not answer on the network", "offline"},
	}
	for _, f := range faults {
		r := &rooms[slices.IndexFunc(rooms, func(r Room) bool { return r.ID == f.room })]
		d := &r.Devices[slices.IndexFunc(r.Devices, func(d Device) bool { return d.Kind == f.kind })]
		r.State, d.Note, d.Online = f.state, f.note, f.state != "offline"
	}
	return rooms
}

// equipment is what a room of this size has.
func equipment(room string, seats int) []Device {
	devices := []Device{
		{ID: room + "-codec", Kind: "codec", Model: "Norrland C40", Firmware: "11.24.1"},
		{ID: room + "-display-1", Kind: "display", Model: "Vista 65Q", Firmware: "3.8"},
		{ID: room + "-camera", Kind: "camera", Model: "Kestrel PTZ-12", Firmware: "2.19.0"},
		{ID: room + "-panel", Kind: "touch panel", Model: "Norrland T10", Firmware: "11.24.1"},
	}
	if seats >= 8 {
		devices = append(devices,
			Device{ID: room + "-mic", Kind: "microphone", Model: "Stratus Ceiling 2", Firmware: "5.2.7"},
			Device{ID: room + "-speaker", Kind: "speaker", Model: "Stratus Bar", Firmware: "5.2.7"})
	}
	if seats >= 14 {
		devices = append(devices, Device{ID: room + "-display-2", Kind: "display", Model: "Vista 86Q", Firmware: "3.8"})
	}
	for i := range devices {
		devices[i].Online = true
	}
	return devices
}
