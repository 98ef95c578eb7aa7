package supervisor

import (
	"slices"
	"strings"
)

// runners are commands that may download what they run before it says a word.
// With verbs, only those of its subcommands do.
var runners = map[string][]string{
	"npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "pipx": nil, "dnx": nil,
	"docker": nil, "podman": nil,
	"npm":  {"exec", "x", "start", "run"},
	"pnpm": {"dlx", "exec"},
	"yarn": {"dlx", "exec"},
	"bun":  {"x"},
	"uv":   {"run", "tool"},
	"deno": {"run"},
	"go":   {"run"},
	"cargo": {
		"run",
	},
	"dotnet": {"run", "tool"},
	"jbang":  nil,
}

// isRunner reports whether the command may first install packages.
func isRunner(command string, args []string) bool {
	name := baseName(command)
	if name == "cmd" && len(args) > 1 && strings.EqualFold(args[0], "/c") {
		name, args = baseName(args[1]), args[2:]
	}
	verbs, ok := runners[name]
	if !ok || verbs == nil {
		return ok
	}
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return slices.Contains(verbs, a)
		}
	}
	return false
}

// baseName is a command without its folder and the endings Windows gives it.
func baseName(command string) string {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		command = command[i+1:]
	}
	command = strings.ToLower(command)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		command = strings.TrimSuffix(command, ext)
	}
	return command
}
