package cli

import "github.com/spf13/cobra"

// tray is what `bridgekeeper` alone is, too.
func (p *program) tray() *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "tray [PAGE]",
		Short: "Run Bridgekeeper with its icon in the tray; `bridgekeeper` alone does so, too",
		Long: "Run the core with an icon in the tray, and open the window. Where a core runs already, it\n" +
			"gets the icon; where the icon is there already, its window comes up and the command ends.",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: pages,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.desktop(cmd, TrayOptions{Quiet: quiet, Page: append(args, "")[0]})
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "open no window, as at login")
	return cmd
}

func (p *program) desktop(cmd *cobra.Command, o TrayOptions) error {
	if p.run.Tray == nil {
		return cmd.Help()
	}
	o.Stdout, o.Stderr = p.out.w, p.err.w
	return untilInterrupted(cmd.Context(), p.run.Tray(cmd.Context(), o))
}
