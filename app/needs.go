package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
)

// getting says how to get a program, by system.
var getting = map[string]struct{ what, linux, darwin, windows string }{
	"node":    {"Node.js (nodejs.org)", "your package manager, like `apt install nodejs npm`", "`brew install node`", "`winget install OpenJS.NodeJS.LTS`"},
	"uv":      {"uv (docs.astral.sh/uv)", "`pipx install uv`, or its installer", "`brew install uv`", "`winget install astral-sh.uv`"},
	"docker":  {"Docker (docs.docker.com/get-docker)", "your package manager, like `apt install docker.io`", "Docker Desktop", "Docker Desktop"},
	"podman":  {"Podman (podman.io)", "your package manager", "`brew install podman`", "`winget install RedHat.Podman`"},
	"dotnet":  {"the .NET SDK 10 or later (dot.net)", "your package manager", "its installer", "`winget install Microsoft.DotNet.SDK.10`"},
	"python3": {"Python (python.org)", "your package manager, like `apt install python3`", "`brew install python`", "`winget install Python.Python.3.13`"},
	"go":      {"Go (go.dev)", "your package manager", "`brew install go`", "`winget install GoLang.Go`"},
	"bun":     {"Bun (bun.sh)", "its installer", "`brew install oven-sh/bun/bun`", "`winget install Oven-sh.Bun`"},
}

// brings are programs that come with another one.
var brings = map[string]string{"npx": "node", "npm": "node", "pnpm": "node", "uvx": "uv", "dnx": "dotnet", "python": "python3", "bunx": "bun"}

// howToGet is a sentence; "" for a program that isn't known.
func howToGet(program string) string {
	from := program
	if other, ok := brings[program]; ok {
		from = other
	}
	g, ok := getting[from]
	if !ok {
		return ""
	}
	how := map[string]string{"darwin": g.darwin, "windows": g.windows}[runtime.GOOS]
	if how == "" {
		how = g.linux
	}
	return fmt.Sprintf("Install %s: %s.", g.what, how)
}

// lookAround finds the programs that a draft needs, as its server would.
func (a *App) lookAround(ctx context.Context, d *wire.Draft) {
	env := ourEnv(os.Environ())
	for i := range d.Needs {
		n := &d.Needs[i]
		program, wanted, _ := strings.Cut(n.Program, " ")
		path, err := supervisor.LookUp(program, env)
		if err != nil {
			n.Hint = howToGet(program)
			if n.Hint == "" {
				n.Hint = err.Error()
			}
			continue
		}
		n.Path = path
		if wanted == "" {
			continue
		}
		if have, ok := versionOf(ctx, path, env); ok && older(have, wanted) {
			d.Warnings = append(d.Warnings, fmt.Sprintf("It wants %s %s, and %s is of version %s.", program, wanted, path, have))
			n.Hint = howToGet(program)
		}
	}
}

// missing is the first program that isn't there.
func missing(d *wire.Draft) error {
	for _, n := range d.Needs {
		if n.Path == "" {
			program, _, _ := strings.Cut(n.Program, " ")
			return &wire.Error{Code: wire.CodeMissingProgram, Message: fmt.Sprintf("It needs `%s`, which isn't on this computer, or not on the PATH.", program), Hint: n.Hint}
		}
	}
	return nil
}

// versionTime bounds the wait for a program that tells its version.
const versionTime = 3 * time.Second

var versionForm = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)

// versionOf asks a runtime for its version.
func versionOf(ctx context.Context, path string, env []string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env, cmd.WaitDelay = env, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", false
	}
	version := versionForm.FindString(string(out))
	return version, version != ""
}

// older reports whether a version is below a wish like ">=18.0.0"; wishes in
// other forms are not judged.
func older(have, wanted string) bool {
	least, ok := strings.CutPrefix(strings.Fields(strings.ReplaceAll(wanted, ">= ", ">="))[0], ">=")
	if !ok {
		return false
	}
	a, b := strings.Split(have, "."), strings.Split(strings.TrimPrefix(least, "v"), ".")
	for i := range b {
		y, err := strconv.Atoi(b[i])
		if err != nil {
			return false
		}
		x := 0
		if i < len(a) {
			x, _ = strconv.Atoi(a[i])
		}
		if x != y {
			return x < y
		}
	}
	return false
}
