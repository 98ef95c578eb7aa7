// Package provider asks models for package sampling: through OpenAI's interface,
// which most providers offer, and through Anthropic's own. A question is asked
// once, to the address that the person configured and nowhere else, and nothing
// is read from the environment. It decides nothing and keeps nothing; the core
// makes its values from the config. Only this package uses the SDKs of model
// providers, which are large: everything else is built and tested without them.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/sampling"
)

const (
	// DefaultTimeout ends a question to a model: a slow local one needs minutes.
	DefaultTimeout = 5 * time.Minute
	maxAnswer      = 8 << 20 // bytes of a provider's answer
	maxProblem     = 300     // bytes of a provider's own words in an error
)

// Key is a provider's secret. It prints as a mask; only the code that sends it
// converts it.
type Key string

func (k Key) String() string               { return "••••" }
func (k Key) GoString() string             { return k.String() }
func (k Key) LogValue() slog.Value         { return slog.StringValue(k.String()) }
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Endpoint is where a provider is and how it is asked.
type Endpoint struct {
	BaseURL string // with its path, like http://127.0.0.1:11434/v1
	Key     Key    // "" for providers that want none
	Timeout time.Duration
	// Plain leaves out temperature and stop sequences, which some models refuse.
	Plain bool
}

// ModelError is why a model gave no answer.
type ModelError struct {
	Status  int // of HTTP; 0 when there was none
	Message string
}

func (e *ModelError) Error() string { return e.Message }

func problem(format string, args ...any) *ModelError {
	return &ModelError{Message: fmt.Sprintf(format, args...)}
}

// check makes sure that a key isn't sent where others can read it.
func (e Endpoint) check() error {
	u, err := url.Parse(e.BaseURL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return errors.New("the address of the model provider must begin with https:// or http://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of the model provider must have no user, query or fragment")
	case u.Scheme == "http" && e.Key != "" && !nearby(u.Hostname()):
		return errors.New("the address of the model provider must begin with https://, or its key could be read on the way")
	case strings.ContainsFunc(string(e.Key), func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the key of the model provider has characters that no key has")
	}
	return nil
}

func nearby(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return host == "localhost" || strings.HasSuffix(host, ".local") || !strings.Contains(host, ".")
}

func (e Endpoint) timeout() time.Duration {
	if e.Timeout > 0 {
		return e.Timeout
	}
	return DefaultTimeout
}

// client is the HTTP client that a provider's SDK gets: it follows nobody
// elsewhere, says no more of this machine than it must, and reads no more than an
// answer can be.
func (e Endpoint) client() *http.Client {
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.DisableKeepAlives = true // nothing is left running between two rare questions
	return &http.Client{Transport: &transport{next: own}}
}

type transport struct{ next http.RoundTripper }

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			delete(req.Header, name) // the system, its kind of processor, versions
		}
	}
	req.Header.Set("User-Agent", "bridgekeeper")
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		res.Body.Close()
		return nil, elsewhere(res.StatusCode)
	}
	res.Body = &bounded{ReadCloser: res.Body, left: maxAnswer}
	return res, nil
}

// elsewhere is an answer that sends to another address: the key and the prompt
// are not for that one.
type elsewhere int

func (e elsewhere) Error() string { return fmt.Sprintf("sends elsewhere (%d)", int(e)) }

var errTooLong = fmt.Errorf("the model provider's answer is longer than %d MiB", maxAnswer>>20)

// bounded fails once more than left was read, so that a cut answer is never taken
// for a whole one.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return n, errTooLong
	}
	return n, err
}

// failed turns what an SDK returned into a sentence. Status is 0, and words "",
// when there was no answer of HTTP.
func (e Endpoint) failed(ctx context.Context, err error, model string, status int, words string) error {
	host := e.BaseURL
	if u, bad := url.Parse(e.BaseURL); bad == nil {
		host = u.Host
	}
	if status == 0 {
		return e.unanswered(ctx, err, host)
	}
	var out string
	quoted := ""
	if words = e.words(words); words != "" {
		quoted = ": " + words
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		// Their own words often hold a part of the key.
		out = fmt.Sprintf("The model provider at %s refused the key (%d).", host, status)
	case status == http.StatusNotFound:
		out = fmt.Sprintf("The model provider at %s doesn't know the model %q or the address is wrong (404)%s", host, model, quoted)
	case status == http.StatusTooManyRequests:
		out = fmt.Sprintf("The model provider at %s takes no more for now: too many requests, or no credit left (429)%s", host, quoted)
	case status == http.StatusRequestEntityTooLarge:
		out = fmt.Sprintf("The prompt is too long for the model provider at %s (413)%s", host, quoted)
	case status >= 500:
		out = fmt.Sprintf("The model provider at %s failed (%d)%s", host, status, quoted)
	default:
		out = fmt.Sprintf("The model provider at %s refused the prompt (%d)%s", host, status, quoted)
	}
	return &ModelError{Status: status, Message: out}
}

func (e Endpoint) unanswered(ctx context.Context, err error, host string) error {
	var op *net.OpError
	var to elsewhere
	switch {
	case errors.As(err, &to):
		return &ModelError{int(to), fmt.Sprintf("The model provider at %s sends elsewhere (%d), which is not followed: correct its address.", host, to)}
	case errors.Is(err, errTooLong):
		return problem("The answer of the model provider at %s is longer than %d MiB.", host, maxAnswer>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return problem("The model provider at %s didn't answer within %s.", host, e.timeout())
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &op) && op.Op == "dial":
		return problem("The model provider at %s can't be reached: is it running?", host)
	}
	return problem("The model provider at %s gave no answer that can be read: %s", host, e.words(err.Error()))
}

// words are a provider's, made short, plain and free of the key.
func (e Endpoint) words(s string) string {
	if e.Key != "" {
		s = strings.ReplaceAll(s, string(e.Key), e.Key.String())
	}
	s, _ = plain.Line(s)
	if len(s) > maxProblem {
		s = strings.ToValidUTF8(s[:maxProblem], "") + "…"
	}
	return s
}

// toolNames are names that every provider takes, for the request's own: letters,
// digits, hyphens and underscores, 64 at most, no two the same.
type toolNames struct{ out, back map[string]string }

func namesOf(r *sampling.Request) toolNames {
	n := toolNames{map[string]string{}, map[string]string{}}
	for _, t := range r.Tools {
		n.add(t.Name)
	}
	// Of tools that were used before and are no longer offered, too.
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.Type == sampling.PartToolUse {
				n.add(p.Name)
			}
		}
	}
	return n
}

func (n toolNames) add(name string) {
	const limit = 64
	if _, ok := n.out[name]; ok {
		return
	}
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
	try := safe[:min(len(safe), limit)]
	for i := 2; try == "" || n.back[try] != ""; i++ {
		end := fmt.Sprintf("_%d", i)
		try = safe[:min(len(safe), limit-len(end))] + end
	}
	n.out[name], n.back[try] = try, name
}

// original is the request's own name of a tool that a model asked for.
func (n toolNames) original(name string) string {
	if own := n.back[name]; own != "" {
		return own
	}
	return name
}
