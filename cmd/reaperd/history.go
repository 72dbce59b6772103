package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/word"
)

// historyFlags are the flags of history.
type historyFlags struct {
	lookFlags
	query        history.Query
	period       history.Period
	days, follow bool
	journal      string
	typed        string // the command with the flags that choose acts, for another user to type
}

func newHistory(s *shared) *cobra.Command {
	h := &historyFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was reaped, why, and what it freed",
		Long: `Reads the journal. A TIME is a duration back from now (2h, 7d), a date (2026-11-20), a
date with a time ("2026-11-20 14:02"), a time of today (14:02), "yesterday 14:02", or
RFC 3339.

-o json is one JSON object. With --follow it is NDJSON: one object a line, an act's
intention and its outcome each on its own (reaperd schema history-line). -o wide is one whole line for each act; on a
terminal that is narrower, its reason is below it.`,
		Example: "  reaperd history -n 20\n  reaperd history --since 7d --days\n  reaperd history --pid 4711\n  reaperd history --at 14:02\n  reaperd history -f -o json | jq -r 'select(.phase == \"outcome\").name'",
		Args:    noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := h.prepare(cmd, time.Now()); err != nil {
				return err
			}
			h.typed = asTyped(cmd)
			if h.follow {
				return h.tail(cmd.Context())
			}
			return h.tell(cmd.Context(), time.Now())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&h.output, "output", "o", "table", "format: table, wide, json or yaml")
	flags.StringVar(&h.period.Since, "since", "", "from this `TIME` on")
	flags.StringVar(&h.period.Until, "until", "", "before this `TIME`")
	flags.StringVar(&h.period.At, "at", "", "within a minute of this `TIME`")
	flags.IntVar(&h.query.PID, "pid", 0, "what had process `N` in its tree")
	flags.StringVar(&h.query.Name, "name", "", "what has a name like this `GLOB`")
	flags.StringVar(&h.query.Rule, "rule", "", "what this `RULE` decided")
	flags.IntVarP(&h.query.Newest, "newest", "n", 0, "only the newest `N` acts singly; the sums are of all")
	flags.BoolVar(&h.days, "days", false, "sums for each day instead of single acts")
	flags.BoolVarP(&h.follow, "follow", "f", false, "go on until interrupted")
	journalFlag(flags, &h.journal)
	return cmd
}

// asTyped is a command with the flags that were given to it, without those that say how it looks.
func asTyped(cmd *cobra.Command) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "output" || f.Name == "color" || f.Name == "journal":
		case f.Name == "follow":
			words = append(words, "-f")
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name, human.Shell(f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

// noWords refuses words, with the flag that takes such a one.
func noWords(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	return advice.Misused("reaperd history "+about(words[0]), "%s takes no %q", cmd.CommandPath(), words[0])
}

// about is the flag that asks about a word.
func about(word string) string {
	if _, err := strconv.Atoi(word); err == nil {
		return "--pid " + word
	}
	return "--name " + human.Shell(word)
}

// prepare refuses contradicting flags, and reads their times.
func (h *historyFlags) prepare(cmd *cobra.Command, now time.Time) error {
	if err := h.check(); err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("pid") && h.query.PID <= 0:
		return advice.Misused("", "--pid %d: a PID is 1 or more", h.query.PID)
	case cmd.Flags().Changed("newest") && h.query.Newest <= 0:
		return advice.Misused("", "--newest %d: want 1 or more", h.query.Newest)
	case h.days && h.query.Newest > 0:
		return advice.Misused("", "--newest: goes with single acts, and not with --days")
	case h.period.At != "" && (h.period.Since != "" || h.period.Until != ""):
		return advice.Misused("", "--at: means a minute before and after; it goes with neither --since nor --until")
	case h.follow && (h.days || h.period.Until != "" || h.period.At != ""):
		return advice.Misused("", "--follow: goes with none of --days, --until and --at")
	case h.follow && h.output == "yaml":
		return advice.Misused("", "--follow: want -o table, wide or json")
	}
	err := checkJournal(h.journal)
	if err == nil {
		h.query, err = h.period.Of(h.query, now)
	}
	return err
}

// checkJournal refuses a named journal that is not there: that it names nothing would prove
// nothing.
func checkJournal(named string) error {
	if named == "" {
		return nil
	}
	if _, err := os.Stat(named); err != nil {
		return advice.Failed("name a journal or its folder, or none: then "+journalPath("")+" is read", "read journal: %w", err)
	}
	return nil
}

