// Package client is the typed client of the local API: what the window, the
// tray and the command line call.
//
// It keeps no state but its connections, and shows nothing. Every error that it
// returns is a *wire.Error, except those of an ended context.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

const (
	// dialTimeout: the kernel accepts for a living core at once.
	dialTimeout = 5 * time.Second
	// maxAnswer is above the largest tool result that the core takes from a server.
	maxAnswer = 128 << 20
	// maxLine bounds one line of a stream: a snapshot of a thousand servers is a few MiB.
	maxLine = 32 << 20
)

// Client talks to one core. It is safe for concurrent use.
type Client struct {
	http   *http.Client
	secret string // of a program that the core started itself; "" for others
}

// secretHeader is localapi.SecretHeader; a test compares them.
const secretHeader = "Bridgekeeper-Secret"

// New returns a client of the core that listens at socket.
func New(socket string) *Client {
	return NewDialer(func(ctx context.Context) (net.Conn, error) { return sock.Dial(ctx, socket) })
}

// NewWithSecret returns a client that the core knows again as the program to
// which it gave secret.
func NewWithSecret(socket, secret string) *Client {
	c := New(socket)
	c.secret = secret
	return c
}

// NewDialer returns a client that connects in its own way, for tests.
func NewDialer(dial func(context.Context) (net.Conn, error)) *Client {
	return &Client{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			return dial(ctx)
		},
		DisableCompression: true,
		MaxIdleConns:       4,
		IdleConnTimeout:    time.Minute,
	}}}
}

// Find returns a client of this person's core, wherever its files are.
func Find() (*Client, error) {
	d, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: err.Error()}
	}
	return New(d.Socket), nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Snapshot returns the current state.
func (c *Client) Snapshot(ctx context.Context) (*wire.Snapshot, error) {
	var s wire.Snapshot
	return &s, c.do(ctx, http.MethodGet, "/snapshot", nil, &s)
}

// AddServer adds an entry to the config.
func (c *Client) AddServer(ctx context.Context, req wire.AddServer) error {
	return c.do(ctx, http.MethodPost, "/servers", req, nil)
}

// EditServer changes an entry.
func (c *Client) EditServer(ctx context.Context, name string, req wire.EditServer) error {
	return c.do(ctx, http.MethodPatch, server(name, ""), req, nil)
}

// RemoveServer removes an entry.
func (c *Client) RemoveServer(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, server(name, ""), nil, nil)
}

// Act orders start, stop or restart.
func (c *Client) Act(ctx context.Context, name, verb string) error {
	return c.do(ctx, http.MethodPost, server(name, verb), nil, nil)
}

// Tools lists a server's tools.
func (c *Client) Tools(ctx context.Context, name string) ([]wire.Tool, error) {
	var tools []wire.Tool
	return tools, c.do(ctx, http.MethodGet, server(name, "tools"), nil, &tools)
}

// Call calls a tool and returns the raw CallToolResult.
func (c *Client) Call(ctx context.Context, name string, req wire.CallTool) ([]byte, error) {
	var result json.RawMessage
	return result, c.do(ctx, http.MethodPost, server(name, "call"), req, &result)
}

// Request asks one server for what it offers besides tools, and returns the raw result.
func (c *Client) Request(ctx context.Context, name string, req wire.ServerRequest) ([]byte, error) {
	var result json.RawMessage
	err := c.do(ctx, http.MethodPost, server(name, "request"), req, &result)
	return result, err
}

// Show brings the window up at a page; "" is the one it last showed.
func (c *Client) Show(ctx context.Context, page string) error {
	return c.do(ctx, http.MethodPost, "/show", map[string]string{"page": page}, nil)
}

// Trace hands each message to and from a server to send, until ctx ends.
func (c *Client) Trace(ctx context.Context, name string, send func(wire.TraceLine) error) error {
	return stream(ctx, c, server(name, "trace"), send)
}

// AddHost gives an application a token.
func (c *Client) AddHost(ctx context.Context, name string) (*wire.NewHost, error) {
	var h wire.NewHost
	return &h, c.do(ctx, http.MethodPost, "/hosts", map[string]string{"name": name}, &h)
}

// SetHost changes what is chosen for an application.
func (c *Client) SetHost(ctx context.Context, name string, req wire.EditHost) error {
	return c.do(ctx, http.MethodPatch, "/hosts/"+url.PathEscape(name), req, nil)
}

// RemoveHost takes an application's token away.
func (c *Client) RemoveHost(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, "/hosts/"+url.PathEscape(name), nil, nil)
}

// Question returns one open question, whole.
func (c *Client) Question(ctx context.Context, id string) (*wire.Question, error) {
	var q wire.Question
	return &q, c.do(ctx, http.MethodGet, "/questions/"+url.PathEscape(id), nil, &q)
}

// PastQuestions returns the questions that were settled lately, newest last.
func (c *Client) PastQuestions(ctx context.Context) ([]wire.Settled, error) {
	var past []wire.Settled
	return past, c.do(ctx, http.MethodGet, "/questions/past", nil, &past)
}

