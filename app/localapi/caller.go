package localapi

import (
	"context"
	"net"
	"net/http"

	"bridgekeeper/app/sock"
)

// SecretHeader carries what the core gave a program that it started itself, so
// that it is known again.
const SecretHeader = "Bridgekeeper-Secret"

// Caller is who makes a request, as the kernel tells.
type Caller struct {
	PID    int    // 0 when it can't be told
	Secret string // of SecretHeader; "" when it brought none
}

type callerKey struct{}

// CallerOf returns who makes the request of ctx.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// WithCaller returns a context in which c is the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func withCaller(ctx context.Context, conn net.Conn) context.Context {
	pid, ok := sock.PeerPID(conn)
	if !ok {
		pid = 0
	}
	return WithCaller(ctx, Caller{PID: pid})
}

func withSecret(r *http.Request) *http.Request {
	secret := r.Header.Get(SecretHeader)
	if secret == "" {
		return r
	}
	c := CallerOf(r.Context())
	c.Secret = secret
	return r.WithContext(WithCaller(r.Context(), c))
}
