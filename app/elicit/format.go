package elicit

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"
)

var (
	dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	uriForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$`)
)

// checkFormat says what is wrong with a text of a format; "" if nothing is, or
// if the format is none that we know.
func checkFormat(format, s string) string {
	switch format {
	case "email":
		// Only the address: no name, no comment, no brackets.
		a, err := mail.ParseAddress(s)
		if err != nil || a.Address != s || len(s) > 320 || strings.ContainsAny(s, " \t\r\n<>()") {
			return "must be an email address, like name@example.com"
		}
	case "uri":
		u, err := url.Parse(s)
		if err != nil || !uriForm.MatchString(s) || ((u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "") {
			return "must be a full address, like https://example.com/page (other letters than ASCII percent-encoded)"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil || !dateForm.MatchString(s) {
			return "must be a date, like 2026-07-28"
		}
	case "date-time":
		if !timeForm.MatchString(s) || !isDate(s[:10]) {
			return "must be a date and time with its zone, like 2026-07-28T15:04:05Z"
		}
	}
	return ""
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
