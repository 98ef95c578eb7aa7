package draft

import (
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/app/wire"
)

// Program is a command's own name, in small letters, without folder and ending.
func Program(command string) string {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		command = command[i+1:]
	}
	command = strings.ToLower(command)
	for _, end := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		command = strings.TrimSuffix(command, end)
	}
	return command
}

// Package is what a command line brings to this computer.
type Package struct {
	Install string // one of the wire.Install… values
	Name    string
	Version string // "" when any may run
	Pinned  bool
	// At is the place of the package among the arguments; -1 when there is none.
	At int
}

// withValue are flags of package runners that take the next argument.
var withValue = map[string][]string{
	"npx":  {"-p", "--package", "-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix"},
	"uvx":  {"--from", "--with", "-p", "--python", "--index-url", "-i", "--index", "--extra-index-url", "--refresh-package", "--directory", "--with-requirements", "-w"},
	"bunx": {"-p", "--package"},
	"dnx":  {"--version", "--source", "--add-source", "--configfile"},
	"docker": {"-e", "--env", "-v", "--volume", "-p", "--publish", "--name", "--mount", "--network", "--net", "-w", "--workdir", "-u", "--user", "--env-file", "--entrypoint",
		"--platform", "--pull", "-l", "--label", "--add-host", "-m", "--memory", "--cpus", "--gpus", "--security-opt", "--cap-add", "--cap-drop", "--tmpfs", "--device", "-h", "--hostname", "--pids-limit", "--log-driver", "--stop-timeout"},
}

// Recognize finds the package in a command line, by the program that runs it.
func Recognize(command string, args []string) Package {
	none := Package{Install: wire.InstallBinary, At: -1}
	switch program := Program(command); program {
	case "npx", "pnpx", "bunx":
		at := first(args, withValue["npx"], "-p", "--package")
		return npm(args, at)
	case "npm", "pnpm", "yarn", "bun":
		if len(args) > 1 && slices.Contains([]string{"exec", "x", "dlx"}, args[0]) {
			if at := first(args[1:], withValue["npx"], "-p", "--package"); at >= 0 {
				return npm(args, at+1)
			}
		}
	case "uvx", "pipx":
		skip := 0
		if program == "pipx" && len(args) > 0 && args[0] == "run" {
			skip = 1
		}
		return pypi(args, first(args[skip:], withValue["uvx"], "--from", "--spec"), skip)
	case "uv":
		if len(args) > 2 && args[0] == "tool" && args[1] == "run" {
			return pypi(args, first(args[2:], withValue["uvx"], "--from"), 2)
		}
	case "docker", "podman", "nerdctl":
		return image(args)
	case "dnx":
		if at := first(args, withValue["dnx"]); at >= 0 {
			name, version, _ := strings.Cut(args[at], "@")
			if i := slices.Index(args, "--version"); version == "" && i >= 0 && i+1 < len(args) {
				version = args[i+1]
			}
			return Package{wire.InstallNuGet, name, version, exact(version), at}
		}
	case "go":
		if len(args) > 1 && args[0] == "run" && strings.Contains(args[1], ".") && !strings.HasPrefix(args[1], ".") {
			name, version, _ := strings.Cut(args[1], "@")
			return Package{wire.InstallGo, name, version, exact(version), 1}
		}
	}
	return none
}

// first is the first argument that is no flag, or the value of one of the flags
// that name the package.
func first(args, taking []string, naming ...string) int {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains(naming, a) && i+1 < len(args):
			return i + 1
		case slices.Contains(taking, a):
			i++
		case a == "--" || strings.HasPrefix(a, "-"):
		default:
			return i
		}
	}
	return -1
}

func npm(args []string, at int) Package {
	if at < 0 {
		return Package{Install: wire.InstallBinary, At: -1}
	}
	spec := args[at]
	if strings.Contains(spec, ":") || strings.HasSuffix(spec, ".tgz") || !strings.HasPrefix(spec, "@") && strings.Contains(spec, "/") {
		return Package{wire.InstallNPM, spec, "", false, at} // an address
	}
	name, version := spec, ""
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		name, version = spec[:i], spec[i+1:]
	}
	return Package{wire.InstallNPM, name, version, exact(version), at}
}

