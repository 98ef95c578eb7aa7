package elicit

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxDigits   = 400 // characters of a number: more than any float or id has
	maxExponent = 400 // a power of ten above it would cost memory to compare
)

var numberForm = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

// exact reads a JSON number as it is, without rounding.
func exact(s string) (*big.Rat, bool) {
	if len(s) > maxDigits || !numberForm.MatchString(s) {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}

// compare orders two numbers that exact can read.
func compare(a, b json.Number) int {
	x, _ := exact(string(a))
	y, _ := exact(string(b))
	return x.Cmp(y)
}
