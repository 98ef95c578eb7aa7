package elicit

import (
	"fmt"
	"regexp"
)

// Revisions that brought something a form can have.
const (
	since202506 = "2025-06-18" // the first with elicitation
	since202511 = "2025-11-25"
	never       = "" // in no revision, though we show it
)

// need is something in a request that not every revision has.
type need struct{ what, since string }

var revisionDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// Fits reports whether a host of that revision can put the request before its
// person, and a sentence why not. Keywords that a host may skip without harm
// (pattern, exclusive bounds, defaults) don't count: check the answer. Whether
// the host declared the mode is for the caller to see.
func (r *Request) Fits(revision string) (bool, string) {
	if !revisionDate.MatchString(revision) || revision < since202506 {
		return false, fmt.Sprintf("Hosts of revision %.20q know no elicitation.", revision)
	}
	for _, n := range r.needs {
		if n.since == never {
			return false, fmt.Sprintf("It has %s, which is in no revision.", n.what)
		}
		if revision < n.since {
			return false, fmt.Sprintf("It has %s, which hosts know since %s, and this one speaks %s.", n.what, n.since, revision)
		}
	}
	return true, ""
}