func pypi(args []string, at, skip int) Package {
	if at < 0 {
		return Package{Install: wire.InstallBinary, At: -1}
	}
	at += skip
	spec := args[at]
	if strings.HasPrefix(spec, "git+") || strings.Contains(spec, "://") || strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") {
		return Package{wire.InstallPyPI, spec, "", false, at}
	}
	name, version, found := strings.Cut(spec, "==")
	if !found {
		name, version, _ = strings.Cut(spec, "@")
	}
	name, _, _ = strings.Cut(name, "[") // extras
	return Package{wire.InstallPyPI, name, version, exact(version), at}
}

func image(args []string) Package {
	run := slices.Index(args, "run")
	if run < 0 {
		return Package{Install: wire.InstallBinary, At: -1}
	}
	at := first(args[run+1:], withValue["docker"])
	if at < 0 {
		return Package{Install: wire.InstallOCI, At: -1}
	}
	at += run + 1
	name, digest, byDigest := strings.Cut(args[at], "@")
	version := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, version = name[:i], name[i+1:]
	}
	if byDigest {
		return Package{wire.InstallOCI, name, digest, true, at}
	}
	return Package{wire.InstallOCI, name, version, exact(version), at}
}

// exactVersion is one version: a number, and what may follow it.
var exactVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9A-Za-z]+)*([-+.][0-9A-Za-z.+-]+)?$`)

func exact(version string) bool {
	return exactVersion.MatchString(version) && strings.ContainsAny(version, ".-") && !strings.HasSuffix(version, ".x")
}

// Describe fills in what follows from the command line: the package, its
// programs, what a person should look at. Arguments with inputs count as texts.
func (d *Draft) Describe() {
	var args []string
	for _, a := range d.Args {
		if a.Flag != "" {
			args = append(args, a.Flag)
		}
		if a.Switch == "" && a.Each == "" {
			args = append(args, a.Value.String())
		}
	}
	p := Recognize(d.Command, args)
	if d.Install == "" {
		d.Install, d.Package, d.Version, d.Pinned = p.Install, p.Name, p.Version, p.Pinned
	}
	if program := Program(d.Command); !strings.ContainsAny(d.Command, `/\`) && !slices.Contains(d.Needs, program) {
		d.Needs = append(d.Needs, program)
	}
	switch p.Install {
	case wire.InstallOCI:
		d.containerRights(args[:max(p.At, 0)])
	case wire.InstallNPM, wire.InstallPyPI:
		if strings.Contains(p.Name, "://") || strings.HasPrefix(p.Name, "git+") || strings.HasPrefix(p.Name, "github:") {
			d.Warn("Its code comes from " + p.Name + ", not from a package registry.")
		}
	case wire.InstallBinary:
		switch Program(d.Command) {
		case "sh", "bash", "zsh", "fish", "pwsh", "powershell", "cmd", "osascript":
			d.Warn("It runs a shell, which runs what its arguments say.")
		case "node", "python", "python3", "deno", "ruby", "php", "perl", "bun":
			if len(args) > 0 && slices.Contains([]string{"-e", "-c", "--eval", "-p", "-r"}, args[0]) {
				d.Warn("It runs code that stands in its arguments.")
			}
		case "sudo", "doas", "pkexec":
			d.Warn("It asks for an administrator's rights.")
		}
	}
}

// containerRights tells what of this computer a container is given.
func (d *Draft) containerRights(args []string) {
	for i, a := range args {
		flag, value, joined := strings.Cut(a, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch flag {
		case "--privileged":
			d.Warn("Its container has every right on this computer (--privileged).")
		case "--network", "--net":
			if value == "host" {
				d.Warn("Its container uses this computer's own network (--network host).")
			}
		case "-v", "--volume", "--mount":
			from := value
			if flag == "--mount" {
				for field := range strings.SplitSeq(value, ",") {
					if key, v, _ := strings.Cut(field, "="); key == "src" || key == "source" {
						from = v
					}
				}
			} else if head, _, ok := strings.Cut(value, ":"); ok && len(head) > 1 {
				from = head
			}
			if strings.HasSuffix(from, "docker.sock") {
				d.Warn("Its container can start others with every right: it is given " + from + ".")
			}
			d.May = appendOnce(d.May, "Its container sees "+from+" of this computer.")
		case "-p", "--publish":
			if strings.Count(value, ":") == 1 {
				d.Warn("Its port " + value + " can be reached from other computers; 127.0.0.1:" + value + " keeps it here.")
			}
		}
	}
}
