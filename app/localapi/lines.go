package localapi

import (
	"net/http"
	"time"

	"bridgekeeper/app/wire"
)

// lines turns the connection into one on which each line is a message of MCP.
func (h *handler) lines(w http.ResponseWriter, r *http.Request) {
	var req wire.Lines
	if err := decode(w, r, maxBody, &req); err != nil {
		answerError(w, err)
		return
	}
	if r.Header.Get("Upgrade") != wire.LinesProtocol {
		answerError(w, &wire.Error{Code: wire.CodeBadRequest, Message: "This route is for the shim, which asks for " + wire.LinesProtocol + "."})
		return
	}
	serve, err := h.backend.Lines(r.Context(), req)
	if err != nil {
		answerError(w, err)
		return
	}
	control := http.NewResponseController(w)
	pipe, in, err := control.Hijack()
	if err != nil {
		answerError(w, &wire.Error{Code: wire.CodeInternal, Message: err.Error()})
		return
	}
	_ = pipe.SetDeadline(time.Time{}) // the request's
	_, err = pipe.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + wire.LinesProtocol + "\r\n\r\n"))
	if err != nil {
		pipe.Close()
		return // gone again
	}
	if err := serve(r.Context(), pipe, in); err != nil {
		h.log.Warn("a shim's connection was refused", "host", req.Host, "err", err)
	}
}
