package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/word"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	lookFlags
	journal string
}

func newExplain(s *shared) *cobra.Command {
	e := &explainFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "explain PID|CONTAINER|NAME",
		Short: "Show every line of evidence about one process or container",
		Long: `Shows whose a process or container is, every line of evidence for and against, the
guards, and the rule that decided; of a session, since when it has done nothing. For what
is gone: what the journal says, or what the daemon saw a session leave behind, and exit
code 1 where neither names it; 4 where the answer rests on what could not be read.`,
		Example: "  reaperd explain 4711\n  reaperd explain claude-code\n  reaperd explain eager_fermi -o json",
		Args:    cli.AtMost(1, "one PID, container or name", true),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.explain(cmd.Context(), args[0]) },
	}
	e.flags(cmd, time.Second)
	e.replayFlag(cmd)
	journalFlag(cmd.Flags(), &e.journal)
	return cmd
}

func (e *explainFlags) explain(ctx context.Context, subject string) error {
	p, err := e.policy()
	if err == nil {
		err = checkJournal(e.journal)
	}
	if err != nil {
		return err
	}
	sight, err := e.lookTwice(ctx, p)
	if err != nil {
		return err
	}
	defer sight.Close()
	subject = sight.Called([]string{subject})[0]
	explanation, err := sight.Explain(subject)
	switch {
	case err != nil:
		return err
	case explanation == nil && len(e.snapshots) > 0:
		return e.notInSnapshots(sight, subject)
	case explanation == nil:
		return e.explainGone(ctx, subject, sight)
	}
	if explanation.Process() != nil && len(e.snapshots) == 0 {
		return e.explainProcess(ctx, explanation)
	}
	return e.explained(explanation)
}

// explained writes an explanation.
func (e *explainFlags) explained(explanation *oneshot.Explanation) error {
	err := e.answer(func(w io.Writer) error { return explanation.Write(w, e.options()) }, explanation.JSON)
	if err == nil && explanation.RestsOnUnread() {
		return exitWith(exitIncomplete)
	}
	return err
}

// notInSnapshots is the error that the last of the snapshots has nothing that a word means. The one before it may.
func (e *explainFlags) notInSnapshots(sight *oneshot.Sight, subject string) error {
	last := sight.Asked.Elsewhere()
	if sight.Had(subject) {
		before := last
		before.Snapshots = e.snapshots[len(e.snapshots)-2 : len(e.snapshots)-1]
		return advice.Failed(before.Explain(subject)+"   explains it as it was", "%s: gone in the last snapshot, and there in the one before", subject)
	}
	which := "the snapshot"
	if len(e.snapshots) > 1 {
		which = "the last snapshot"
	}
	return advice.Failed(last.Scan()+"   shows what is there", "%s: not in %s", subject, which)
}

// explainProcess answers about a process that is no target. Of one that has exited, or that
// reaperd has acted on, it also tells what the journal says.
func (e *explainFlags) explainProcess(ctx context.Context, explanation *oneshot.Explanation) error {
	p := explanation.Process()
	f, err := e.fate(ctx, p.Process.ID().String())
	if err != nil {
		return err
	}
	f.Seen, p.Told = true, !p.Process.Alive() || len(f.Entries) > 0
	if !p.Told {
		return e.explained(explanation)
	}
	encode := explanation.JSON
	if !p.Process.Alive() && len(f.Entries) > 0 {
		encode = f.JSON
	}
	defer func() { e.Remark(f.Notes()...) }()
	return e.answer(func(w io.Writer) error {
		if err := explanation.Write(w, e.options()); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return f.Write(w)
	}, encode)
}

// fate reads what the journal says about a subject.
func (e *explainFlags) fate(ctx context.Context, subject string) (*history.Fate, error) {
	f, err := history.ReadFate(journalPath(e.journal), subject)
	if err != nil {
		return nil, advice.Failed("", "%w", err)
	}
	f.Width, f.Resumes, f.NoDaemon = e.Width(), catalogue.Resumes(), !stateDir().HasDaemon()
	f.Missing = history.MissingFrom(ctx, stateDir(), e.journal != "", f.Torn > 0)
	return f, nil
}

// explainGone answers about something that no longer runs: from the journal, or that
// reaperd never touched it. The sight knows what a daemon has seen of its end.
func (e *explainFlags) explainGone(ctx context.Context, subject string, sight *oneshot.Sight) error {
	f, err := e.fateOfGone(ctx, subject, sight)
	if err != nil {
		return err
	}
	ended := sight.Ended(ctx, subject, f.Acted())
	f.Left = ended.Left
	if err := f.HoldLeft(); err != nil {
		return advice.Failed("", "%w", err)
	}
	ended = sight.Ended(ctx, subject, f.Acted()) // what is known by now to have been acted on has not ended otherwise
	f.Gone, f.Left, f.Ended, f.SeenLast = ended.Gone, ended.Left, ended.Text, append(f.SeenLast, ended.Unseen...)
	f.Near = word.NearestHint("reaperd explain", subject, sight.View.Graph, append(f.Names, ended.Names...))
	if err := e.answer(f.Write, f.JSON); err != nil {
		return err
	}
	e.Remark(f.Notes()...)
	if f.Known() {
		return nil
	}
	if f.Unread != "" {
		return exitWith(exitIncomplete)
	}
	return exitWith(exitFailed)
}

// fateOfGone is what is known of a subject that the look does not show.
func (e *explainFlags) fateOfGone(ctx context.Context, subject string, sight *oneshot.Sight) (*history.Fate, error) {
	f, err := e.fate(ctx, subject)
	if err != nil {
		return nil, err
	}
	if e.journal == "" {
		f.IsAtIt = sight.IsAtIt
	}
	look := sight.View.Graph.Snapshot
	if f.Pinned, err = pins.Meant(stateDir(), look.Host.BootID, subject); err != nil {
		return nil, advice.Failed("", "%w", err)
	}
	for i := range look.Processes {
		if p := &look.Processes[i]; p.Alive() {
			f.Runs = append(f.Runs, p.ID().String())
		}
	}
	f.SeenLast, f.Unread = sight.SeenLast(ctx, subject), word.Unread(look, subject)
	if f.Unread == "" && f.NamesContainer() {
		f.Unread = word.NoEngine(look)
	}
	return f, nil
}
