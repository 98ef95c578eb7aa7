package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns the flags of every command that does something, by its path.
func commands(root *cobra.Command) map[string][]string {
	all := map[string][]string{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() {
			flags := []string{}
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
			all[cmd.CommandPath()] = flags
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return all
}
