package elicit

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
)

const (
	maxPattern = 1 << 10
	// matchTime ends a match that would take for ever: a server chose the pattern.
	matchTime = 250 * time.Millisecond
)

var errMatchTime = errors.New("its pattern takes too long to check")

// matcher is a compiled pattern.
type matcher func(string) (bool, error)

// onlyGo finds what Go's own syntax reads in another way than JavaScript's, for
// which patterns are written: those go to the other engine.
var onlyGo = regexp.MustCompile(`\\[AzQECsSabBZGhHRvV]|\[\[:|\[:|\(\?[PimsU-]|\.|\[\^`)

// compile reads a pattern in JavaScript's dialect. Go's engine, which always
// ends, takes those that mean the same in both; the rest goes to one that looks
// back, with a time limit (its clock is a goroutine of its own, which ends with
// the limit).
func compile(pattern string) (matcher, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	if !onlyGo.MatchString(pattern) {
		if re, err := regexp.Compile(pattern); err == nil {
			return func(s string) (bool, error) { return re.MatchString(s), nil }, nil
		}
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		// \u{1F600} and \p{L} need the other dialect.
		if re, err = regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode); err != nil {
			return compileGo(pattern)
		}
	}
	re.MatchTimeout = matchTime
	return func(s string) (bool, error) {
		ok, err := re.MatchString(s)
		if err != nil {
			return false, errMatchTime
		}
		return ok, nil
	}, nil
}

// compileGo is for patterns that only Go can read.
func compileGo(pattern string) (matcher, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errors.New("it is no regular expression")
	}
	return func(s string) (bool, error) { return re.MatchString(s), nil }, nil
}
