package redact

import (
	"bytes"
	"encoding/base64"

	"bridgekeeper/keychain"
)

// shape is a sort of token that is known by how it begins.
type shape struct {
	prefix string
	min    int // characters after the prefix
	dashes bool
}

// known are prefixes that services give their tokens so that they can be found.
// A tail without a digit is a word, not a token.
var known = []shape{
	{"sk-", 16, true}, {"sk_live_", 16, false}, {"sk_test_", 16, false}, {"rk_live_", 16, false}, {"rk_test_", 16, false}, {"whsec_", 16, true},
	{"ghp_", 20, false}, {"gho_", 20, false}, {"ghu_", 20, false}, {"ghs_", 20, false}, {"ghr_", 20, false}, {"github_pat_", 20, true},
	{"glpat-", 16, true}, {"gldt-", 16, true}, {"glrt-", 16, true},
	{"xoxb-", 10, true}, {"xoxp-", 10, true}, {"xoxa-", 10, true}, {"xoxr-", 10, true}, {"xoxs-", 10, true}, {"xoxe-", 10, true}, {"xapp-", 10, true},
	{"AKIA", 16, false}, {"ASIA", 16, false}, {"AIza", 30, true}, {"ya29.", 20, true}, {"GOCSPX-", 20, true},
	{"npm_", 30, false}, {"pypi-", 40, true}, {"hf_", 24, false}, {"SG.", 30, true}, {"dop_v1_", 40, false}, {"shpat_", 24, false}, {"shpss_", 24, false},
	{"lin_api_", 30, false}, {"ntn_", 30, false}, {"figd_", 30, true}, {"dckr_pat_", 20, true}, {"r8_", 30, false}, {"gsk_", 30, false}, {"xai-", 30, true},
	{"tvly-", 20, true}, {"pplx-", 30, true}, {"sbp_", 30, false}, {"glsa_", 30, true}, {"ATATT3", 30, true}, {"AGE-SECRET-KEY-1", 30, false},
}

// wordByte are the bytes of words, as a table: it is asked for each byte.
var wordByte = func() (t [256]bool) {
	for c := range 256 {
		t[c] = alnum(byte(c)) || c == '_'
	}
	return t
}()

// starts is a filter of the words that may begin a shape, by a hash of their first
// three bytes; words of all sorts share two.
var starts = func() (t [1 << 14 / 64]uint64) {
	put := func(s string) {
		h := hash3(s[0], s[1], s[2])
		t[h/64] |= 1 << (h % 64)
	}
	for _, k := range known {
		put(k.prefix)
	}
	put("eyJ")
	for _, word := range []string{"bea", "bas"} {
		for caps := range 8 { // in every mixture of cases
			b := []byte(word)
			for i := range b {
				if caps>>i&1 == 1 {
					b[i] -= 'a' - 'A'
				}
			}
			put(string(b))
		}
	}
	return t
}()

func hash3(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> 18
}

// byFirst are the known prefixes by their first byte.
var byFirst = func() (t [256][]shape) {
	for _, k := range known {
		t[k.prefix[0]] = append(t[k.prefix[0]], k)
	}
	return t
}()

const (
	// maxToken bounds a token; the longest that services give (with their claims
	// inside) have about 2 KiB.
	maxToken = 4 << 10
	// maxKey bounds a private key: RSA with 8,192 bits has 6.5 KiB.
	maxKey = 16 << 10
	// maxUserInfo bounds user and password in a URL.
	maxUserInfo = 1 << 10
)

// shapes adds what looks like a secret.
func shapes(text []byte, spans []span) ([]span, int) {
	open := -1
	inWord := false
	for i := 0; i+2 < len(text); i++ {
		c := text[i]
		begins := !inWord
		inWord = wordByte[c]
		if inWord && !begins {
			continue // no shape begins within a word
		}
		start, end := 0, 0
		switch {
		case c == '-' && text[i+1] == '-':
			var closed bool
			if start, end, closed = privateKey(text, i); end > 0 && !closed {
				open = start
			}
		case c == ':' && text[i+1] == '/':
			start, end = password(text, i)
		case inWord:
			if h := hash3(c, text[i+1], text[i+2]); starts[h/64]&(1<<(h%64)) == 0 {
				continue
			}
			if start, end = prefixed(text, i); end == 0 {
				start, end = scheme(text, i)
			}
			if end == 0 {
				start, end = jwt(text, i)
			}
		}
		if end > 0 {
			spans = append(spans, span{start: start, end: end})
			i, inWord = end-1, wordByte[text[end-1]]
		}
	}
	return spans, open
}

// run is how far characters of a token go.
func run(text []byte, from int, is func(byte) bool) int {
	limit := min(len(text), from+maxToken)
	for from < limit && is(text[from]) {
		from++
	}
	return from
}

func tokenChar(c byte) bool { return alnum(c) || c == '-' || c == '_' || c == '.' }
func plainChar(c byte) bool { return alnum(c) || c == '_' }

func hasDigit(b []byte) bool { return bytes.IndexAny(b, "0123456789") >= 0 }

