package ask

import (
	"encoding/json"
	"math/big"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// Types of fields.
const (
	typeString  = "string"
	typeNumber  = "number"
	typeInteger = "integer"
	typeBoolean = "boolean"
	typeChoice  = "choice"
	typeChoices = "choices"
)

// basic checks what a person should see at once. The core checks all of it again,
// and what is missing here: it has the last word.
type basic struct{}

// Check is for Checker.
func (basic) Check(form *wire.FormDetail, content []byte) map[string]string {
	values := map[string]json.RawMessage{}
	wrong := map[string]string{}
	if json.Unmarshal(content, &values) != nil {
		values = nil
	}
	for i := range form.Fields {
		f := &form.Fields[i]
		raw, ok := values[f.Name]
		switch {
		case !ok && f.Required:
			wrong[f.Name] = lang.L("This is needed.")
		case ok:
			if text := checkValue(f, raw); text != "" {
				wrong[f.Name] = text
			}
		}
	}
	return wrong
}

func checkValue(f *wire.FormField, raw json.RawMessage) string {
	switch f.Type {
	case typeNumber, typeInteger:
		return checkNumber(f, string(raw))
	case typeChoices:
		var list []string
		if json.Unmarshal(raw, &list) != nil {
			return ""
		}
		return checkCount(len(list), f.MinItems, f.MaxItems, "Choose at least {{.N}}.", "Choose at most {{.N}}.")
	case typeString:
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return checkText(f, s)
	}
	return ""
}

func checkCount(n int, least, most *int, few, many string) string {
	switch {
	case least != nil && n < *least:
		return lang.N(few, *least, filled{"N": *least})
	case most != nil && n > *most:
		return lang.N(many, *most, filled{"N": *most})
	}
	return ""
}

// maxPattern bounds a server's pattern.
const maxPattern = 1 << 10

func checkText(f *wire.FormField, s string) string {
	if text := checkCount(utf8.RuneCountInString(s), f.MinLength, f.MaxLength, "At least {{.N}} letters are needed.", "At most {{.N}} letters fit."); text != "" {
		return text
	}
	switch f.Format {
	case "email":
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return lang.L("An e-mail address looks like name@example.com")
		}
	case "uri":
		if u, err := url.Parse(s); err != nil || u.Scheme == "" || strings.ContainsAny(s, " \t") {
			return lang.L("A full address looks like https://example.com/page")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return lang.L("A date looks like 2026-07-28")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return lang.L("A date and time looks like 2026-07-28T15:04:05Z")
		}
	}
	if f.Pattern != "" && len(f.Pattern) <= maxPattern {
		// What this engine can't read is left to the core's.
		if re, err := regexp.Compile(f.Pattern); err == nil && !re.MatchString(s) {
			return lang.L("It must fit the pattern {{.Pattern}}", filled{"Pattern": look.Show(f.Pattern)})
		}
	}
	return ""
}

var (
	integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	number  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?$`)
)

// maxDigits bounds a number that is compared.
const maxDigits = 400

func checkNumber(f *wire.FormField, s string) string {
	switch {
	case f.Type == typeInteger && !integer.MatchString(s):
		return lang.L("A whole number is needed, like 7")
	case !number.MatchString(s):
		return lang.L("A number is needed, like 7 or 2.5")
	case len(s) > maxDigits:
		return lang.L("That number is too long.")
	}
	value := float(s)
	if low := float(f.Minimum.String()); low != nil && value.Cmp(low) < 0 {
		return lang.L("At least {{.N}}", filled{"N": f.Minimum.String()})
	}
	if high := float(f.Maximum.String()); high != nil && value.Cmp(high) > 0 {
		return lang.L("At most {{.N}}", filled{"N": f.Maximum.String()})
	}
	return ""
}

// float reads a number with room for every digit that matters; nil if it is none.
func float(s string) *big.Float {
	if s == "" || len(s) > maxDigits || !number.MatchString(s) {
		return nil
	}
	v, _, err := big.ParseFloat(s, 10, 2048, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return v
}

// bounds says which numbers, lengths or counts a field takes.
func bounds(f *wire.FormField) string {
	switch {
	case f.Minimum != "" && f.Maximum != "":
		return lang.L("{{.From}} to {{.To}}", filled{"From": f.Minimum.String(), "To": f.Maximum.String()})
	case f.Minimum != "":
		return lang.L("At least {{.N}}", filled{"N": f.Minimum.String()})
	case f.Maximum != "":
		return lang.L("At most {{.N}}", filled{"N": f.Maximum.String()})
	case f.Type == typeChoices && f.MinItems != nil && f.MaxItems != nil:
		return lang.L("Choose {{.From}} to {{.To}}", filled{"From": *f.MinItems, "To": *f.MaxItems})
	case f.Type == typeChoices && f.MaxItems != nil:
		return lang.N("Choose at most {{.N}}.", *f.MaxItems, filled{"N": *f.MaxItems})
	case f.Type == typeChoices && f.MinItems != nil && *f.MinItems > 0:
		return lang.N("Choose at least {{.N}}.", *f.MinItems, filled{"N": *f.MinItems})
	case f.Type == typeString && f.MaxLength != nil && *f.MaxLength <= 100:
		return lang.N("At most {{.N}} letters fit.", *f.MaxLength, filled{"N": *f.MaxLength})
	}
	return ""
}
