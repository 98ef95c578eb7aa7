package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// containerRemove bounds one "docker rm -f"; the engine may hang.
	containerRemove = 10 * time.Second
	cidPrefix       = "cid-"
	maxCid          = 256 // bytes read of a cidfile; an id has 64
)

// Container is what a "docker run" started: ending the client doesn't end it.
type Container struct {
	client  string   // path of docker or podman
	global  []string // the client's options before "run": they say which engine
	cidfile string
	env     []string
	dir     string
}

// ContainerOf recognises "docker run" and "podman run" and returns the
// arguments with a --cidfile in stateDir, named after mark. For other commands,
// or when the person gave a --cidfile, it returns args as they are, and nil.
func ContainerOf(c Command, stateDir string) ([]string, *Container) {
	engine := engineOf(c.Argv[0])
	args := c.Argv[1:]
	if engine == "" || stateDir == "" {
		return args, nil
	}
	run := runIndex(args)
	if run < 0 || slices.ContainsFunc(args[run:], isCidfile) {
		return args, nil
	}
	global := args[:run]
	if run > 0 && args[run-1] == "container" {
		global = args[:run-1]
	}
	file := filepath.Join(stateDir, cidPrefix+engine+"-"+strings.NewReplacer("/", "_", "%", "_", "+", "_").Replace(c.Mark))
	with := slices.Insert(slices.Clone(args), run+1, "--cidfile", file)
	return with, &Container{client: c.Path, global: slices.Clone(global), cidfile: file, env: c.Env, dir: c.Dir}
}

func engineOf(command string) string {
	name := strings.ToLower(command)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	switch name = strings.TrimSuffix(name, ".exe"); name {
	case "docker", "podman":
		return name
	}
	return ""
}

func isCidfile(arg string) bool { return arg == "--cidfile" || strings.HasPrefix(arg, "--cidfile=") }

// globalValues are the clients' options before the verb that take the next
// argument as their value.
var globalValues = map[string]bool{
	"--config": true, "-c": true, "--context": true, "-H": true, "--host": true,
	"-l": true, "--log-level": true, "--tlscacert": true, "--tlscert": true, "--tlskey": true,
	"--connection": true, "--url": true, "--identity": true, "--root": true, "--runroot": true,
	"--runtime": true, "--storage-driver": true, "--storage-opt": true, "--tmpdir": true,
	"--cgroup-manager": true, "--module": true, "--network-config-dir": true, "--volumepath": true,
}

// runIndex finds the verb "run"; -1 when the verb is another one.
func runIndex(args []string) int {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "run":
			return i
		case a == "container" && i+1 < len(args) && args[i+1] == "run":
			return i + 1
		case !strings.HasPrefix(a, "-"):
			return -1
		case globalValues[a]:
			i++
		}
	}
	return -1
}

// Remove ends the container, if one was created, and deletes the cidfile.
func (c *Container) Remove(ctx context.Context) error {
	defer os.Remove(c.cidfile)
	id, err := readCid(c.cidfile)
	if id == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, containerRemove)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.client, slices.Concat(c.global, []string{"rm", "-f", id})...)
	cmd.Env, cmd.Dir = c.env, c.dir
	cmd.WaitDelay = time.Second // a plugin of the client may hold on to nothing of ours
	hideWindow(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("remove the container %.12s: %w", id, err)
	}
	return nil
}

// readCid returns the id in a cidfile, "" when no container was created.
func readCid(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCid))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if id == "" || strings.Trim(id, "0123456789abcdef") != "" {
		return "", nil
	}
	return id, nil
}

// SweepContainers removes the containers whose cidfiles an earlier run of the
// core left in stateDir. It looks for the clients on the core's own PATH and
// returns how many it removed.
func SweepContainers(ctx context.Context, stateDir string) (int, error) {
	files, err := filepath.Glob(filepath.Join(stateDir, cidPrefix+"*"))
	if err != nil {
		return 0, err
	}
	errs := make([]error, len(files))
	var removals sync.WaitGroup
	for i, file := range files {
		removals.Go(func() {
			engine, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file), cidPrefix), "-")
			client, err := exec.LookPath(engineOf(engine))
			if err != nil {
				errs[i] = err
				return
			}
			errs[i] = (&Container{client: client, cidfile: file}).Remove(ctx)
		})
	}
	removals.Wait()
	removed := 0
	for _, err := range errs {
		if err == nil {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}
