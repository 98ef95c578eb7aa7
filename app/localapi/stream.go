package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"
)

// errSlow ends a stream whose reader doesn't read: it connects again and gets a
// whole snapshot, instead of a thinned stream.
var errSlow = errors.New("the reader is too slow")

// stream writes JSON lines. The answer's head goes out with the first line, so
// that an error before it can still be an ordinary answer.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	kind    string // the media type; constant once something is written

	mu      sync.Mutex // guards w and the fields below
	started bool
	failed  error
}

func newStream(w http.ResponseWriter) *stream {
	return &stream{w: w, control: http.NewResponseController(w), kind: "application/x-ndjson"}
}

// run calls produce and writes a blank line now and then while it works.
func (s *stream) run(ctx context.Context, produce func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		tick := time.NewTicker(keepAlive)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A failure is kept in s.failed and ends produce at its next line.
				_ = s.write([]byte("\n"))
			}
		}
	})
	defer beats.Wait()
	defer cancel()
	return produce()
}

func (s *stream) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(append(line, '\n'))
}

// Write makes the stream an io.Writer, for bodies that are made elsewhere.
func (s *stream) Write(p []byte) (int, error) {
	if err := s.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *stream) write(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	if !s.started {
		s.started = true
		s.w.Header().Set("Content-Type", s.kind)
		s.w.Header().Set("Cache-Control", "no-store")
	}
	// Not every ResponseWriter has deadlines (a recorder in a test has none).
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := s.w.Write(line)
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		s.failed = errors.Join(errSlow, err)
	}
	return s.failed
}

// end finishes the answer after produce returned err.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.started && err != nil:
		// Cut off without the closing chunk, so that the reader knows it has not everything.
		panic(http.ErrAbortHandler)
	case s.started:
	case err != nil && !errors.Is(err, context.Canceled):
		answerError(s.w, err)
	default: // nothing to show
		s.w.Header().Set("Content-Type", s.kind)
		s.w.WriteHeader(http.StatusOK)
	}
}
