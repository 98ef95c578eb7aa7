//go:build unix

package loginenv

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if DumpIfAsked() {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// shellHome is a home with a bash whose files are as Debian writes them: .bashrc
// returns at once when nobody is there to talk to, and nvm's line is below that.
func shellHome(t *testing.T, bashrc string) (home, bash string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: no bash")
	}
	home = t.TempDir()
	write(t, home, ".bash_profile", "export FROM_PROFILE=yes\nexport PATH=\"$HOME/profile:$PATH\"\n. ~/.bashrc\n")
	write(t, home, ".bashrc", "case $- in *i*) ;; *) return;; esac\n"+bashrc)
	return home, bash
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func reader(home, shell string, more ...string) *Reader {
	env := append([]string{"HOME=" + home, "SHELL=" + shell, "PATH=/usr/bin:/bin", "USER=someone"}, more...)
	return New(Options{Environ: env, ShellToo: true, Limit: 20 * time.Second})
}

// A server whose `npx` came from nvm worked in the terminal and was "not on the
// PATH" when the core was started by the desktop.
func TestReadsWhatTheShellSets(t *testing.T) {
	home, bash := shellHome(t, `
echo "Welcome to this machine"; echo "$(date)" >&2
export NVM_DIR="$HOME/.nvm" PATH="$HOME/.nvm/versions/node/v22.1.0/bin:$PATH"
export WITH_LINES=$'one\ntwo' EMPTY= DISPLAY=:99
echo "and goodbye"
`)
	write(t, home, ".nvm/versions/node/v22.1.0/bin/npx", "#!/bin/sh\n")
	r := reader(home, bash, "DISPLAY=:1")
	res := r.Read(t.Context())
	if res.Problem != nil {
		t.Fatal(res.Problem)
	}
	get := lookup(res.Env)
	for name, want := range map[string]string{
		"FROM_PROFILE": "yes", "WITH_LINES": "one\ntwo", "EMPTY": "", "DISPLAY": ":1", "SHELL": bash, "HOME": home,
		"BRIDGEKEEPER_READS_ENVIRONMENT": "", "SHLVL": "", "DISABLE_AUTO_UPDATE": "", "_": "",
	} {
		if got := get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	wantPath(t, res.Path, Folder{home + "/.nvm/versions/node/v22.1.0/bin", FromShell, "nvm"}, Folder{home + "/profile", FromShell, ""})
	path, in, ok := res.Find("npx")
	if !ok || path != home+"/.nvm/versions/node/v22.1.0/bin/npx" || in.Of != "nvm" {
		t.Errorf("npx is %q in %+v, %v", path, in, ok)
	}
	if _, _, ok := res.Find("no-such-command"); ok {
		t.Error("found what isn't there")
	}
	if again := r.Last(t.Context()); again != res {
		t.Error("read again without being asked to")
	}
	if got := from(res, "FROM_PROFILE") + " " + from(res, "USER"); got != "shell inherited" {
		t.Errorf("sources %s", got)
	}
}

func from(res *Result, name string) Source {
	for _, v := range res.Variables {
		if v.Name == name {
			return v.From
		}
	}
	return ""
}

func wantPath(t *testing.T, got []Folder, want ...Folder) {
	t.Helper()
	for i := range want {
		if i >= len(got) || got[i].Path != want[i].Path || got[i].From != want[i].From || want[i].Of != "" && got[i].Of != want[i].Of {
			t.Errorf("PATH is\n%v\nwant\n%v", got, want)
			return
		}
	}
}

// A question in an rc file kept the core from starting, for ever; and what the
// file had started went on running.
func TestShellThatWaits(t *testing.T) {
	home, bash := shellHome(t, "sleep 300 & echo $! > $HOME/child; read -t 300 answer < <(sleep 300); sleep 300\n")
	r := reader(home, bash)
	r.opts.Limit = time.Second
	begin := time.Now()
	res := r.Read(t.Context())
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("took %s", took)
	}
	if res.Problem == nil || !strings.Contains(res.Problem.Error(), "did not finish its settings in time") {
		t.Errorf("problem: %v", res.Problem)
	}
	if get := lookup(res.Env); !strings.HasPrefix(get("PATH"), "/usr/bin:/bin") || get("USER") != "someone" {
		t.Errorf("what we have anyway is gone: %v", res.Env)
	}
	data, err := os.ReadFile(filepath.Join(home, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	deadline := time.Now().Add(10 * time.Second)
	for alive(pid) {
		if time.Now().After(deadline) {
			t.Fatal("the rc file's child still runs")
		}
		<-time.After(10 * time.Millisecond)
	}
}

func alive(pid int) bool {
	if data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, rest, _ := strings.Cut(string(data), ") ")
		return !strings.HasPrefix(rest, "Z") // nobody has waited for it yet
	}
	return syscall.Kill(pid, 0) == nil
}

// A program that an rc file leaves in the background holds the output open; the
// answer is there all the same.
func TestBackgroundProgramIsNotWaitedFor(t *testing.T) {
	home, bash := shellHome(t, "sleep 300 &\nexport SET=1\n")
	begin := time.Now()
	res := reader(home, bash).Read(t.Context())
	if res.Problem != nil || lookup(res.Env)("SET") != "1" {
		t.Errorf("problem %v, SET=%q", res.Problem, lookup(res.Env)("SET"))
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestShellsThatDoNotAnswer(t *testing.T) {
	home, bash := shellHome(t, "exit 3\n")
	loud, _ := shellHome(t, "yes | head -c 6000000\n")
	tests := []struct{ name, home, shell, want string }{
		{"ends", home, bash, "ended without an answer (exit status 3)"},
		{"prints without end", loud, bash, "printed more than 4 MiB"},
		{"none", home, "/usr/sbin/nologin", "the account has no shell"},
		{"missing", home, "/no/such/shell", "can't be run"},
		{"relative", home, "bash", "not set to an absolute path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := reader(tt.home, tt.shell).Read(t.Context())
			if res.Problem == nil || !strings.Contains(res.Problem.Error(), tt.want) {
				t.Errorf("problem: %v, want %q", res.Problem, tt.want)
			}
			if lookup(res.Env)("USER") != "someone" {
				t.Error("nothing is left of our own environment")
			}
		})
	}
}

// A broken edit of .bashrc took the PATH away that worked a minute before.
func TestFailureKeepsTheLastAnswer(t *testing.T) {
	home, bash := shellHome(t, "export SET=1\n")
	r := reader(home, bash)
	if res := r.Read(t.Context()); res.Problem != nil {
		t.Fatal(res.Problem)
	}
	write(t, home, ".bashrc", "exit 1\n")
	res := r.Read(t.Context())
	if res.Problem == nil || lookup(res.Env)("SET") != "1" {
		t.Errorf("problem %v, SET=%q", res.Problem, lookup(res.Env)("SET"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write(t, home, ".bashrc", "sleep 300\n")
	if res := r.Read(ctx); res.Problem == nil || lookup(res.Env)("SET") != "1" {
		t.Errorf("problem %v", res.Problem)
	}
}

// Other shells, where this machine has them: each wants its own words.
func TestOtherShells(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "a folder's \"name\"")
	write(t, odd, "x", "")
	link := filepath.Join(odd, "bridge keeper")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	files := map[string][2]string{
		"bash": {".bash_profile", "export SET=1\n"}, "zsh": {".zshrc", "export SET=1\n"}, "dash": {".profile", "export SET=1\n"},
		"fish": {".config/fish/config.fish", "set -x SET 1\n"}, "tcsh": {".cshrc", "setenv SET 1\n"}, "ksh": {".profile", "export SET=1\n"},
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			shell, err := exec.LookPath(name)
			if err != nil {
				t.Skip("SKIPPED: no " + name)
			}
			home := t.TempDir()
			write(t, home, file[0], file[1])
			r := reader(home, shell)
			r.opts.Self = link
			res := r.Read(t.Context())
			if res.Problem != nil || lookup(res.Env)("SET") != "1" {
				t.Errorf("problem %v, SET=%q", res.Problem, lookup(res.Env)("SET"))
			}
		})
	}
}

func TestTerminalNeedsNoShell(t *testing.T) {
	r := New(Options{Environ: []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:.::rel", "SHELL=/no/such"}})
	res := r.Read(t.Context())
	if res.Problem != nil || res.Shell != "" {
		t.Errorf("shell %q, %v", res.Shell, res.Problem)
	}
	for _, f := range res.Path {
		if !filepath.IsAbs(f.Path) {
			t.Errorf("%q is on the PATH", f.Path)
		}
	}
}
