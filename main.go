// Bridgekeeper supervises MCP servers and gives every AI host on this computer
// one endpoint for all of them. This file only chooses what to run.
package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"bridgekeeper/app"
	"bridgekeeper/app/attach"
	"bridgekeeper/app/cli"
	"bridgekeeper/app/client"
	"bridgekeeper/app/example"
	"bridgekeeper/app/home"
	"bridgekeeper/app/stdio"
	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor/proc"
	"bridgekeeper/ui/tray"
)

// version is set by the release build.
var version = "0.1.0-dev"

func main() {
	if proc.RunWatcherIfAsked() {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == windowCommand {
		os.Exit(window(os.Args[2:], os.Stderr))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, cli.Programs{
		Serve:   serve,
		Example: example.Run,
		Stdio:   connect,
		Tray:    resident,
		Version: version,
	}))
}

// windowCommand starts the window process. The core does that; it is no command
// for people, but opens a window for who runs it.
const windowCommand = "window"

func serve(ctx context.Context, o cli.ServeOptions) error {
	return app.Serve(ctx, app.Options{
		Version: version, Port: o.Port, Answers: o.Answers, Open: o.Open, Examples: o.Examples, LegacySSE: o.LegacySSE,
		Stdin: o.Stdin, Terminal: o.Stderr, Window: windowProgram(),
		Log: slog.New(slog.NewTextHandler(o.Stderr, nil)),
		Up:  func(core wire.Core, token string) { cli.Announce(o, core, token) },
	})
}

// resident is the core with its icon in the tray. What it says is kept in a file:
// at login nobody sees its terminal.
func resident(ctx context.Context, o cli.TrayOptions) error {
	dirs, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		return err
	}
	if err := dirs.Make(); err != nil {
		return err
	}
	file, err := attach.OpenLog(dirs.ServeLog)
	if err != nil {
		return err
	}
	defer file.Close()
	log := slog.New(slog.NewTextHandler(file, nil))
	return tray.Run(ctx, tray.Options{
		Find: client.Find, Lock: dirs.TrayLock, Quiet: o.Quiet, Page: o.Page, Log: log,
		Serve: func(ctx context.Context) error {
			return app.Serve(ctx, app.Options{Version: version, Port: -1, Answers: app.AnswerWindow, Window: windowProgram(), Log: log})
		},
		Up: func(core wire.Core, foreign bool) { cli.AnnounceTray(o, core, foreign, dirs.ServeLog) },
	})
}

// connect connects a host by the shim: by the small program beside us, if it is
// there and the system can put it in our place.
func connect(ctx context.Context, host, server string) error {
	args := []string{"--host", host}
	if server != "" {
		args = append(args, "--server", server)
	}
	if self, err := os.Executable(); err == nil {
		become(filepath.Join(filepath.Dir(self), app.ShimProgram), args)
	}
	return stdio.Run(ctx, stdio.Options{Host: host, Server: server, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

// windowProgram is the command that shows windows: a program of that name beside
// ours, else we ourselves, where this build can.
func windowProgram() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	beside := filepath.Join(filepath.Dir(self), "bridgekeeper-window"+filepath.Ext(self))
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return []string{beside, windowCommand}
	}
	if hasWindow {
		return []string{self, windowCommand}
	}
	return nil
}
