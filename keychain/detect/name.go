package detect

import (
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/keychain"
)

// generic names say nothing without the server's.
var generic = []string{"TOKEN", "KEY", "API_KEY", "APIKEY", "SECRET", "PASSWORD", "PASSWD", "PASS", "PWD", "ACCESS_TOKEN", "AUTH_TOKEN", "AUTH_KEY", "BEARER", "BEARER_TOKEN", "COOKIE", "API_TOKEN", "CLIENT_SECRET", "SECRET_KEY", "ACCESS_KEY", "PRIVATE_KEY", "JWT", "CREDENTIALS", "SIGNATURE", "PASSPHRASE", "E", "HEADER"}

// propose gives each finding a name that isn't in use, one for each value.
func propose(server string, list []Finding, taken func(string) bool) {
	server = keychain.UpperName(server)
	var names []string
	for i := range list {
		f := &list[i]
		if same := slices.IndexFunc(list[:i], func(o Finding) bool { return o.Value.Equal(f.Value) }); same >= 0 {
			f.Name = list[same].Name
			continue
		}
		base := baseName(server, f)
		for n := 1; ; n++ {
			name := base
			if n > 1 {
				suffix := "_" + strconv.Itoa(n)
				name = base[:min(len(base), keychain.MaxName-len(suffix))] + suffix
			}
			clash := func(other string) bool { return strings.EqualFold(other, name) }
			if !slices.ContainsFunc(names, clash) && (taken == nil || !taken(name)) {
				f.Name = name
				names = append(names, name)
				break
			}
		}
	}
}

// baseName makes a name from what the value is called where it stands.
func baseName(server string, f *Finding) string {
	key := keychain.UpperName(f.Key)
	switch {
	case f.parameter != "":
		key = keychain.UpperName(f.parameter)
	case f.Reason == ByURL && key != "" && f.Kind == Env:
		key = strings.TrimSuffix(strings.TrimSuffix(key, "_URL"), "_URI") + "_PASSWORD"
	case f.Reason == ByURL:
		key = "PASSWORD"
	case key == "AUTHORIZATION" || key == "PROXY_AUTHORIZATION" || key == "":
		key = "TOKEN"
	case f.Kind == Header || f.Kind == Arg:
		key = strings.TrimPrefix(key, "X_")
	}
	if server != "" && !strings.Contains(key, server) && (f.Kind != Env || slices.Contains(generic, key)) {
		key = server + "_" + key
	}
	key = key[:min(len(key), keychain.MaxName)]
	if !keychain.ValidName(key) {
		return "SECRET"
	}
	return key
}
