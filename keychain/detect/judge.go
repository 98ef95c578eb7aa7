package detect

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/keychain"
	"bridgekeeper/keychain/redact"
)

const (
	// minRandom: shorter random strings are ids of all sorts.
	minRandom = 24
	// minBits is the entropy a character of a random token has at least; English
	// words with dashes have under 3.6 at that length.
	minBits = 3.7
	// minParameter: a URL's "key=" is often a word.
	minParameter = 12
)

// whole is a finding of all of value but the space around it.
func whole(value string, reason Reason, sure bool) []Finding {
	trimmed := strings.TrimSpace(value)
	start := strings.Index(value, trimmed)
	return one(value, start, start+len(trimmed), reason, sure)
}

func one(value string, start, end int, reason Reason, sure bool) []Finding {
	if start >= end {
		return nil
	}
	return []Finding{{Start: start, End: end, Value: keychain.NewSecret(value[start:end]), Reason: reason, Sure: sure}}
}

// judge looks at a value that has a name.
func judge(name, value string) []Finding {
	if skip(value) {
		return nil
	}
	if found := loose(value); len(found) > 0 && found[0].Reason != ByEntropy {
		return found
	}
	if secretName(name) {
		if harmless(value) {
			return nil
		}
		return whole(value, ByName, true)
	}
	if random(value) {
		return whole(value, ByEntropy, false)
	}
	return nil
}

// loose looks at a value without a name, or whose name says nothing.
func loose(value string) []Finding {
	if skip(value) {
		return nil
	}
	if strings.Contains(value, "://") {
		return address(value)
	}
	if ranges := redact.Shapes(value); len(ranges) > 0 {
		var list []Finding
		for _, r := range ranges {
			list = append(list, one(value, r.Start, r.End, ByShape, true)...)
		}
		return list
	}
	if random(value) {
		return whole(value, ByEntropy, false)
	}
	return nil
}

// header looks at a header's value.
func header(name, value string) []Finding {
	if skip(value) {
		return nil
	}
	trimmed := strings.TrimSpace(value)
	from := strings.Index(value, trimmed)
	switch lower := strings.ToLower(strings.TrimSpace(name)); {
	case lower == "authorization" || lower == "proxy-authorization":
		// The scheme stays readable: Bearer, Basic, Token, ApiKey.
		if scheme, token, ok := strings.Cut(trimmed, " "); ok && !strings.ContainsAny(scheme, "=,") {
			from += len(scheme) + 1 + len(token) - len(strings.TrimLeft(token, " "))
		}
		return one(value, from, strings.Index(value, trimmed)+len(trimmed), ByHeader, true)
	case lower == "cookie":
		return whole(value, ByHeader, true)
	}
	return judge(name, value)
}

// address looks at a URL: its password, its parameters, its path.
func address(value string) (list []Finding) {
	if skip(value) || !strings.Contains(value, "://") {
		return nil
	}
	for _, r := range redact.Shapes(value) {
		reason := ByShape
		if r.Start > 0 && value[r.Start-1] == ':' && r.End < len(value) && value[r.End] == '@' {
			reason = ByURL
		}
		list = append(list, one(value, r.Start, r.End, reason, true)...)
	}
	overlaps := func(start, end int) bool {
		return slices.ContainsFunc(list, func(f Finding) bool { return start < f.End && f.Start < end })
	}
	before, query, _ := strings.Cut(value, "?")
	query, _, _ = strings.Cut(query, "#")
	at := len(before) + 1
	for parameter := range strings.SplitSeq(query, "&") {
		key, v, _ := strings.Cut(parameter, "=")
		start := at + len(key) + 1
		at += len(parameter) + 1
		if v == "" || skip(v) || overlaps(start, start+len(v)) {
			continue
		}
		plain, err := url.QueryUnescape(v)
		if err != nil {
			plain = v
		}
		switch sure := secretName(key); {
		case sure && !harmless(plain) && (len(v) >= minParameter || !strings.EqualFold(key, "key")):
			f := one(value, start, start+len(v), ByName, true)
			f[0].parameter = key
			list = append(list, f...)
		case random(v):
			f := one(value, start, start+len(v), ByEntropy, false)
			f[0].parameter = key
			list = append(list, f...)
		}
	}
	at = 0
	for piece := range strings.SplitSeq(before, "/") {
		if random(piece) && !overlaps(at, at+len(piece)) && at > 0 {
			list = append(list, one(value, at, at+len(piece), ByEntropy, false)...)
		}
		at += len(piece) + 1
	}
	slices.SortFunc(list, func(a, b Finding) int { return a.Start - b.Start })
	return list
}

