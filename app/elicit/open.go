package elicit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// errNoBrowser ends a search without a find.
var errNoBrowser = errors.New("no browser was found")

// Open opens a page in the person's browser, without a shell. The text is
// checked again, and the program gets only what CheckURL's rules leave of it:
// ASCII that begins with http, so it can be no option and no other command.
//
// It returns when the program that opens pages has ended, which is at once on
// most systems, or when ctx ends: a browser that is still running then was
// opened, stays, and is waited for in the background, so that it leaves nothing
// behind (the one goroutine that outlives a call).
func Open(ctx context.Context, text string) error {
	p, err := readPage(text)
	if err != nil {
		return fmt.Errorf("open page: %w", err)
	}
	last := errNoBrowser
	for _, argv := range commands(runtime.GOOS, os.Getenv, p.open) {
		program, err := exec.LookPath(argv[0])
		if err != nil {
			continue
		}
		if last = run(ctx, program, argv[1:]); last == nil {
			return nil
		}
	}
	return fmt.Errorf("open page: %w", last)
}

func run(ctx context.Context, program string, args []string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = browserEnv(os.Environ())
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	case <-ctx.Done():
	}
	return nil
}

// browserEnv leaves out what is ours alone.
func browserEnv(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if !strings.HasPrefix(strings.ToUpper(v), "BRIDGEKEEPER") {
			out = append(out, v)
		}
	}
	return out
}

// commands are the ways to open a page on a system, the best first. The page's
// address is one argument of its own, or the end of one.
func commands(goos string, env func(string) string, page string) [][]string {
	switch goos {
	case "darwin":
		return [][]string{{"/usr/bin/open", page}}
	case "windows":
		root := env("SystemRoot")
		if root == "" {
			root = `C:\Windows`
		}
		// By its full path: a program of that name in the current folder is not run.
		return [][]string{{root + `\System32\rundll32.exe`, "url.dll,FileProtocolHandler", page}}
	}
	var list [][]string
	for choice := range strings.SplitSeq(env("BROWSER"), ":") {
		if argv := browserCommand(choice, page); argv != nil {
			list = append(list, argv)
		}
	}
	return append(list, []string{"xdg-open", page}, []string{"gio", "open", page}, []string{"wslview", page}, []string{"x-www-browser", page})
}

// browserCommand reads one entry of $BROWSER: a program and its words, with %s
// where the address goes. Quotes and other signs of a shell mean nothing here.
func browserCommand(choice, page string) []string {
	argv := strings.Fields(choice)
	if len(argv) == 0 || strings.Contains(argv[0], "%s") {
		return nil
	}
	placed := false
	for i := range argv[1:] {
		if word := argv[i+1]; strings.Contains(word, "%s") {
			argv[i+1], placed = strings.ReplaceAll(word, "%s", page), true
		}
	}
	if !placed {
		argv = append(argv, page)
	}
	return argv
}
