package localapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"bridgekeeper/app/wire"
)

// decode reads a request's body, at most limit bytes. An unknown field is
// refused: it would be a wish that is silently not granted.
func decode(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	// Afterwards the server reads on to notice a caller that goes away.
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more behind the object")
		}
	}
	if err == nil {
		return nil
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &wire.Error{Code: wire.CodeBodyTooLarge, Message: fmt.Sprintf("the request is larger than %d MiB", tooLarge.Limit>>20)}
	}
	return &wire.Error{Code: wire.CodeBadRequest, Message: "the request's body: " + bodyMistake(err)}
}

func bodyMistake(err error) string {
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "there is no field " + field
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%q can't be a %s", wrong.Field, wrong.Value)
	}
	if errors.Is(err, io.EOF) {
		return "it is empty"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// done answers a request that has nothing to return.
func done(w http.ResponseWriter, err error) {
	if err != nil {
		answerError(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func answerError(w http.ResponseWriter, err error) {
	e := wire.AsError(err)
	answer(w, status(e.Code), e)
}

func answer(w http.ResponseWriter, code int, body any) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // tools' definitions stay as their servers wrote them
	if err := enc.Encode(body); err != nil {
		code = http.StatusInternalServerError
		data.Reset()
		_ = enc.Encode(&wire.Error{Code: wire.CodeInternal, Message: "encode the answer: " + err.Error()}) // strings always encode
	}
	head(w, code)
	_, _ = w.Write(data.Bytes()) // a caller that went away has no use for an error
}

func head(w http.ResponseWriter, code int) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
}

// status is the HTTP status of each code.
func status(code wire.Code) int {
	switch code {
	case wire.CodeBadRequest, wire.CodeBadName, wire.CodeBadEntry, wire.CodeBadAnswer, wire.CodeBadSetting, wire.CodeBadDraft, wire.CodeBadInput, wire.CodeBadBundle, wire.CodeMissingProgram:
		return http.StatusBadRequest
	case wire.CodeNoSuchServer, wire.CodeNoSuchTool, wire.CodeNoSuchHost, wire.CodeNoSuchQuestion, wire.CodeNoSuchRule, wire.CodeNoSuchModel, wire.CodeNoSuchDraft, wire.CodeNotInCatalog:
		return http.StatusNotFound
	case wire.CodeServerExists, wire.CodeHostExists, wire.CodeConfigBroken, wire.CodeConfigNewer, wire.CodeAlreadyRuns, wire.CodeAnswered:
		return http.StatusConflict
	case wire.CodeNotAllowed, wire.CodeDenied, wire.CodeHeld:
		return http.StatusForbidden
	case wire.CodeBodyTooLarge:
		return http.StatusRequestEntityTooLarge
	case wire.CodeServerDown, wire.CodeServerFailed, wire.CodeNotRunning:
		return http.StatusServiceUnavailable
	case wire.CodeRPC, wire.CodeCatalog:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}
