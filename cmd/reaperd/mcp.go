package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/serve"
)

func newMCP(s *shared) *cobra.Command {
	l := &lookFlags{shared: s, output: "table", settle: time.Second}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an agent: which servers leak, whose each is, and why",
		Long: `Is an MCP server over stdin and stdout for an agent that asks about this host: its tools are
sessions, leaks, explain and history, and none of them stops anything. The daemon that decides about your
servers answers; where none runs, reaperd looks by itself.`,
		Example: "  claude mcp add reaperd -- reaperd mcp\n  codex mcp add reaperd -- reaperd mcp",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return l.mcp(cmd.Context()) },
	}
	journalFlag(cmd.Flags(), &l.journal)
	return cmd
}

func (l *lookFlags) mcp(ctx context.Context) error {
	d, err := l.decider(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	return serve.MCP(ctx, d, version().Version, os.Stdin, os.Stdout)
}
