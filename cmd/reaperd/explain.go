package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/sentence"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// explaining answers for one process or container, gone ones included.
type explaining struct {
	looking
	state string // --journal
}

func newExplain(s *shared) *cobra.Command {
	e := &explaining{looking: looking{shared: s}}
	cmd := &cobra.Command{
		Use:   "explain PID|CONTAINER|NAME",
		Short: "Show every line of evidence about one process or container",
		Long: `Shows whose a process or container is, every line of evidence for and against, the
guards, and the rule that decided; of a session, since when it has done nothing. For what
is gone: what the journal says, and exit code 1 where that names nothing of it.`,
		Example: "  reaperd explain 4711\n  reaperd explain claude-code\n  reaperd explain eager_fermi -o json",
		Args:    atMost(1, "one PID, container or name", true),
		RunE:    func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args[0]) },
	}
	e.flags(cmd, time.Second)
	e.replayFlag(cmd)
	cmd.Flags().StringVar(&e.state, "journal", "", "journal `FILE` (default: in the state directory)")
	return cmd
}

func (e *explaining) run(ctx context.Context, subject string) error {
	if err := e.check(); err != nil {
		return err
	}
	p, err := loadPolicy(e.policies)
	if err != nil {
		return err
	}
	view, err := e.view(ctx, p)
	if err != nil {
		return err
	}
	if id, found := word.One(view.Graph, subject); found {
		return e.explainTarget(view, p, id)
	}
	if process := word.Process(view.Graph.Snapshot, subject); process != nil {
		return e.explainProcess(view, process)
	}
	switch running := word.Called(view.Graph, subject); len(running) {
	case 0:
		return e.explainGone(ctx, subject)
	case 1:
		return e.explainTarget(view, p, running[0].ID)
	default:
		return tooMany(subject, running)
	}
}

// tooMany asks which one is meant: explain is about one thing.
func tooMany(name string, alike []*graph.Target) error {
	var all []string
	for _, t := range alike {
		all = append(all, human.Handle(t.ID)+" ("+standing(t)+")")
	}
	return usage("reaperd explain "+human.Handle(alike[0].ID), "%s: %d run here: %s", name, len(all), strings.Join(all, ", "))
}

// standing is what tells one from others of its name: what is wrong with it, or whose it is.
func standing(t *graph.Target) string {
	switch {
	case t.Finding != graph.FindingNone:
		return t.Finding.String()
	case t.Owner.Name != "":
		return "of " + human.Safe(redact.Name(sentence.Name{Name: t.Owner.Name, PID: t.Owner.ID.PID}.String()))
	}
	return "owner unknown"
}

func (e *explaining) explainTarget(view sweep.View, p *policy.Policy, id string) error {
	in := e.input(view, p, "scan")
	in.Verdicts = view.Verdicts
	return e.answer(func(w io.Writer) error { return report.Explain(w, in, id, e.options()) },
		func() ([]byte, error) { return report.ExplainJSON(in, id) })
}

func (e *explaining) explainProcess(view sweep.View, p *inventory.Process) error {
	why := notAServer(view.Graph, p)
	return e.answer(func(w io.Writer) error { return report.ExplainProcess(w, p, why, e.options()) },
		func() ([]byte, error) {
			return json.Marshal(map[string]any{"version": 1, "pid": p.PID, "id": p.ID().String(), "target": false, "reason": why})
		})
}

// notAServer says why a process that is there is no target; empty is the usual
// reason, that nothing matches it.
func notAServer(g *graph.Graph, p *inventory.Process) string {
	if p.ContainerID == "" {
		return ""
	}
	if t, found := g.Target(p.ContainerID); found {
		return fmt.Sprintf("it runs in container %.12s (%s), which is judged as one thing", p.ContainerID, t.Name)
	}
	return fmt.Sprintf("it runs in container %.12s, which no engine here knows", p.ContainerID)
}

// explainGone answers for what is not there: from the journal, or that reaperd
// never touched it.
func (e *explaining) explainGone(ctx context.Context, subject string) error {
	if len(e.snapshots) > 0 {
		return failed("", "%s: not in the snapshots", subject)
	}
	f, err := history.ReadFate(journalPath(e.state), subject)
	if err != nil {
		return failed("", "%w", err)
	}
	f.Missing = history.MissingFrom(ctx, stateDir(), e.state != "", f.Torn > 0)
	if err := e.answer(f.Write, f.JSON); err != nil {
		return err
	}
	if f.Torn > 0 {
		fmt.Fprintln(e.err, history.TornText(f.Path, f.Torn))
	}
	if system, _ := foreignDaemon(); f.Missing.Foreign {
		fmt.Fprintf(e.err, "note: the system daemon (process %d) keeps a journal of its own: sudo reaperd explain %s\n", system.PID, f.Subject)
	}
	if len(f.Entries) == 0 {
		return exitWith(exitFailed)
	}
	return nil
}