func (h *historyFlags) tell(ctx context.Context, now time.Time) error {
	past := history.Read(journalPath(h.journal), h.query)
	past.AskDaemon(ctx, stateDir(), h.journal != "", now, sweepRuns)
	err := h.answer(func(w io.Writer) error { return h.write(w, past) }, func() ([]byte, error) { return past.JSON(h.days) })
	if err != nil {
		return err
	}
	h.remark(past)
	if len(past.Problems) > 0 {
		return exitWith(exitIncomplete)
	}
	return nil
}

// sweepRuns is [host.SweepRuns] where no look is made.
func sweepRuns(entry *journal.Entry) bool {
	return host.SweepRuns(entry, func(id inventory.ID) bool {
		table, err := scan.New(scan.Options{})
		if err != nil {
			return false
		}
		defer table.Close()
		_, err = table.Process(id)
		return err == nil
	})
}

func (h *historyFlags) write(w io.Writer, past *history.History) error {
	switch {
	case len(past.Acts) == 0:
		h.Remark(h.nothing(past)...)
		return nil
	case h.days:
		return past.WriteDays(w, h.style())
	}
	return past.Write(w, h.style())
}

// nothing says that no act was found, and what may be meant.
func (h *historyFlags) nothing(past *history.History) []string {
	text, command, near := past.Nothing(), "reaperd history --name", word.NearOf(history.Names(past.Path), h.query.Name)
	if past.Whole() && h.isNoRule(past.Path) {
		text = fmt.Sprintf("No rule of the policy is called %s, and no act in %s was by one.", h.query.Rule, past.Path)
		command, near = "reaperd history --rule", word.NearOf(rulesIn(past.Path), h.query.Rule)
	}
	if len(near) == 0 {
		return []string{text}
	}
	return []string{text, "hint: " + word.NearHint(command, near)}
}

// isNoRule reports that a rule was named which neither the policy nor the journal has.
func (h *historyFlags) isNoRule(journal string) bool {
	return h.query.Rule != "" && !slices.Contains(rulesIn(journal), h.query.Rule)
}

// rulesIn are the rules of the policy, and those by which something was done.
func rulesIn(journal string) []string {
	rules := history.Rules(journal)
	p, _, err := policyfile.LoadAnyway("")
	if err != nil {
		return rules
	}
	for _, rule := range p.Rules {
		rules = append(rules, rule.Name)
	}
	return rules
}

// style has the terminal's width; none for a pipe.
func (h *historyFlags) style() history.Style {
	s := history.Style{Wide: h.output == "wide", Home: state.Home()}
	if terminal.IsTerminal(h.Out) {
		s.Width = h.Width()
	}
	return s
}

// remark prints the remarks about the answer.
func (h *historyFlags) remark(past *history.History) {
	h.Remark(past.Remarks()...)
	h.Remark(past.Missing.ElsewhereNotes(h.typed)...)
	if h.query.PID > 0 || h.period.At != "" {
		h.Remark(past.WaysBack(catalogue.Resumes())...)
	}
}

// silent says why nothing may ever come of following a journal: acts that are in another one, and a
// rule that there is not.
func (h *historyFlags) silent(missing history.Missing, path string) []string {
	notes := missing.ElsewhereNotes(h.typed)
	if len(notes) == 0 && h.journal == "" && !stateDir().HasDaemon() {
		notes = []string{"note: no daemon runs: only sweeps by hand are recorded here"}
	}
	if h.isNoRule(path) {
		notes = append(notes, "note: no rule of the policy is called "+h.query.Rule)
	}
	return notes
}

// tail shows past acts, and then new ones until it is interrupted.
func (h *historyFlags) tail(ctx context.Context) error {
	path := journalPath(h.journal)
	h.Remark(h.silent(history.MissingFrom(ctx, stateDir(), h.journal != "", false), path)...)
	lines := h.style().Lines()
	if h.output == "json" {
		lines = history.JSONLine
	}
	for line, err := range history.Follow(ctx, path, h.query, lines) {
		if err != nil {
			h.Remark(fmt.Sprintf("warning: %v", err))
			continue
		}
		if _, err := fmt.Fprintln(h.Out, line); err != nil {
			return err
		}
	}
	return exitWith(exitInterrupted)
}
