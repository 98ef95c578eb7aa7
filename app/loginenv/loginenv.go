package loginenv

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Source says where a variable or a folder of the PATH comes from.
type Source string

// The sources are words that leave the process, in `doctor --json`.
const (
	FromUs       Source = "inherited" // our own environment has it
	FromShell    Source = "shell"     // the person's shell exports it
	FromRegistry Source = "registry"  // Windows keeps it for the person, or for all
	FromFolder   Source = "folder"    // a known installer's folder that exists
)

// Variable is one variable of the result, without its value.
type Variable struct {
	Name string `json:"name"`
	From Source `json:"from"`
}

// Folder is one element of the resulting PATH.
type Folder struct {
	Path string `json:"path"`
	From Source `json:"from"`
	// Of names the tool whose folder this is, where we know it: "nvm", "Homebrew".
	Of string `json:"of,omitempty"`
}

// Result is an environment and where it comes from. It is never changed once
// it was returned.
type Result struct {
	Env       []string   // NAME=VALUE, sorted by name, each name once
	Variables []Variable // in the order of Env
	Path      []Folder   // in the order in which programs are looked for
	Shell     string     // the program that was asked; "" when none was
	Took      time.Duration
	At        time.Time
	// Problem is why the shell's answer is missing, in one sentence; the rest of
	// the result is good all the same. Nil when it was read or isn't wanted.
	Problem error

	whole bool // an outer source (shell, registry) answered, now or earlier
}

// Limit bounds the reading of the shell: rc files that ask something, or wait for
// a network, never end by themselves.
const Limit = 5 * time.Second

// Options are what a Reader works with; the zero value is this process, as it is.
type Options struct {
	Environ []string      // ours; os.Environ() when nil
	Self    string        // our program, which the shell runs; os.Executable() when ""
	Limit   time.Duration // Limit when 0
	// ShellToo asks the shell. Without it the result is our own environment with
	// the known folders: right for a core that was started in a terminal.
	ShellToo bool
}

// Reader reads the environment when it is asked to and keeps the last answer. It
// may be used by many goroutines; one reads at a time.
type Reader struct {
	opts Options

	turn sync.Mutex // held while reading

	mu   sync.Mutex
	last *Result // nil before the first reading
}

// New returns a Reader that has read nothing yet.
func New(o Options) *Reader {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Limit <= 0 {
		o.Limit = Limit
	}
	return &Reader{opts: o}
}

// Last returns what was read last, or reads if nothing was.
func (r *Reader) Last(ctx context.Context) *Result {
	if last := r.current(); last != nil {
		return last
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if last := r.current(); last != nil { // another one read while we waited
		return last
	}
	return r.read(ctx)
}

// Read reads anew, however young the last answer is. A shell that doesn't answer
// any more doesn't take away what an earlier one said.
func (r *Reader) Read(ctx context.Context) *Result {
	r.turn.Lock()
	defer r.turn.Unlock()
	return r.read(ctx)
}

func (r *Reader) current() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

func (r *Reader) read(ctx context.Context) *Result {
	begin := time.Now()
	m := merger{goos: runtime.GOOS, ours: Clean(r.opts.Environ)}
	res := &Result{At: begin}
	if r.opts.ShellToo && runtime.GOOS != "windows" {
		res.Shell, m.shell, res.Problem = r.ask(ctx, m.ours)
	}
	if runtime.GOOS == "windows" {
		m.machine, m.person, res.Problem = fromRegistry()
	}
	m.known = Known(runtime.GOOS, lookup(append(slices.Clone(m.ours), m.shell...)), onDisk{})
	res.Env, res.Variables, res.Path = m.merge()
	res.Took = time.Since(begin)
	r.mu.Lock()
	defer r.mu.Unlock()
	res.whole = res.Problem == nil
	if !res.whole && r.last != nil && r.last.whole {
		kept := *r.last
		kept.Problem, kept.At, kept.Took = res.Problem, res.At, res.Took
		res = &kept
	}
	r.last = res
	return res
}

// ask runs the person's shell.
func (r *Reader) ask(ctx context.Context, ours []string) (shell string, env []string, err error) {
	shell, err = personsShell(lookup(ours), runtime.GOOS)
	if err != nil {
		return "", nil, err
	}
	self := r.opts.Self
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return shell, nil, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, r.opts.Limit)
	defer stop()
	env, err = runShell(ctx, shell, self, ours)
	return shell, env, err
}

// Find returns the file that a command without a folder stands for, on a PATH of
// the result, and the folder it is in; ok is false when there is none.
func (r *Result) Find(command string) (path string, in Folder, ok bool) {
	for _, f := range r.Path {
		for _, name := range executables(command, r.Env) {
			full := join(runtime.GOOS, f.Path, name)
			if found, err := exec.LookPath(full); err == nil {
				return found, f, true
			}
		}
	}
	return "", Folder{}, false
}
