package read

import "strings"

// words splits a command line as a shell would, but expands nothing. On Windows a
// backslash is part of a path. ok is false when a quote isn't closed.
func words(line string, windows bool) (list []string, ok bool) {
	var word strings.Builder
	begun, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && !windows && quote != '\'':
			escaped, begun = true, true
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !windows:
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if begun {
				list = append(list, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list, quote == 0 && !escaped
}

// base is the name of a program without its folder and, on Windows, its ending.
func base(command string) string {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		command = command[i+1:]
	}
	command = strings.ToLower(command)
	for _, end := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		command = strings.TrimSuffix(command, end)
	}
	return command
}

// Words splits a command line into its words, as a shell would, but expands
// nothing. On Windows a backslash is part of a path. ok is false when a quote
// isn't closed.
func Words(line string, windows bool) (list []string, ok bool) { return words(line, windows) }
