package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// completeTimeout: a shell that hangs after Tab is worse than one that offers nothing.
const completeTimeout = time.Second

const noFiles = cobra.ShellCompDirectiveNoFileComp

// ask gets what can be completed from the core, or nothing.
func (p *program) ask(cmd *cobra.Command, from func(ctx context.Context, core *client.Client) ([]string, error)) []string {
	core, err := p.core()
	if err != nil {
		return nil
	}
	defer core.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTimeout)
	defer cancel()
	names, err := from(ctx, core)
	if err != nil {
		return nil
	}
	return names
}

func (p *program) serverNames(cmd *cobra.Command) []string {
	return p.ask(cmd, func(ctx context.Context, core *client.Client) ([]string, error) {
		s, err := core.Snapshot(ctx)
		return each(s.Servers, func(s wire.Server) string { return s.Name }), err
	})
}

func each[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = name(v)
	}
	return names
}

// completeServers offers the servers that are not on the line yet.
func (p *program) completeServers(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return others(p.serverNames(cmd), args), noFiles
}

func (p *program) completeServer(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return p.serverNames(cmd), noFiles
}

func (p *program) hostNames(cmd *cobra.Command) []string {
	return p.ask(cmd, func(ctx context.Context, core *client.Client) ([]string, error) {
		s, err := core.Snapshot(ctx)
		return each(s.Hosts, func(h wire.Host) string { return h.Name }), err
	})
}

func (p *program) completeHosts(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return others(p.hostNames(cmd), args), noFiles
}

func (p *program) completeHost(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return p.hostNames(cmd), noFiles
}

func (p *program) completeCall(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return p.serverNames(cmd), noFiles
	case 1:
		return p.ask(cmd, func(ctx context.Context, core *client.Client) ([]string, error) {
			tools, err := core.Tools(ctx, args[0])
			return each(tools, func(t wire.Tool) string { return t.Name }), err
		}), noFiles
	}
	return nil, noFiles
}

func others(names, taken []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(taken, name) })
}

func (p *program) completeQuestions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var open []wire.Question
	ids := p.ask(cmd, func(ctx context.Context, core *client.Client) ([]string, error) {
		s, err := core.Snapshot(ctx)
		open = s.Questions
		return each(s.Questions, func(q wire.Question) string { return q.ID }), err
	})
	switch {
	case len(args) == 0:
		return ids, noFiles
	case len(args) == 1 && cmd.Name() == "answer":
		for _, q := range open {
			if q.ID == args[0] {
				return q.Choices, noFiles
			}
		}
	}
	return nil, noFiles
}
