package wire

import (
	"fmt"
	"strings"
)

// MaxName bounds a server's or host's name. Hosts see SERVER__TOOL, and some of
// them cut names at 64 or refuse longer ones.
const MaxName = 64

// NameRule is the rule of CheckName in words.
const NameRule = "use 1 to 64 letters, digits, - and _, with no _ at either end and no __ inside"

// CheckName returns nil, or why name can't be the name of a server or host
// (noun). A double underscore is refused because hosts see SERVER__TOOL, which
// must be taken apart in one way only.
func CheckName(noun, name string) *Error {
	ok := name != "" && len(name) <= MaxName &&
		!strings.Contains(name, "__") && name[0] != '_' && name[len(name)-1] != '_'
	for i := 0; ok && i < len(name); i++ {
		c := name[i]
		ok = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
	}
	if ok {
		return nil
	}
	return &Error{
		Code:    CodeBadName,
		Message: fmt.Sprintf("%.80q can't be the name of a %s", name, noun),
		Hint:    NameRule,
	}
}
