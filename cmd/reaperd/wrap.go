package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/wrap"
)

// wrapFlags are the flags of wrap.
type wrapFlags struct {
	*shared
	wrap.Request
	check, dryRun, yes bool
}

const wrapHelp = `Changes the configuration of a client, so that each server it starts is started by
"reaperd exec" and leaves nothing behind: "npx -y x" becomes
"reaperd exec --name NAME -- npx -y x". What has an address (url) is left alone.

Without an argument it is every client's file in your home, in this folder and in those
above it, up to the root of the repository; a CLIENT narrows it, a FILE names one, and a
FOLDER, such as ".", the clients' files in it. The files of a project elsewhere, which
reaperd discover lists while a session runs there, are not looked at: name them. What
cannot be read is an error: nothing is changed, and the exit code is 4.

The command lines before and after are shown first, secrets as ***, and asked for on a
terminal. Only the words of commands change: comments, order and indentation stay, and so do
the mode, the owner and the link of a file. The file as it was stays beside it, as
FILE.before-reaperd. A file that is committed to a repository changes for all who share it:
they need reaperd too.

--undo takes it away again, also in a project elsewhere that it was put into, but not where
you have written reaperd exec yourself. Where nothing else was changed since, the file is
then the same byte for byte. --dry-run shows the change, of --undo too, and ends with 0.
--check shows it, of the files that can be read, and ends with 3 where a server is not
wrapped, for a pipeline.

Restart the client, or its servers, for a change to hold.`

func newWrap(s *shared) *cobra.Command {
	c := &wrapFlags{shared: s, Request: wrap.Request{State: stateDir()}}
	cmd := &cobra.Command{
		Use:               "wrap [CLIENT|FILE|FOLDER…]",
		Short:             "Put reaperd exec before the servers in a client's configuration",
		Long:              wrapHelp,
		Example:           "  reaperd wrap claude-code\n  reaperd wrap --dry-run .\n  reaperd wrap --undo ~/.cursor/mcp.json\n  reaperd wrap --check",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cli.OrFiles(clientNames),
		RunE:              func(cmd *cobra.Command, args []string) error { c.Names = args; return c.rewrite(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.Undo, "undo", false, "take reaperd exec away again")
	flags.BoolVar(&c.check, "check", false, "change nothing; end with 3 where a server is not wrapped")
	flags.BoolVar(&c.dryRun, "dry-run", false, "show what would change, and stop there")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	flags.StringVar(&c.Program, "program", "", "how reaperd is called in the file (default: reaperd if that is found in PATH, else its path)")
	cmd.MarkFlagsMutuallyExclusive("undo", "check")
	return cmd
}

func (c *wrapFlags) rewrite(ctx context.Context) error {
	plan, unread := wrap.MakePlan(ctx, c.Request)
	if unread != nil && !(c.check && plan.Files > 0) {
		return unreadable(unread)
	}
	c.Remark(plan.Remarks...)
	if len(plan.Rewritings) == 0 {
		c.Remark(plan.Nothing())
		c.remarkOn(plan.Scope())
		return c.checked(plan, unread)
	}
	for _, r := range plan.Rewritings {
		if _, err := fmt.Fprint(c.Out, r.Shown()); err != nil {
			return err // nothing is changed that could not be shown
		}
	}
	c.remarkOn(plan.Shared())
	switch {
	case c.check:
		c.Remark(plan.Open())
		c.remarkOn(plan.Scope())
		return c.checked(plan, unread)
	case c.dryRun:
		c.Remark(plan.DryRun())
		c.remarkOn(plan.Scope())
		return nil
	}
	if yes, err := c.agreed(ctx, len(plan.Rewritings)); !yes || err != nil {
		return err
	}
	done, err := plan.Write()
	c.Remark(done...)
	if err == nil {
		c.Remark("Restart the client, or its servers, for it to hold.")
	}
	return err
}

// checked ends --check. What could not be read beats what is not wrapped.
func (c *wrapFlags) checked(plan wrap.Plan, unread error) error {
	switch {
	case unread != nil:
		return unreadable(unread)
	case c.check && !(plan.IsWrapped() && len(plan.Rewritings) == 0):
		return exitWith(exitWouldReap)
	}
	return nil
}

// unreadable gives the error of a file that is there and could not be read the code that discover ends
// with for it.
func unreadable(err error) error {
	if wrap.IsUnread(err) {
		return &ending{code: exitIncomplete, err: err}
	}
	return err
}

// remarkOn remarks on what a plan has something to say about.
func (c *wrapFlags) remarkOn(text string) {
	if text != "" {
		c.Remark(text)
	}
}

// agreed asks on a terminal. Elsewhere only --yes agrees.
func (c *wrapFlags) agreed(ctx context.Context, files int) (bool, error) {
	switch {
	case c.yes:
		return true, nil
	case !cli.IsTerminal(c.In):
		return false, human.NobodyToAsk("add --yes, or --dry-run to see it only", "stdin is no terminal")
	}
	question := "Write this to these " + human.Count(files, "file") + "?"
	if files == 1 {
		question = "Write this to the file?"
	}
	return c.Ask(ctx, question, "Nothing changed.")
}
