package client

import (
	"context"
	"errors"
	"testing"

	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/wire"
)

// choosy lets only its own window attend.
type choosy struct {
	*localapitest.Fake
	attends int
}

func (c *choosy) Attend(ctx context.Context) (func(), error) {
	if localapi.CallerOf(ctx).Secret != "one-time" {
		return nil, &wire.Error{Code: wire.CodeNotAllowed, Message: "only the window may answer"}
	}
	c.attends++
	return func() {}, nil
}

func TestAttend(t *testing.T) {
	if secretHeader != localapi.SecretHeader {
		t.Fatalf("the client's header is %q, the core's %q", secretHeader, localapi.SecretHeader)
	}
	fake := &choosy{Fake: localapitest.New()}
	dial, stop := core(t, fake)
	defer stop()
	enough := errors.New("enough")

	c := NewDialer(dial)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	refused := func(err error) {
		if code(err) != wire.CodeNotAllowed {
			t.Errorf("without a secret: %v", err)
		}
		cancel()
	}
	if err := c.Attend(ctx, func(wire.Event) error { return enough }, refused); !errors.Is(err, context.Canceled) {
		t.Errorf("without a secret: %v", err)
	}

	c.secret = "one-time"
	first := func(e wire.Event) error {
		if e.Snapshot == nil {
			t.Errorf("the first event is %+v", e)
		}
		return enough
	}
	if err := c.Attend(t.Context(), first, nil); err != enough || fake.attends != 1 {
		t.Errorf("with the secret: %v, %d", err, fake.attends)
	}
}
