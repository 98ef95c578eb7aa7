package cli

import "github.com/spf13/cobra"

func (p *program) stdio() *cobra.Command {
	var host, server string
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Be the MCP server of an application that only starts commands",
		Long: "Pass an application's messages on stdin to the core, and the core's to stdout. The core is\n" +
			"started when none runs, and may be restarted meanwhile. An application that Bridgekeeper\n" +
			"doesn't know yet is let in by `bridgekeeper host add NAME`, or by a person who is asked.",
		Example: "  bridgekeeper stdio --host claude-desktop\n  bridgekeeper stdio --host zed --server files",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.run.Stdio(cmd.Context(), host, server)
		},
	}
	cmd.Flags().StringVar(&host, "host", "stdio", "name of the application")
	cmd.Flags().StringVar(&server, "server", "", "show it this server alone")
	return cmd
}
