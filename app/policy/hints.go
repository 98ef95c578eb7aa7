package policy

// Hints are a tool's annotations: what it says of itself. They are the server's
// own word, and are believed of trusted servers only.
type Hints struct {
	ReadOnly    bool // it changes nothing
	Destructive bool // it may destroy
	Idempotent  bool // twice is the same as once
	OpenWorld   bool // it reaches beyond this machine

	Said bool // it says at least one of the first two
}

// HintsOf reads the annotations of a definition, with the defaults of the
// protocol for what is absent or no boolean. Of what stands twice the worse
// counts, and a tool that says it is read-only and destructive is not read-only.
func HintsOf(definition []byte) Hints {
	var readOnly, destructive, idempotent, openWorld answer
	members(definition, func(key, value []byte) {
		if string(key) != "annotations" {
			return
		}
		members(value, func(key, value []byte) {
			switch string(key) {
			case "readOnlyHint":
				readOnly.hear(value)
			case "destructiveHint":
				destructive.hear(value)
			case "idempotentHint":
				idempotent.hear(value)
			case "openWorldHint":
				openWorld.hear(value)
			}
		})
	})
	h := Hints{
		ReadOnly:    readOnly.yes && !readOnly.no && !destructive.yes,
		Destructive: destructive.yes || !destructive.no,
		Idempotent:  idempotent.yes && !idempotent.no,
		OpenWorld:   openWorld.yes || !openWorld.no,
		Said:        readOnly.yes || readOnly.no || destructive.yes || destructive.no,
	}
	if h.ReadOnly {
		h.Destructive = false // it means nothing then
	}
	return h
}

// answer is what was said to one question, maybe both.
type answer struct{ yes, no bool }

func (a *answer) hear(value []byte) {
	a.yes = a.yes || string(value) == "true"
	a.no = a.no || string(value) == "false"
}
