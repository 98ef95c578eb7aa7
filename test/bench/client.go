package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"time"
)

// callLimit is the longest that one call may take.
const callLimit = 60 * time.Second

// conn is one kept-alive HTTP/1.1 connection, written by hand: the client shares
// the machine with what it measures, so it must cost little, and the same for
// every target.
type conn struct {
	c    net.Conn
	r    *bufio.Reader
	head []byte // of each request, up to the length
	out  []byte
	body []byte
}

// reply is what came back; body is valid until the next call.
type reply struct {
	status  int
	session string
	body    []byte
}

func dial(target string, headers map[string]string) (*conn, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", u.Path, u.Host)
	for k, v := range headers {
		fmt.Fprintf(&head, "%s: %s\r\n", k, v)
	}
	head.WriteString("Content-Length: ")
	return &conn{c: c, r: bufio.NewReaderSize(c, 64<<10), head: head.Bytes()}, nil
}

func (c *conn) close() { c.c.Close() }

// post sends body and reads the whole answer.
func (c *conn) post(body []byte) (reply, error) {
	c.out = append(c.out[:0], c.head...)
	c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
	c.out = append(c.out, "\r\n\r\n"...)
	c.out = append(c.out, body...)
	if err := c.c.SetDeadline(time.Now().Add(callLimit)); err != nil {
		return reply{}, err
	}
	if _, err := c.c.Write(c.out); err != nil {
		return reply{}, err
	}
	return c.read()
}

var (
	lengthHeader  = []byte("content-length:")
	chunkedHeader = []byte("transfer-encoding: chunked")
	sessionHeader = []byte("mcp-session-id:")
)

func (c *conn) read() (rep reply, err error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return rep, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return rep, fmt.Errorf("odd status line %q", line)
	}
	if rep.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return rep, fmt.Errorf("odd status line %q", line)
	}
	length, chunked := 0, false
	for {
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return rep, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		switch {
		case prefixFold(line, lengthHeader):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):]))); err != nil {
				return rep, fmt.Errorf("odd length %q", line)
			}
		case prefixFold(line, chunkedHeader):
			chunked = true
		case prefixFold(line, sessionHeader):
			rep.session = string(bytes.TrimSpace(line[len(sessionHeader):]))
		}
	}
	c.body = c.body[:0]
	if chunked {
		err = c.readChunks()
	} else {
		err = c.take(length)
	}
	rep.body = c.body
	return rep, err
}

func (c *conn) readChunks() error {
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return fmt.Errorf("odd chunk size %q", line)
		}
		if err := c.take(int(n)); err != nil {
			return err
		}
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return errors.New("a chunk is longer than it says")
		}
		if n == 0 {
			return nil
		}
	}
}

// take appends the next n bytes to the body.
func (c *conn) take(n int) error {
	from := len(c.body)
	if cap(c.body)-from < n {
		c.body = append(make([]byte, 0, from+n), c.body...)
	}
	c.body = c.body[:from+n]
	_, err := io.ReadFull(c.r, c.body[from:])
	return err
}

func prefixFold(line, prefix []byte) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], prefix)
}
