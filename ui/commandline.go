package ui

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// parseCommand takes apart what a person would type at a terminal: variables,
// a command and its arguments, with quotes. No shell ever sees it.
func parseCommand(text string) (wire.Entry, error) {
	words, err := splitWords(text, runtime.GOOS == "windows")
	if err != nil {
		return wire.Entry{}, err
	}
	var e wire.Entry
	for len(words) > 0 && isAssignment(words[0]) {
		name, value, _ := strings.Cut(words[0], "=")
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
		words = words[1:]
	}
	if len(words) == 0 {
		return wire.Entry{}, errors.New(lang.L("there is no command yet"))
	}
	e.Command = words[0]
	if len(words) > 1 {
		e.Args = words[1:]
	}
	if i := slices.IndexFunc(words, shellOnly); i >= 0 {
		return wire.Entry{}, errors.New(lang.L("{{.Word}} belongs to a shell, and no shell reads this line", named{"Word": words[i]}))
	}
	return e, nil
}

// shellOnly reports whether a word would do something in a shell only.
func shellOnly(word string) bool {
	return slices.Contains([]string{"|", "||", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&"}, word)
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// splitWords splits at blanks outside of quotes. A backslash takes the next
// character as it is, except on Windows, where it is part of paths.
func splitWords(text string, windows bool) ([]string, error) {
	var words []string
	var word strings.Builder
	started := false
	var quote rune
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && i+1 < len(runes) && quote != '\'' && escapes(runes[i+1], quote, windows):
			i++
			if runes[i] != '\n' { // a line that goes on
				word.WriteRune(runes[i])
				started = true
			}
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !windows:
			quote, started = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, errors.New(lang.L("a quote is opened and not closed"))
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// escapes reports whether a backslash before r stands for r itself.
func escapes(r, quote rune, windows bool) bool {
	switch {
	case windows:
		return r == '"'
	case quote == '"':
		return r == '"' || r == '\\' || r == '$' || r == '`' || r == '\n'
	}
	return true
}

// commandLine is what parseCommand would take apart into command and args.
func commandLine(command string, args []string) string {
	line := quoteWord(command, runtime.GOOS == "windows")
	for _, a := range args {
		line += " " + quoteWord(a, runtime.GOOS == "windows")
	}
	return line
}

func quoteWord(word string, windows bool) string {
	plain := word != "" && !strings.ContainsAny(word, " \t\n\r\"'")
	switch {
	case windows && plain:
		return word
	case windows:
		return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
	case plain && !strings.Contains(word, `\`):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
