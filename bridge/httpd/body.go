package httpd

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"sync"
)

// Pools of body buffers: most are small; a few hosts send files. Larger ones
// than the second pool's are left to the garbage collector.
var (
	smallBodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	largeBodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

const (
	smallBody = 64 << 10
	largeBody = 4 << 20
)

var bom = []byte("\xef\xbb\xbf")

// readBody reads a JSON body within the cap. On failure it has answered.
func readBody(w http.ResponseWriter, r *http.Request) (body *bytes.Buffer, ok bool) {
	if !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, http.StatusUnsupportedMediaType, "The body must be application/json.")
		return nil, false
	}
	if r.ContentLength > maxBody {
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestEntityTooLarge, "The body is over the limit of 32 MiB.")
		return nil, false
	}
	body = takeBody(r.ContentLength)
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			refuse(w, http.StatusRequestEntityTooLarge, "The body is over the limit of 32 MiB.")
		} else {
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "The body couldn't be read.")
		}
		freeBody(body)
		return nil, false
	}
	return body, true
}

func takeBody(length int64) *bytes.Buffer {
	if length >= 0 && length <= smallBody {
		return smallBodies.Get().(*bytes.Buffer)
	}
	body := largeBodies.Get().(*bytes.Buffer)
	if length > 0 {
		// ReadFrom wants room for its last look. What a header promises is not
		// worth more than a large body before it comes.
		body.Grow(int(min(length, largeBody)) + bytes.MinRead)
	}
	return body
}

func freeBody(body *bytes.Buffer) {
	size := body.Cap()
	body.Reset()
	switch {
	case size <= smallBody+bytes.MinRead:
		smallBodies.Put(body)
	case size <= largeBody+2*bytes.MinRead:
		largeBodies.Put(body)
	}
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}
