package localapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"bridgekeeper/app/wire"
)

// skippedTrailer is how many lines of the record could not be read. It is known
// when all were looked at, so it follows the body.
const skippedTrailer = "Bridgekeeper-Skipped"

// maxBatch is how many bytes of a list are written at once.
const maxBatch = 32 << 10

func (h *handler) activity(w http.ResponseWriter, r *http.Request) {
	q, err := wire.ParseActivityQuery(r.URL.Query())
	if err != nil {
		answerError(w, err)
		return
	}
	s := newStream(w)
	skipped := 0
	err = s.run(r.Context(), func() error {
		var batch bytes.Buffer
		enc := json.NewEncoder(&batch)
		enc.SetEscapeHTML(false)
		var err error
		skipped, err = h.backend.Activity(r.Context(), q, func(a *wire.Activity) error {
			if err := enc.Encode(a); err != nil {
				return err
			}
			if batch.Len() < maxBatch {
				return nil
			}
			defer batch.Reset()
			return s.write(batch.Bytes())
		})
		if err == nil && (batch.Len() > 0 || skipped > 0) {
			err = s.write(append(batch.Bytes(), '\n')) // a trailer needs a body before it
		}
		return err
	})
	if err == nil && skipped > 0 {
		w.Header().Set(http.TrailerPrefix+skippedTrailer, strconv.Itoa(skipped))
	}
	s.end(err)
}

func (h *handler) followActivity(w http.ResponseWriter, r *http.Request) {
	q, err := wire.ParseActivityQuery(r.URL.Query())
	if err != nil {
		answerError(w, err)
		return
	}
	s := newStream(w)
	err = s.run(r.Context(), func() error {
		return h.backend.FollowActivity(r.Context(), q, func(a *wire.Activity) error { return s.send(a) })
	})
	s.end(err)
}

// exportTypes are the media types of the formats.
var exportTypes = map[string]string{wire.FormatJSONL: "application/x-ndjson", wire.FormatCSV: "text/csv; charset=utf-8"}

func (h *handler) exportActivity(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	format := query.Get("format")
	query.Del("format")
	q, err := wire.ParseActivityQuery(query)
	if err == nil && exportTypes[format] == "" {
		err = &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("the format is %.40q: it must be jsonl or csv", format)}
	}
	if err != nil {
		answerError(w, err)
		return
	}
	s := newStream(w) // without signs of life: a blank line would be part of the file
	s.kind = exportTypes[format]
	s.end(h.backend.ExportActivity(r.Context(), q, format, s))
}

func (h *handler) verifyActivity(w http.ResponseWriter, r *http.Request) {
	check, err := h.backend.VerifyActivity(r.Context())
	if err != nil {
		answerError(w, err)
		return
	}
	answer(w, http.StatusOK, check)
}
