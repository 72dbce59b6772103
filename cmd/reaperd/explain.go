package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/sweep"
)

// explaining answers for one process or container, gone ones included.
type explaining struct {
	looking
	state string // --journal
}

func newExplain(s *shared) *cobra.Command {
	e := &explaining{looking: looking{shared: s}}
	cmd := &cobra.Command{
		Use:   "explain PID|CONTAINER",
		Short: "Show every line of evidence about one process or container",
		Long: `Shows whose a process or container is, every line of evidence for and against, the
guards, and the rule that decided. For what is gone: what the journal says.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args[0]) },
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
	if id, found := targetID(view, subject); found {
		return e.explainTarget(view, p, id)
	}
	if process := processOf(view.Graph.Snapshot, subject); process != nil {
		return e.explainProcess(view, process)
	}
	switch running := namedAlike(view, subject); len(running) {
	case 0:
		return e.explainGone(ctx, subject)
	case 1:
		return e.explainTarget(view, p, running[0].ID)
	default:
		return tooMany(subject, running)
	}
}

// namedAlike are the targets of a name.
func namedAlike(view sweep.View, name string) []*graph.Target {
	var alike []*graph.Target
	for _, t := range view.Graph.Targets {
		if policy.MatchesName(name, t.Name) {
			alike = append(alike, t)
		}
	}
	return alike
}

// tooMany asks which one is meant: explain is about one thing.
func tooMany(name string, alike []*graph.Target) error {
	var ids []string
	for _, t := range alike {
		ids = append(ids, shortID(t.ID))
	}
	return usage("reaperd explain "+ids[0], "%s: %d run here: %s", name, len(ids), strings.Join(ids, ", "))
}

// targetID is the target, or the session, that a word of the command line means.
func targetID(view sweep.View, subject string) (string, bool) {
	for _, t := range view.Graph.Targets {
		if means(subject, t) {
			return t.ID, true
		}
	}
	for _, session := range view.Graph.Sessions {
		for _, member := range session.Members {
			if subject == strconv.Itoa(member.PID) || subject == member.ID().String() {
				return session.Process.ID().String(), true
			}
		}
	}
	return "", false
}

// means is names without globs and servers' names, which may be those of several.
func means(subject string, t *graph.Target) bool {
	if strings.ContainsAny(subject, "*?[") || t.Container == nil && policy.MatchesName(subject, t.Name) {
		return false
	}
	return names(subject, t)
}

func processOf(s *inventory.Snapshot, subject string) *inventory.Process {
	i := slices.IndexFunc(s.Processes, func(p inventory.Process) bool {
		return subject == strconv.Itoa(p.PID) || subject == p.ID().String()
	})
	if i < 0 {
		return nil
	}
	return &s.Processes[i]
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
	f, err := e.fate(ctx, subject)
	if err != nil {
		return err
	}
	if err := e.answer(f.tell, func() ([]byte, error) { return json.Marshal(f.document()) }); err != nil {
		return err
	}
	e.remarks(&f)
	return nil
}

// fate is what the journal knows of something that is not there any more.
type fate struct {
	subject string
	entries []journal.Entry // the oldest first
	path    string
	torn    int
	missing missing
}

// fate reads the journal. A name, too, may be that of what is gone.
func (e *explaining) fate(ctx context.Context, subject string) (fate, error) {
	source := journal.History{Path: journalPath(e.state)}
	f := fate{subject: subject, entries: []journal.Entry{}, path: journal.File(source.Path)}
	for entry, err := range source.Read(journal.Filter{}) {
		if err != nil {
			return f, failed("", "read journal: %w", err)
		}
		if isAbout(subject, &entry) {
			f.entries = append(f.entries, entry)
		}
	}
	f.torn = source.Torn()
	f.missing = missingFrom(ctx, e.state, f.torn > 0)
	return f, nil
}

// isAbout is names for what is gone: a PID of its tree, an identity, a name, or
// the first digits of a container's id.
func isAbout(word string, entry *journal.Entry) bool {
	if pid, err := strconv.Atoi(word); err == nil && strconv.Itoa(pid) == word && (journal.Filter{PID: pid}).Matches(entry) {
		return true
	}
	c := entry.Container
	switch {
	case word == entry.TargetID:
		return true
	case c != nil && (word == c.Name || len(word) >= 8 && strings.HasPrefix(c.ID, word)):
		return true
	}
	return policy.MatchesName(word, entry.Name)
}

// touched is nil where it is not known.
func (f *fate) touched() *bool {
	if len(f.entries) == 0 && !f.missing.none() {
		return nil
	}
	return new(len(f.entries) > 0)
}

func (f *fate) document() map[string]any {
	return map[string]any{"version": 1, "subject": f.subject, "running": false, "touched": f.touched(), "torn_lines": f.torn, "journal": f.entries}
}

// tell says what became of it.
func (f *fate) tell(w io.Writer) error {
	absent := f.subject + " is not running here"
	if len(f.entries) == 0 {
		_, err := fmt.Fprintln(w, f.missing.untouched(absent+", and reaperd never touched it", absent+", and the journal does not name it")+".")
		return err
	}
	fmt.Fprintln(w, absent+".")
	done := map[string]bool{}
	for _, entry := range f.entries {
		done[entry.ID] = done[entry.ID] || entry.Phase == journal.PhaseOutcome
	}
	for _, entry := range f.entries {
		switch {
		case entry.Phase == journal.PhaseOutcome:
			fmt.Fprintf(w, "%s: %s\n", actText(entry), human.Safe(outcomeText(entry)))
		case !done[entry.ID]:
			fmt.Fprintf(w, "%s: begun, and no outcome was written\n", actText(entry))
		}
	}
	_, err := fmt.Fprintln(w, "To reconnect a server in Claude Code: /mcp")
	return err
}

// remarks are what else there is to say about the answer.
func (e *explaining) remarks(f *fate) {
	if f.torn > 0 {
		fmt.Fprintf(e.err, "warning: journal %s: %d lines were cut short and are left out\n", f.path, f.torn)
	}
	if system, _ := foreignDaemon(); f.missing.foreign {
		fmt.Fprintf(e.err, "note: the system daemon (process %d) keeps a journal of its own: sudo reaperd explain %s\n", system.PID, f.subject)
	}
}

// actText is when something was done to what, and by which rule.
func actText(entry journal.Entry) string {
	return fmt.Sprintf("%s  %s (rule %s, %s)", human.Moment(actTime(entry).Local()), human.Safe(entry.Name), human.Safe(entry.Rule), human.Safe(entry.Finding))
}

func outcomeText(entry journal.Entry) string {
	if entry.Detail != "" {
		return entry.Result + ": " + entry.Detail
	}
	return entry.Result
}