// Answer answers a question.
func (c *Client) Answer(ctx context.Context, id string, a wire.Answer) error {
	return c.do(ctx, http.MethodPost, "/questions/"+url.PathEscape(id)+"/answer", a, nil)
}

// DenyServer answers no to everything that waits because of one server.
func (c *Client) DenyServer(ctx context.Context, name string) (int, error) {
	var out struct{ Denied int }
	err := c.do(ctx, http.MethodPost, server(name, "deny"), nil, &out)
	return out.Denied, err
}

// Hold denies every call and question from now on, or ends that.
func (c *Client) Hold(ctx context.Context, on bool) error {
	method := http.MethodDelete
	if on {
		method = http.MethodPut
	}
	return c.do(ctx, method, "/hold", nil, nil)
}

// Explain says what would happen to a call, and why.
func (c *Client) Explain(ctx context.Context, host, server, tool string) (*wire.Explanation, error) {
	var why wire.Explanation
	query := url.Values{"host": {host}, "server": {server}, "tool": {tool}}
	return &why, c.do(ctx, http.MethodGet, "/policy/explain?"+query.Encode(), nil, &why)
}

// Settings returns the config's settings, with keys masked.
func (c *Client) Settings(ctx context.Context) (*wire.Settings, error) {
	var s wire.Settings
	return &s, c.do(ctx, http.MethodGet, "/settings", nil, &s)
}

// EditSettings changes settings. Less protection waits for a person's answer.
func (c *Client) EditSettings(ctx context.Context, req wire.EditSettings) error {
	return c.do(ctx, http.MethodPatch, "/settings", req, nil)
}

// AddRule adds a rule behind the others. Less protection waits for a person's answer.
func (c *Client) AddRule(ctx context.Context, rule wire.Rule) error {
	return c.do(ctx, http.MethodPost, "/rules", rule, nil)
}

// RemoveRule takes the rule at index away if it is still the expected one.
func (c *Client) RemoveRule(ctx context.Context, index int, expected wire.Rule) error {
	return c.do(ctx, http.MethodDelete, "/rules/"+strconv.Itoa(index), expected, nil)
}

// Review asks about a server's new and changed tools, or what it would run, again.
func (c *Client) Review(ctx context.Context, name string) (int, error) {
	var out struct{ Asked int }
	err := c.do(ctx, http.MethodPost, server(name, "review"), nil, &out)
	return out.Asked, err
}

// Logs hands each line to send; see localapi.Use.
func (c *Client) Logs(ctx context.Context, name string, lines int, follow bool, send func(wire.LogLine) error) error {
	path := "/logs"
	if name != "" {
		path = server(name, "logs")
	}
	query := url.Values{"lines": {strconv.Itoa(lines)}, "follow": {strconv.FormatBool(follow)}}
	return stream(ctx, c, path+"?"+query.Encode(), send)
}

func server(name, below string) string {
	path := "/servers/" + url.PathEscape(name)
	if below != "" {
		path += "/" + below
	}
	return path
}

// do makes one request; in and out may be nil.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		var data bytes.Buffer
		enc := json.NewEncoder(&data)
		enc.SetEscapeHTML(false) // a tool's arguments stay as they were written
		if err := enc.Encode(in); err != nil {
			return &wire.Error{Code: wire.CodeBadRequest, Message: "encode the request: " + err.Error()}
		}
		body = &data
	}
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return cut(ctx, err)
	}
	if len(data) > maxAnswer {
		return &wire.Error{Code: wire.CodeBodyTooLarge, Message: fmt.Sprintf("the answer is larger than %d MiB", maxAnswer>>20)}
	}
	if raw, ok := out.(*json.RawMessage); ok {
		*raw = data // byte for byte, whatever is in it
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &wire.Error{Code: wire.CodeInternal, Message: "read the core's answer: " + err.Error()}
	}
	return nil
}

// send returns only answers that are not errors; the caller closes the body.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://bridgekeeper/v1"+path, body)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: err.Error()}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.secret != "" {
		req.Header.Set(secretHeader, c.secret)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	var e wire.Error
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxLine))
	if json.Unmarshal(data, &e) != nil || e.Code == "" {
		return nil, &wire.Error{Code: wire.CodeInternal, Message: "the core answered " + resp.Status}
	}
	return nil, &e
}

func unreachable(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sock.ErrNotOurs), errors.Is(err, os.ErrPermission):
		return &wire.Error{Code: wire.CodeNotAllowed, Message: "the core's socket belongs to another user",
			Hint: "Run this command as the user that runs Bridgekeeper."}
	case sock.NobodyThere(err), errors.Is(err, net.ErrClosed):
		return &wire.Error{Code: wire.CodeNotRunning, Message: "Bridgekeeper is not running",
			Hint: "Start it with `bridgekeeper serve`."}
	}
	return cut(ctx, err)
}

func cut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address inside means nothing to a person
	}
	return &wire.Error{Code: wire.CodeNotRunning, Message: "the core did not finish its answer: " + err.Error(),
		Hint: "It may just be ending. Look with `bridgekeeper status`."}
}
