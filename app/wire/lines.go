package wire

// LinesProtocol is what a connection of the local API is upgraded to that carries
// a host's messages as lines.
const LinesProtocol = "bridgekeeper-lines"

// LinesGoodbye is the core's last line on a connection that it ends in order.
const LinesGoodbye = "#bye"

// Lines asks for such a connection (POST /v1/lines).
type Lines struct {
	Host string `json:"host"`
	// Server narrows the host's view to one server, with its own names; "" is all.
	Server string `json:"server,omitempty"`
	// Ask is set when a person may be asked whether a host that nobody knows may come.
	Ask bool `json:"ask,omitempty"`
}
