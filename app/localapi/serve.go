package localapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"bridgekeeper/app/sock"
)

const (
	headerTimeout = 5 * time.Second  // the callers are on this machine
	bodyTimeout   = 30 * time.Second // for 32 MiB over a socket of this machine
	idleTimeout   = 2 * time.Minute  // a kept connection costs a file descriptor
	maxHeader     = 16 << 10         // ours are a few hundred bytes
	endTimeout    = 2 * time.Second  // for answers on their way when the core ends
	writeTimeout  = 10 * time.Second // a reader that takes longer for one piece is disconnected
	keepAlive     = 15 * time.Second // between blank lines on a stream, so that each side notices a dead other
)

// Serve answers on ln until ctx ends, then lets answers on their way finish for a
// moment. It closes ln and returns when no request is running any more.
func Serve(ctx context.Context, ln net.Listener, b Backend, log *slog.Logger) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	h := &handler{backend: b, log: log}
	srv := &http.Server{
		Handler:           h.tracked(h.routes()),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       withCaller,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(&guarded{Listener: ln, check: sock.SameUser, log: log}) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		cancel() // streams end now
		bye, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer stop()
		if srv.Shutdown(bye) != nil {
			srv.Close()
		}
		err = <-ended
	}
	cancel()
	srv.Close()
	h.wait()
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// guarded lets only connections of the same user in.
type guarded struct {
	net.Listener
	check func(net.Conn) error
	log   *slog.Logger
}

func (g *guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if err := g.check(conn); err != nil {
			g.log.Warn("local connection refused", "err", err)
			conn.Close()
			continue
		}
		return conn, nil
	}
}
