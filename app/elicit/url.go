package elicit

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/wire"
)

const (
	maxURL  = 4096 // bytes: above every login page's address, below what systems pass on
	longURL = 300  // bytes from which a person no longer reads all of it
	maxHost = 253  // characters of a host's name (RFC 1035)
)

// CheckURL reads the address of a page that a server wants opened. What could
// be taken for another address by a person, a browser or an opener is refused;
// what is only unusual is noted. The message is left empty.
func CheckURL(text string) (wire.URLDetail, error) {
	p, err := readPage(text)
	if err != nil {
		return wire.URLDetail{}, err
	}
	return wire.URLDetail{URL: text, Host: p.host, Notes: p.notes}, nil
}

// page is a checked address.
type page struct {
	host  string   // in ASCII, without port
	open  string   // what a browser is given: ASCII only, of characters that mean nothing elsewhere
	notes []string // sentences
}

func readPage(text string) (*page, error) {
	if err := clean(text); err != nil {
		return nil, err
	}
	// The text itself is cut, not what a parser made of it: browsers and parsers
	// differ.
	scheme, after, ok := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case !ok, scheme == "", strings.ContainsAny(scheme, "/?#."):
		return nil, errors.New("it doesn't begin with https://")
	case scheme != "https" && scheme != "http":
		return nil, fmt.Errorf("only http and https are opened, not %.20s", scheme)
	}
	authority, rest, ok := cutAuthority(after)
	switch {
	case !ok:
		return nil, errors.New("it names no host")
	case strings.Contains(authority, "@"):
		return nil, errors.New("it has a user name or password before the host, which hides where it leads")
	case strings.Contains(authority, "%"):
		return nil, errors.New("its host's name is percent-encoded")
	}
	u, err := url.Parse("https://" + authority)
	switch {
	case err != nil:
		return nil, errors.New("its host and port are no proper ones")
	case u.Hostname() == "":
		return nil, errors.New("it names no host")
	}
	p := &page{}
	port := u.Port()
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) || strings.HasSuffix(u.Host, ":") {
		return nil, errors.New("its port is wrong")
	}
	if scheme == "http" {
		p.note("The page is not encrypted (http): others on the way can read and change it.")
	}
	if err := p.setHost(u.Hostname()); err != nil {
		return nil, err
	}
	at := p.host
	if strings.Contains(at, ":") {
		at = "[" + at + "]"
	}
	if port != "" && (scheme != "https" || port != "443") && (scheme != "http" || port != "80") {
		p.note("It leads to port %s, not the usual one.", port)
		at += ":" + port
	}
	if len(text) > longURL {
		p.note("The address is long (%d characters): look at the host's name.", utf8.RuneCountInString(text))
	}
	p.open = scheme + "://" + at + encode(rest)
	return p, nil
}

func (p *page) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// clean refuses characters that no address has.
func clean(text string) error {
	if len(text) > maxURL {
		return fmt.Errorf("it is longer than %d bytes", maxURL)
	}
	if !utf8.ValidString(text) {
		return errors.New("it is no proper text")
	}
	for _, r := range text {
		switch {
		case r == ' ' || r == '\\' || plain.Hidden(r), strings.ContainsRune("\t\n\r\u2028\u2029\u00a0\u3000\u200c\u200d", r):
			return fmt.Errorf("it has a character that no address has (%U)", r)
		}
	}
	return nil
}

// cutAuthority splits "//authority" from what follows.
func cutAuthority(after string) (authority, rest string, ok bool) {
	if !strings.HasPrefix(after, "//") {
		return "", "", false
	}
	after = after[2:]
	if i := strings.IndexAny(after, "/?#"); i >= 0 {
		return after[:i], after[i:], i > 0
	}
	return after, "", after != ""
}

// encode keeps what an address may have and writes every other byte as %XX, so
// that a browser and an opener's command line can't read it differently.
func encode(rest string) string {
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '%' && i+2 < len(rest) && hex(rest[i+1]) && hex(rest[i+2]),
			c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/?#[]@!$&()*+,;=:", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// setHost takes a name or an address of a machine.
func (p *page) setHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return errors.New("its host is an address with a zone")
		}
		p.host = ip.String()
		p.note("The host is a number, not a name: %s.", whose(ip.Unmap()))
		return nil
	}
	name, err := p.asciiName(host)
	if err != nil {
		return err
	}
	p.host = name
	// A browser reads 0x7f.1 and 2130706433 as an address, whatever they look like.
	bare := strings.TrimSuffix(name, ".")
	last := bare[strings.LastIndexByte(bare, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || last == "0x" || strings.Trim(last, "0123456789") == "" {
		return errors.New("its host is a number in disguise")
	}
	switch {
	case bare == "localhost", strings.HasSuffix(bare, ".localhost"):
		p.note("It leads to this computer.")
	case !strings.Contains(bare, "."), strings.HasSuffix(bare, ".local"), strings.HasSuffix(bare, ".internal"), strings.HasSuffix(bare, ".lan"), strings.HasSuffix(bare, ".home.arpa"):
		p.note("It leads to a computer of the network here.")
	}
	return nil
}

func whose(ip netip.Addr) string {
	switch {
	case ip.IsLoopback(), ip.IsUnspecified():
		return "this computer"
	case ip.IsLinkLocalUnicast():
		return "a computer or service right beside this one"
	case ip.IsPrivate():
		return "a computer of the network here"
	}
	return "it doesn't say whose it is"
}