func prefixed(text []byte, i int) (start, end int) {
	for _, k := range byFirst[text[i]] {
		if len(text)-i <= len(k.prefix) || string(text[i:i+len(k.prefix)]) != k.prefix {
			continue
		}
		from := i + len(k.prefix)
		is := plainChar
		if k.dashes {
			is = tokenChar
		}
		end := run(text, from, is)
		for end > from && text[end-1] == '.' { // the sentence's
			end--
		}
		if end-from >= k.min && hasDigit(text[from:end]) {
			return i, end
		}
	}
	return 0, 0
}

// scheme finds the token after Bearer and Basic; the word itself stays.
func scheme(text []byte, i int) (start, end int) {
	const minBearer, sureBearer = 8, 24
	for _, word := range []string{"bearer", "basic"} {
		if len(text)-i <= len(word)+1 || !bytes.EqualFold(text[i:i+len(word)], []byte(word)) {
			continue
		}
		from := i + len(word)
		for from < len(text) && from < i+len(word)+3 && (text[from] == ' ' || text[from] == '+' || text[from] == ':') {
			from++
		}
		if from == i+len(word) {
			continue
		}
		end := run(text, from, func(c byte) bool { return tokenChar(c) || c == '+' || c == '/' || c == '~' || c == '=' })
		token := bytes.TrimRight(text[from:end], ".")
		end = from + len(token)
		switch {
		case word == "bearer" && len(token) >= minBearer && (hasDigit(token) || len(token) >= sureBearer):
			return from, end
		case word == "basic" && userAndPassword(token):
			return from, end
		}
	}
	return 0, 0
}

func userAndPassword(token []byte) bool {
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(token, "=")))
	return err == nil && len(plain) > 2 && bytes.IndexByte(plain, ':') >= 0
}

// jwt is three parts of base64 with dots, the first two of which begin as JSON.
func jwt(text []byte, i int) (start, end int) {
	const minJWT = 40
	if text[i] != 'e' || len(text)-i < minJWT || string(text[i:i+3]) != "eyJ" {
		return 0, 0
	}
	end = run(text, i, tokenChar)
	token := bytes.TrimRight(text[i:end], ".")
	if len(token) < minJWT || bytes.Count(token, []byte(".eyJ")) == 0 {
		return 0, 0
	}
	return i, i + len(token)
}

// password finds the one in ://user:password@host.
func password(text []byte, i int) (start, end int) {
	if i == 0 || !alnum(text[i-1]) || len(text)-i < 3 || text[i+2] != '/' {
		return 0, 0
	}
	info := text[i+3 : min(len(text), i+3+maxUserInfo)]
	if stop := bytes.IndexAny(info, "/?# \t\r\n\"'<>`\\,"); stop >= 0 {
		info = info[:stop]
	}
	at := bytes.LastIndexByte(info, '@')
	colon := bytes.IndexByte(info, ':')
	if at < 0 || colon < 0 || at <= colon+1 || bytes.HasPrefix(info[colon+1:], []byte(keychain.Mask)) {
		return 0, 0
	}
	return i + 3 + colon + 1, i + 3 + at
}

var (
	keyBegin  = []byte("-----BEGIN ")
	keyEnd    = []byte("-----END ")
	keyDashes = []byte("-----")
)

// privateKey finds a PEM block of any sort of private key, with its end or up to
// where something else begins.
func privateKey(text []byte, i int) (start, end int, closed bool) {
	const maxHeader = 64
	if !bytes.HasPrefix(text[i:], keyBegin) {
		return 0, 0, false
	}
	header := text[i+len(keyBegin) : min(len(text), i+len(keyBegin)+maxHeader)]
	dashes := bytes.Index(header, keyDashes)
	if dashes < 0 || !bytes.Contains(header[:dashes], []byte("PRIVATE KEY")) {
		return 0, 0, false
	}
	body := i + len(keyBegin) + dashes + len(keyDashes)
	n, closed := keyBody(text[body:])
	return i, body + n, closed || body+n < len(text)
}

// keyBody is how much of text goes on a key that has begun, and whether the key
// ends there.
func keyBody(text []byte) (n int, closed bool) {
	limit := min(len(text), maxKey)
	for n < limit {
		if bytes.HasPrefix(text[n:], keyEnd) {
			rest := text[n+len(keyEnd):]
			if line := bytes.IndexAny(rest, "\r\n\\\"'"); line >= 0 {
				rest = rest[:line]
			}
			if d := bytes.Index(rest, keyDashes); d >= 0 {
				return n + len(keyEnd) + d + len(keyDashes), true
			}
			return n + len(keyEnd) + len(rest), n+len(keyEnd)+len(rest) < len(text)
		}
		c := text[n]
		if !alnum(c) && bytes.IndexByte([]byte("+/=\r\n\t \\:,-"), c) < 0 {
			return n, true
		}
		n++
	}
	return n, n < len(text)
}

// Range is a piece of a text.
type Range struct{ Start, End int }

// Shapes returns the pieces of text that look like secrets, in order.
func Shapes(text string) []Range {
	spans, _ := shapes([]byte(text), nil)
	var list []Range
	for _, s := range merge(spans) {
		list = append(list, Range{s.start, s.end})
	}
	return list
}
