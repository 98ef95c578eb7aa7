package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// draftFlags are what the road of a draft takes on the command line.
type draftFlags struct {
	name, pick, version string
	set                 []string
	yes, dry            bool
}

func (d *draftFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&d.set, "set", nil, "give an input its value, `INPUT=VALUE` (may be repeated)")
	f.StringVar(&d.pick, "package", "", "which of several packages: its `kind` (npm, pypi, oci, mcpb, remote) or its number")
	f.StringVar(&d.version, "version", "", "this `version` of a server from the catalog (default: the newest)")
	f.BoolVarP(&d.yes, "yes", "y", false, "don't ask whether it may run")
	f.BoolVar(&d.dry, "dry-run", false, "show what would run, and add nothing")
}

// values reads --set.
func (d *draftFlags) values() (map[string][]string, error) {
	values := map[string][]string{}
	for _, pair := range d.set {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage("--set needs INPUT=VALUE, not %q", name)
		}
		values[name] = append(values[name], value)
	}
	return values, nil
}

// maxPaste is what the core takes as a text.
const maxPaste = 1 << 20

// sourceOf says what a word stands for: a file, a text, or a name in the catalog.
func (p *program) sourceOf(args []string, paste bool, version string) (wire.NewDraft, error) {
	switch {
	case paste && len(args) > 0:
		return wire.NewDraft{}, usage("--paste reads from stdin: name nothing besides")
	case paste:
		data, err := io.ReadAll(io.LimitReader(p.stdin, maxPaste+1))
		if err != nil {
			return wire.NewDraft{}, fmt.Errorf("read stdin: %w", err)
		}
		if len(data) > maxPaste {
			return wire.NewDraft{}, &wire.Error{Code: wire.CodeBodyTooLarge, Message: fmt.Sprintf("the text is larger than %d MiB", maxPaste>>20)}
		}
		return wire.NewDraft{Text: string(data)}, nil
	case len(args) != 1:
		e := usage("what to add is missing, or more than one thing")
		e.Hint = "Name a server of the catalog, a file, a URL or a link; or write NAME -- COMMAND ARGS…"
		return wire.NewDraft{}, e
	}
	word := args[0]
	if word == "" {
		return wire.NewDraft{}, usage("what to add is an empty text")
	}
	ext := strings.ToLower(filepath.Ext(word))
	_, err := os.Stat(word)
	switch {
	case strings.Contains(word, "://") || strings.ContainsAny(word, " {\n") || strings.HasPrefix(word, "vscode"):
		return wire.NewDraft{Text: word}, nil
	case err == nil && (ext != "" || strings.ContainsAny(word, `/\`)), ext == ".mcpb", ext == ".dxt", ext == ".json", strings.HasPrefix(word, "."), filepath.IsAbs(word):
		path, err := filepath.Abs(word)
		if err != nil {
			return wire.NewDraft{}, err
		}
		return wire.NewDraft{Path: path}, nil
	}
	return wire.NewDraft{Catalog: word, Version: version}, nil
}

// addDraft leads a draft from its source to a server that runs.
func (p *program) addDraft(ctx context.Context, core *client.Client, req wire.NewDraft, flags *draftFlags, fill wire.FillDraft) (*wire.Added, error) {
	values, err := flags.values()
	if err != nil {
		return nil, err
	}
	list, err := core.BeginDrafts(ctx, req)
	if err != nil {
		return nil, err
	}
	ask := p.prompter()
	d, err := p.pick(list, flags, ask)
	if err != nil {
		return nil, err
	}
	if d.Fetch != "" {
		p.err.line("fetching %s", visible(d.Fetch))
		if d, err = core.FetchDraft(ctx, d.ID); err != nil {
			return nil, err
		}
	}
	if len(d.Blocked) > 0 {
		return nil, &wire.Error{Code: wire.CodeBadDraft, Message: strings.Join(d.Blocked, " ")}
	}
	fill.Name, fill.Values = flags.name, values
	if ask.person() {
		if err := ask.inputs(d, fill.Values); err != nil {
			return nil, err
		}
	}
	r, err := core.ReviewDraft(ctx, d.ID, fill)
	if err != nil {
		return nil, p.withInputs(err, d)
	}
	if p.asJSON && flags.dry {
		return nil, p.out.json(r)
	}
	p.printReview(d, r)
	switch {
	case flags.dry:
		p.err.line("Nothing was added.")
		return nil, nil
	case flags.yes:
	case ask.person():
		if yes, err := ask.yes("Run this and add it as " + r.Name + "?"); err != nil || !yes {
			if err == nil {
				err = &wire.Error{Code: wire.CodeDenied, Message: "Nothing was added."}
			}
			return nil, err
		}
	default:
		e := usage("nobody is there to say that it may run")
		e.Hint = "Look at it with --dry-run; --yes then adds it without asking."
		return nil, e
	}
	return p.carryOut(ctx, core, d.ID, r.Name, fill)
}

// pick chooses one of several drafts.
func (p *program) pick(list []wire.Draft, flags *draftFlags, ask *prompter) (*wire.Draft, error) {
	open := slices.DeleteFunc(slices.Clone(list), func(d wire.Draft) bool { return len(d.Blocked) > 0 })
	if len(open) == 0 {
		var why []string
		for _, d := range list {
			why = append(why, d.Label+": "+strings.Join(d.Blocked, " "))
		}
		return nil, &wire.Error{Code: wire.CodeBadDraft, Message: "It can't be added. " + strings.Join(why, " ")}
	}
	if flags.pick != "" {
		if n, err := strconv.Atoi(flags.pick); err == nil && n >= 1 && n <= len(list) {
			return &list[n-1], nil
		}
		for i := range list {
			if list[i].Install == flags.pick || list[i].Name == flags.pick {
				return &list[i], nil
			}
		}
		e := usage("there is no package %q", flags.pick)
		e.Hint = "There are: " + labels(list)
		return nil, e
	}
	if len(open) == 1 {
		return &open[0], nil
	}
	for i, d := range list {
		note := ""
		if len(d.Blocked) > 0 {
			note = " (" + strings.Join(d.Blocked, " ") + ")"
		}
		p.err.line("  %d  %s%s", i+1, visible(d.Label), visible(note))
	}
	if !ask.person() {
		p.err.line("taking the first; --package takes another")
		return &open[0], nil
	}
	answer, err := ask.ask("Which one? ", false)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	if err != nil || n < 1 || n > len(list) {
		return nil, usage("%q is none of them", answer)
	}
	return &list[n-1], nil
}

func labels(list []wire.Draft) string {
	return strings.Join(each(list, func(d wire.Draft) string { return visible(d.Label) }), "; ")
}

// inputs asks for what has no value yet and needs one, or is a secret.
func (a *prompter) inputs(d *wire.Draft, values map[string][]string) error {
	for _, in := range d.Inputs {
		if _, given := values[in.Name]; given || !in.Required && !in.Secret || len(in.Default) > 0 && in.Secret {
			continue
		}
		label := in.Name
		if in.Title != "" {
			label = in.Title
		}
		about := []string{in.Kind}
		if in.Secret {
			about = []string{"secret, not shown"}
		}
		if len(in.Choices) > 0 {
			about = append(about, strings.Join(in.Choices, "|"))
		}
		if len(in.Default) > 0 {
			about = append(about, "Enter: "+strings.Join(in.Default, ", "))
		} else if !in.Required {
			about = append(about, "Enter: none")
		}
		if in.Description != "" {
			a.p.err.line("%s", visible(in.Description))
		}
		answer, err := a.ask(fmt.Sprintf("%s (%s): ", visible(label), visible(strings.Join(about, "; "))), in.Secret)
		if err != nil {
			return err
		}
		switch {
		case answer == "":
		case in.Multiple:
			values[in.Name] = strings.Split(answer, string(os.PathListSeparator))
		default:
			values[in.Name] = []string{answer}
		}
	}
	return nil
}

// withInputs adds to an error about an input what there is to set.
func (p *program) withInputs(err error, d *wire.Draft) error {
	e := wire.AsError(err)
	if e.Code != wire.CodeBadInput {
		return err
	}
	var lines []string
	for _, in := range d.Inputs {
		line := "--set " + in.Name + "=…"
		if in.Required && len(in.Default) == 0 {
			line += " (needed)"
		}
		if in.Description != "" {
			line += "  " + firstLine(in.Description)
		}
		lines = append(lines, line)
	}
	return &wire.Error{Code: e.Code, Message: e.Message, Hint: "It takes:\n  " + strings.Join(lines, "\n  ")}
}

// printReview shows exactly what would run. It goes to stderr with --json.
func (p *program) printReview(d *wire.Draft, r *wire.Reviewed) {
	out := p.out
	if p.asJSON {
		out = p.err
	}
	head := r.Name
	if d.Title != "" && d.Title != r.Name {
		head += " (" + d.Title + ")"
	}
	if d.Replaces != "" {
		head += ", instead of version " + d.Replaces
	}
	out.line("%s", out.paint(strong, visible(head)))
	if d.Description != "" {
		out.line("  %s", visible(firstLine(d.Description)))
	}
	for _, line := range r.Lines {
		out.line("  %s", visible(line))
	}
	for _, name := range r.Secrets {
		out.line("  secret named %s", visible(name))
	}
	for _, w := range d.Warnings {
		out.line("  %s %s", out.paint(yellow, "look:"), visible(w))
	}
	for _, n := range d.Needs {
		if n.Path == "" {
			out.line("  %s %s is not on this computer. %s", out.paint(red, "missing:"), visible(n.Program), visible(n.Hint))
		}
	}
}

// carryOut adds the draft and tells meanwhile what the server does.
func (p *program) carryOut(ctx context.Context, core *client.Client, id, name string, fill wire.FillDraft) (*wire.Added, error) {
	watching, stop := context.WithCancel(ctx)
	told := make(chan struct{})
	go func() { // ends with watching; waited for below
		defer close(told)
		last := ""
		_ = core.Glance(watching, func(e wire.Event) error {
			if e.Snapshot == nil {
				return nil
			}
			for _, s := range e.Snapshot.Servers {
				now := s.State
				if s.Phase != "" {
					now += ", " + s.Phase
				}
				if s.Name == name && now != last {
					last = now
					p.err.line("%s: %s", visible(name), now)
				}
			}
			return nil
		}, nil)
	}()
	added, err := core.AddDraft(ctx, id, fill)
	stop()
	<-told
	return added, err
}

// printAdded shows the new server's tools.
func (p *program) printAdded(added *wire.Added, did string) error {
	if p.asJSON {
		return p.out.json(added)
	}
	p.out.line("%s %s: %s, %s", did, visible(added.Name), visible(added.State), count(len(added.Tools), "tool"))
	for _, tool := range added.Tools {
		note := ""
		if tool.ReadOnly {
			note = " (read-only)"
		}
		p.out.line("  %s%s  %s", visible(tool.Name), note, about(tool))
		for _, n := range tool.Notes {
			p.out.line("    %s %s", p.out.paint(yellow, "look:"), visible(n))
		}
	}
	return nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (p *program) serverUpdate() *cobra.Command {
	var flags draftFlags
	cmd := &cobra.Command{
		Use:               "update NAME",
		Short:             "Take the newest version of a server from the catalog or bundle that it came from",
		Long:              "Take the newest version of a server from the catalog or bundle that it came from, with the\nvalues that it has. Where the new version doesn't start, the former one comes back.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			added, err := p.addDraft(ctx, core, wire.NewDraft{Update: args[0], Version: flags.version}, &flags, wire.FillDraft{})
			if err != nil || added == nil {
				return err
			}
			return p.printAdded(added, "updated")
		}),
	}
	flags.register(cmd.Flags())
	p.jsonFlag(cmd, "print JSON")
	return cmd
}
