package tray

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jeandeaual/go-locale"

	"bridgekeeper/assets"
)

// language holds the tray's texts in the person's language; what it lacks stays
// English. It does what Fyne's package of that name does for the window, which
// would bring the toolkit along.
type language struct {
	texts map[string]string
	forms map[string]plural
}

// plural has the forms of a text with a number.
type plural struct {
	One   string `json:"one"`
	Other string `json:"other"`
}

// here is the language of this computer's user.
func here() language {
	names, err := locale.GetLocales()
	if err != nil || len(names) == 0 {
		names = []string{"en"}
	}
	return speak(names[0])
}

// speak is the language of a locale such as de_AT.UTF-8, as far as we have it.
func speak(name string) language {
	l := language{texts: map[string]string{}, forms: map[string]plural{}}
	l.load("en")
	if base, _, _ := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-"); base != "en" {
		l.load(strings.ToLower(base))
	}
	return l
}

func (l language) load(base string) {
	data, err := assets.Translations.ReadFile("translations/tray." + base + ".json")
	if err != nil {
		return // there is none
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return // a test of ui/look reads it
	}
	for key, raw := range all {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			l.texts[key] = text
			continue
		}
		var p plural
		if json.Unmarshal(raw, &p) == nil {
			l.forms[key] = p
		}
	}
}

// L is a text, with what belongs in its {{.Places}}.
func (l language) L(text string, fill ...map[string]string) string {
	if t := l.texts[text]; t != "" {
		text = t
	}
	return fillIn(text, fill...)
}

// N is a text about n things, which {{.Count}} stands for.
func (l language) N(text string, n int) string {
	switch p, ok := l.forms[text]; {
	case ok && n == 1:
		text = p.One
	case ok:
		text = p.Other
	}
	return fillIn(text, map[string]string{"Count": fmt.Sprint(n)})
}

func fillIn(text string, fill ...map[string]string) string {
	var pairs []string
	for _, values := range fill {
		for name, value := range values {
			pairs = append(pairs, "{{."+name+"}}", value)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text) // in one pass: a value is not read again
}
