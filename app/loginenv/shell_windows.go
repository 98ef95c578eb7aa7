package loginenv

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/windows/registry"
)

// runShell is never wanted here: Windows keeps what a person sets in the registry.
func runShell(context.Context, string, string, []string) ([]string, error) {
	return nil, errors.New("Windows has no login shell")
}

const machineKey = `SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

// fromRegistry returns the variables that are kept for the machine and for the
// person, as they are now: what Explorer gave us is as old as the login.
func fromRegistry() (machine, person []string, err error) {
	machine, err = variables(registry.LOCAL_MACHINE, machineKey)
	if err != nil {
		return nil, nil, err
	}
	person, err = variables(registry.CURRENT_USER, "Environment")
	return machine, person, err
}

func variables(root registry.Key, path string) ([]string, error) {
	key, err := registry.OpenKey(root, path, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the variables in the registry: %w", err)
	}
	defer key.Close()
	names, err := key.ReadValueNames(-1)
	if err != nil {
		return nil, fmt.Errorf("list the variables in the registry: %w", err)
	}
	var env []string
	for _, name := range names {
		// One odd value must not take the others away.
		text, kind, err := key.GetStringValue(name)
		if err != nil {
			continue
		}
		if kind == registry.EXPAND_SZ {
			if full, err := registry.ExpandString(text); err == nil {
				text = full
			}
		}
		env = append(env, name+"="+text)
	}
	return env, nil
}

func executables(command string, env []string) []string {
	if strings.ContainsAny(command, `/\`) {
		return nil
	}
	return withEndings(command, lookup(env)("PATHEXT"))
}
