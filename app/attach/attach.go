// Package attach reaches the running core for the shim, over the local API's
// socket, and starts a core where there is none.
//
// It is small on purpose, without net/http: the program that uses it runs once for
// each server entry of each host. It keeps no state; bridge/shim calls Dial.
package attach

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/shim"
)

const (
	startLimit  = 15 * time.Second // from the core's start until its socket is there
	pollEvery   = 20 * time.Millisecond
	answerLimit = 10 * time.Second // for the core's yes, where no person is asked
	askLimit    = 6 * time.Minute  // where one is; a question waits for five
	maxRefusal  = 64 << 10         // bytes of a refusal
)

// Attach says whom a connection is for, and where the core is.
type Attach struct {
	Dirs   home.Dirs
	Host   string
	Server string // "" is all servers

	// start starts a core; tests have their own.
	start func(home.Dirs) error
}

// Dial returns a connection on which each line is a message. What trying again
// won't mend is a *shim.Refused; every error has a sentence for a person.
func (a Attach) Dial(ctx context.Context, how shim.How) (net.Conn, error) {
	conn, err := sock.Dial(ctx, a.Dirs.Socket)
	if err != nil && sock.NobodyThere(err) && how.Start {
		conn, err = a.startOne(ctx)
	}
	switch {
	case errors.Is(err, sock.ErrNotOurs), errors.Is(err, os.ErrPermission):
		return nil, &shim.Refused{Err: errors.New("The core's socket belongs to another user.")}
	case err != nil && sock.NobodyThere(err):
		return nil, errors.New("it isn't running. Start it with `bridgekeeper serve`.")
	case err != nil:
		return nil, err
	}
	limit := answerLimit
	if how.First {
		limit = askLimit
	}
	lines, err := a.upgrade(ctx, conn, how.First, limit)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return lines, nil
}

// upgrade asks the core to turn the connection into one of lines (RFC 9110, 7.8).
func (a Attach) upgrade(ctx context.Context, conn net.Conn, ask bool, limit time.Duration) (net.Conn, error) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	body, err := json.Marshal(wire.Lines{Host: a.Host, Server: a.Server, Ask: ask})
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(limit))
	_, err = fmt.Fprintf(conn, "POST /v1/lines HTTP/1.1\r\nHost: bridgekeeper\r\nConnection: Upgrade\r\nUpgrade: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		wire.LinesProtocol, len(body), body)
	if err != nil {
		return nil, fmt.Errorf("it ended while this application connected: %w", err)
	}
	in := bufio.NewReader(conn)
	head := textproto.NewReader(in)
	status, err := head.ReadLine()
	var header textproto.MIMEHeader
	if err == nil {
		header, err = head.ReadMIMEHeader()
	}
	if err != nil {
		return nil, fmt.Errorf("it ended while this application connected: %w", err)
	}
	if strings.HasPrefix(status, "HTTP/1.1 101 ") {
		conn.SetDeadline(time.Time{})
		return &ahead{Conn: conn, in: in}, nil
	}
	return nil, refusal(status, header, in)
}

// ahead is a connection of which some bytes were read already.
type ahead struct {
	net.Conn
	in *bufio.Reader
}

func (a *ahead) Read(p []byte) (int, error) { return a.in.Read(p) }

// final are the refusals that last until a person does something.
var final = map[wire.Code]bool{wire.CodeNotAllowed: true, wire.CodeNoSuchHost: true, wire.CodeDenied: true, wire.CodeBadName: true, wire.CodeNoSuchServer: true}

// refusal reads the core's no.
func refusal(status string, header textproto.MIMEHeader, in io.Reader) error {
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || size < 0 || size > maxRefusal {
		return fmt.Errorf("it answered %q", status)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(in, data); err != nil {
		return fmt.Errorf("it ended while this application connected: %w", err)
	}
	var e wire.Error
	if json.Unmarshal(data, &e) != nil || e.Code == "" {
		return fmt.Errorf("it answered %q; it may be of another version", status)
	}
	text := e.Message
	if e.Hint != "" {
		text += " " + e.Hint
	}
	if final[e.Code] {
		return &shim.Refused{Err: errors.New(text)}
	}
	return errors.New(text)
}
