package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/screen"
)

func newExplain(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "explain PID|CONTAINER|NAME",
		Short: "Show every line of evidence about one process or container",
		Long: `Shows whose a process or container is, every line of evidence for and against, the
guards, and the rule that decided; of a session, since when it has done nothing. For what
is gone: what the journal says, and exit code 1 where that does not name it; 4 where the
answer rests on what could not be read.`,
		Example: "  reaperd explain 4711\n  reaperd explain claude-code\n  reaperd explain eager_fermi -o json",
		Args:    cli.Words(1, 1, "one PID, container or name"),
		RunE:    func(cmd *cobra.Command, args []string) error { return l.explain(cmd.Context(), args[0]) },
	}
	l.flags(cmd, betweenLooks)
	l.replayFlag(cmd)
	journalFlag(cmd.Flags(), &l.journal)
	return cmd
}

func (l *lookFlags) explain(ctx context.Context, subject string) error {
	if err := checkJournal(l.journal); err != nil {
		return err
	}
	e, err := l.explanation(ctx, subject)
	if err != nil {
		return err
	}
	err = l.show(func(w io.Writer) error { return screen.Explain(w, e, l.options()) }, e)
	switch {
	case err != nil:
		return err
	case !e.Complete && !e.IsKnown():
		return exitWith(exitIncomplete)
	case !e.IsKnown():
		return exitWith(exitFailed)
	}
	return nil
}

// explanation is what a decider tells of a word, or what saved snapshots do. A journal that was named is
// read here.
func (l *lookFlags) explanation(ctx context.Context, subject string) (*account.Explanation, error) {
	if len(l.snapshots) > 0 {
		replay, err := l.replay()
		if err != nil {
			return nil, err
		}
		return replay.Explain(ctx, subject)
	}
	ask := l.decider
	if l.journal != "" {
		ask = func(context.Context) (*decider, error) { return l.alone() }
	}
	d, err := ask(ctx)
	if err != nil {
		return nil, err
	}
	defer d.close()
	defer l.looks(d, l.settle)()
	return d.Explain(ctx, subject)
}