// Words in names that mean a secret, and last words that mean something about it.
var (
	secretWords = []string{"TOKEN", "KEY", "APIKEY", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "PAT", "CREDENTIAL", "CREDENTIALS", "BEARER", "JWT", "COOKIE", "AUTHTOKEN", "ACCESSTOKEN", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY", "CLIENTSECRET", "SIGNATURE"}
	aboutWords  = []string{"FILE", "PATH", "DIR", "DIRECTORY", "FOLDER", "URL", "URI", "HOST", "ENDPOINT", "NAME", "ID", "TYPE", "KIND", "LIMIT", "COUNT", "SIZE", "LENGTH", "TTL", "TIMEOUT", "EXPIRY", "EXPIRES", "ALGORITHM", "ALG", "HEADER", "PREFIX", "SUFFIX", "VERSION", "ISSUER", "AUDIENCE", "COMMAND", "HELPER", "STORE", "MODE", "SCOPE", "SCOPES", "ENABLED", "REQUIRED", "BUDGET", "ENV", "VAR"}
	notSecret   = []string{"PUBLIC", "MAX", "MIN", "PRIMARY", "FOREIGN", "SORT", "CACHE", "PARTITION", "MONKEY", "KEYBOARD"}
	wordPattern = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+|[0-9]+`)
)

// secretName reports whether a variable, flag, header or parameter of that name
// holds a secret.
func secretName(name string) bool {
	var words []string
	for _, w := range wordPattern.FindAllString(name, -1) {
		words = append(words, strings.ToUpper(w))
	}
	if len(words) == 0 || slices.Contains(aboutWords, words[len(words)-1]) {
		return false
	}
	if len(words) == 1 && (words[0] == "PWD" || words[0] == "PAT") {
		return false // the working directory; a path, a pattern
	}
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(notSecret, w) }) {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) })
}

// skip: what holds a reference already, or nothing at all, or says that the
// person has to fill it in.
func skip(value string) bool {
	v := strings.TrimSpace(value)
	return v == "" || v == keychain.Mask || strings.Contains(v, "${") || strings.HasPrefix(v, "{{") || strings.HasPrefix(v, "$(") || placeholder.MatchString(v)
}

var placeholder = regexp.MustCompile(`(?i)^(<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\.\.\.|x{3,}|\*{3,}|•+|change[-_ ]?me|todo|none|null|undefined|n/a|\$[a-z_]+|%[a-z_]+%|.*\byour[-_ ].*|.*_here|.*-here|placeholder|example|insert[-_ ].*|replace[-_ ].*)$`)

var (
	number  = regexp.MustCompile(`^[-+]?[0-9]{1,5}(\.[0-9]+)?(ms|s|m|h|d|kb|mb|gb|k|b)?$`)
	paths   = regexp.MustCompile(`^(~|\.{1,2})?[/\\]([^/\\=+]+[/\\])*[^/\\=+]*$|^[A-Za-z]:[\\/]|^(\.{1,2}|~)$`)
	boolean = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|auto|always|never|enabled|disabled|required|optional|default)$`)
	uuid    = regexp.MustCompile(`(?i)^\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$`)
	hexOnly = regexp.MustCompile(`(?i)^(0x)?[0-9a-f]+$`)
	token   = regexp.MustCompile(`^[A-Za-z0-9+/_.~-]+={0,2}$`)
	version = regexp.MustCompile(`^[~^=v@]*[0-9]+(\.[0-9A-Za-z-]+)+(\+[0-9A-Za-z.-]+)?$`)
)

// harmless: no secret, even under a secret's name.
func harmless(value string) bool {
	v := strings.TrimSpace(value)
	return number.MatchString(v) || boolean.MatchString(v) || paths.MatchString(v) || strings.Contains(v, "://")
}

// random reports whether value looks like nothing that people write: long,
// letters of both sorts or with digits, and of high entropy. Hashes and UUIDs
// look the same and are names of public things.
func random(value string) bool {
	v := strings.TrimSpace(value)
	if len(v) < minRandom || !token.MatchString(v) || uuid.MatchString(v) || hexOnly.MatchString(v) || version.MatchString(v) || paths.MatchString(v) {
		return false
	}
	digits := strings.ContainsAny(v, "0123456789")
	lower, upper := strings.ToUpper(v) != v, strings.ToLower(v) != v
	if !digits || !lower && !upper {
		return false
	}
	// Words with separators, file names and package names: their pieces are short
	// or of one sort.
	longest := ""
	for piece := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune("-_./~", r) }) {
		if len(piece) > len(longest) {
			longest = piece
		}
	}
	if len(longest) < minRandom/2 || !strings.ContainsAny(longest, "0123456789") {
		return false
	}
	return entropy(v) >= minBits
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
