package loginenv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// asking are the variables a shell gets with our question. The first lets a
// person's rc file tell that it is us; the others keep well-known plug-ins from
// starting something that would not end.
var asking = map[string]string{
	"BRIDGEKEEPER_READS_ENVIRONMENT": "1",
	"DISABLE_AUTO_UPDATE":            "true", // oh-my-zsh asks
	"ZSH_TMUX_AUTOSTART":             "false",
	"ZSH_TMUX_AUTOSTARTED":           "true",
}

// dumpArg makes our program write its environment and end, see DumpIfAsked. It is
// no command for people.
const dumpArg = "print-environment-for-bridgekeeper"

// DumpIfAsked writes our environment between two marks to stdout, if this process
// was started for that; the program then ends. A program of our own needs no
// `env -0`, which not every system has, and works in every shell.
func DumpIfAsked() bool {
	if len(os.Args) != 3 || os.Args[1] != dumpArg {
		return false
	}
	os.Stdout.Write(dump(os.Args[2], os.Environ()))
	return true
}

// dump is the environment between two marks, each variable ended by a zero byte.
func dump(mark string, env []string) []byte {
	var b bytes.Buffer
	b.WriteString("\n" + mark + "\n")
	for _, kv := range env {
		b.WriteString(kv)
		b.WriteByte(0)
	}
	b.WriteString(mark + "\n")
	return b.Bytes()
}

// maxDump bounds what a shell may print; Linux gives a process 2 MiB of
// environment at most as a rule.
const maxDump = 4 << 20

// errTooMuch means that the shell printed more than maxDump.
var errTooMuch = errors.New("printed more than 4 MiB")

// parse finds the environment in what a shell printed so far: banners before and
// farewells behind it are left out. done is false while its end is missing.
func parse(out []byte, mark string) (env []string, done bool) {
	_, rest, ok := bytes.Cut(out, []byte("\n"+mark+"\n"))
	if !ok {
		return nil, false
	}
	var body []byte
	if empty := bytes.HasPrefix(rest, []byte(mark)); !empty {
		if body, _, ok = bytes.Cut(rest, []byte("\x00"+mark)); !ok {
			return nil, false
		}
	}
	for kv := range strings.SplitSeq(string(body), "\x00") {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			env = append(env, kv)
		}
	}
	return env, true
}

// command is how a shell is told to run one program as a login, interactive shell.
func command(shell, self, mark string) []string {
	name := strings.TrimSuffix(path.Base(shell), ".exe")
	single := "'" + strings.ReplaceAll(self, "'", `'\''`) + "'"
	switch name {
	case "fish": // knows \' inside of quotes, and takes a backslash for itself
		single = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(self) + "'"
	case "csh", "tcsh": // -l must stand alone there; .cshrc, which tools write to, is read anyway
		return []string{"-ic", single + " " + dumpArg + " " + mark}
	case "nu":
		return []string{"-l", "-i", "-c", "^" + quoteNu(self) + " " + dumpArg + " " + mark}
	case "pwsh":
		return []string{"-Login", "-Command", "& '" + strings.ReplaceAll(self, "'", "''") + "' " + dumpArg + " " + mark}
	case "elvish", "xonsh":
		return []string{"-i", "-c", single + " " + dumpArg + " " + mark}
	}
	return []string{"-i", "-l", "-c", single + " " + dumpArg + " " + mark}
}

// quoteNu quotes for nushell, which has no escape inside of single quotes.
func quoteNu(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// personsShell is the shell that the person uses: $SHELL, else the one of the
// account.
func personsShell(get func(string) string, goos string) (string, error) {
	shell := get("SHELL")
	if shell == "" {
		shell = accountShell(get("USER"), goos)
	}
	switch path.Base(shell) {
	case "false", "nologin", "true", "sync":
		return "", fmt.Errorf("the account has no shell (%s), so no shell's settings were read", shell)
	}
	if !strings.HasPrefix(shell, "/") {
		return "", errors.New("$SHELL is not set to an absolute path, so no shell's settings were read")
	}
	if info, err := os.Stat(shell); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("$SHELL is %s, which can't be run, so no shell's settings were read", shell)
	}
	return shell, nil
}

// accountShell reads the account's shell where it is kept in a file.
func accountShell(user, goos string) string {
	if goos == "darwin" {
		return "/bin/zsh" // the default since 10.15; accounts aren't in a file there
	}
	data, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	uid := fmt.Sprint(os.Getuid())
	for line := range strings.SplitSeq(string(data), "\n") {
		f := strings.Split(line, ":")
		if len(f) == 7 && (user != "" && f[0] == user && f[2] == uid || user == "" && f[2] == uid) {
			return strings.TrimSpace(f[6])
		}
	}
	return ""
}
