package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/serve"
)

// recalling answers from the journal what was done.
type recalling struct {
	looking
	since, until, at string
	pid              int
	name, rule       string
	days, follow     bool
	state            string // --journal

	from, to time.Time // what since, until and at come to; to is not included
}

func newHistory(s *shared) *cobra.Command {
	r := &recalling{looking: looking{shared: s}}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was reaped, why, and what it gave back",
		Long: `Reads the journal. A TIME is a duration back from now (2h, 7d), a date (2026-11-20), a
date with a time ("2026-11-20 14:02"), a time of today (14:02), "yesterday 14:02", or
RFC 3339.`,
		Example: "  reaperd history --since 7d --days\n  reaperd history --pid 4711\n  reaperd history --at 14:02",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.prepare(cmd, time.Now()); err != nil {
				return err
			}
			if r.follow {
				return r.tail(cmd.Context())
			}
			return r.recall(cmd.Context(), time.Now())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.output, "output", "o", "table", "format: table, wide, json or yaml")
	flags.StringVar(&r.since, "since", "", "from this `TIME` on")
	flags.StringVar(&r.until, "until", "", "before this `TIME`")
	flags.StringVar(&r.at, "at", "", "within a minute of this `TIME`")
	flags.IntVar(&r.pid, "pid", 0, "what had process `N` in its tree")
	flags.StringVar(&r.name, "name", "", "what has a name like this `GLOB`")
	flags.StringVar(&r.rule, "rule", "", "what this `RULE` decided")
	flags.BoolVar(&r.days, "days", false, "sums for each day instead of single acts")
	flags.BoolVarP(&r.follow, "follow", "f", false, "go on until interrupted")
	flags.StringVar(&r.state, "journal", "", "journal `FILE` (default: in the state directory)")
	return cmd
}

// prepare refuses what the flags cannot mean, and reads their times.
func (r *recalling) prepare(cmd *cobra.Command, now time.Time) error {
	if err := r.check(); err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("pid") && r.pid <= 0:
		return usage("", "--pid %d: a PID is 1 or more", r.pid)
	case r.at != "" && (r.since != "" || r.until != ""):
		return usage("", "--at: means a minute before and after; it goes with neither --since nor --until")
	case r.follow && (r.days || r.until != "" || r.at != ""):
		return usage("", "--follow: goes with none of --days, --until and --at")
	case r.follow && r.output == "yaml":
		return usage("", "--follow: want -o table, wide or json")
	}
	if r.state != "" {
		if _, err := os.Stat(r.state); err != nil {
			return failed("", "read journal: %w", err)
		}
	}
	return r.times(now)
}

// around is how far from --at an act may lie.
const around = time.Minute

func (r *recalling) times(now time.Time) error {
	for _, flag := range []struct {
		name, text string
		into       *time.Time
		future     bool
	}{{"--since", r.since, &r.from, false}, {"--until", r.until, &r.to, true}, {"--at", r.at, &r.from, false}} {
		if flag.text == "" {
			continue
		}
		when, err := parseWhen(flag.text, now)
		if err != nil {
			return usage(whenHint, "%s %q: %w", flag.name, flag.text, err)
		}
		if when.After(now) && !flag.future {
			return usage(`a time of today is written 14:02, one of the day before "yesterday 14:02"`, "%s %q: %s has not come yet", flag.name, flag.text, human.Moment(when.Local()))
		}
		*flag.into = when
	}
	if r.at != "" {
		r.from, r.to = r.from.Add(-around), r.from.Add(around)
	}
	if !r.from.IsZero() && !r.to.IsZero() && !r.from.Before(r.to) {
		return usage("", "--until %q: is not after --since %q", r.until, r.since)
	}
	return nil
}

const whenHint = `2h, 7d, 14:02, "yesterday 14:02", 2026-11-20, "2026-11-20 14:02" or RFC 3339`

var errWhen = errors.New("is no time")

// parseWhen reads a time that a person types, in now's zone.
func parseWhen(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if d, err := human.ParseDuration(text); err == nil {
		if d < 0 {
			return time.Time{}, errors.New("a duration counts back from now: no sign")
		}
		return now.Add(-d), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(now.Location()), nil
	}
	if text == "now" {
		return now, nil
	}
	day, clock, behind := dayOf(text, now)
	if day.IsZero() {
		return time.Time{}, errWhen
	}
	if clock == "" && !behind {
		return day, nil
	}
	return onDay(day, clock)
}

// dayOf is the beginning of the day that a text names, today where it names
// none, and what stands behind it; zero where it names something else.
func dayOf(text string, now time.Time) (day time.Time, clock string, behind bool) {
	word, clock, behind := strings.Cut(text, " ")
	if !behind {
		word, clock, behind = strings.Cut(text, "T")
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case word == "today":
		return today, clock, behind
	case word == "yesterday":
		return today.AddDate(0, 0, -1), clock, behind
	case !behind && strings.Contains(word, ":"):
		return today, word, true
	}
	day, err := time.ParseInLocation(time.DateOnly, word, now.Location())
	if err != nil {
		return time.Time{}, "", false
	}
	return day, clock, behind
}

// onDay is a time of the clock on a day, as the clock showed it.
func onDay(day time.Time, clock string) (time.Time, error) {
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if c, err := time.Parse(layout, strings.TrimSpace(clock)); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), c.Hour(), c.Minute(), c.Second(), 0, day.Location()), nil
		}
	}
	return time.Time{}, errWhen
}

// deed is one act: its outcome, or its intention where none was written.
type deed struct {
	journal.Entry
	// Unfinished marks an act that was begun and has no outcome, or was given up
	// on by a later daemon.
	Unfinished bool `json:"unfinished,omitempty"`

	first time.Time // when the earliest of its entries was written
}

// join takes one more entry of the same act. An outcome says more than that the
// act was given up on, and that more than an intention.
func (d deed) join(entry journal.Entry) deed {
	if d.ID == "" || entry.Time.Before(d.first) {
		d.first = entry.Time
	}
	if d.ID == "" || knowledge(entry) >= knowledge(d.Entry) {
		d.Entry, d.Unfinished = entry, knowledge(entry) < knowsOutcome
	}
	return d
}

// knowsOutcome is the most that an entry knows of its act.
const knowsOutcome = 2

func knowledge(entry journal.Entry) int {
	switch {
	case entry.Phase == journal.PhaseIntend:
		return 0
	case entry.Result == journal.ResultUnfinished:
		return 1
	}
	return knowsOutcome
}

// actTime is when an act took place: when it ended, or began if its end is unknown.
func actTime(entry journal.Entry) time.Time {
	return cmp.Or(entry.BegunAt, entry.Time)
}

// history is what the journal says.
type history struct {
	path     string
	deeds    []deed // the oldest first
	torn     int
	problems []error
	missing  missing
}

// complete reports whether all that is written could be read.
func (h *history) complete() bool { return len(h.problems) == 0 && h.torn == 0 }

func (r *recalling) filter() journal.Filter {
	return journal.Filter{Since: r.from, Rule: r.rule, PID: r.pid, Name: r.name}
}

// read joins intentions and outcomes. An act belongs to the time asked for when
// its beginning or its end does, so the journal is read to its end.
func (r *recalling) read() history {
	source := journal.History{Path: journalPath(r.state)}
	h := history{path: journal.File(source.Path)}
	acts := map[string]deed{}
	for entry, err := range source.Read(r.filter()) {
		if err != nil {
			h.problems = append(h.problems, err)
			continue
		}
		acts[entry.ID] = acts[entry.ID].join(entry)
	}
	for _, d := range acts {
		if r.to.IsZero() || d.first.Before(r.to) {
			h.deeds = append(h.deeds, d)
		}
	}
	slices.SortFunc(h.deeds, func(a, b deed) int {
		return cmp.Or(actTime(a.Entry).Compare(actTime(b.Entry)), cmp.Compare(a.ID, b.ID))
	})
	h.torn = source.Torn()
	return h
}

// sums of what was done.
type sums struct {
	Reaped      int    `json:"reaped"`
	FreedBytes  uint64 `json:"freed_bytes"`
	AlreadyGone int    `json:"already_gone"`
	LeftAlone   int    `json:"left_alone"`
	Failed      int    `json:"failed"`
	Unfinished  int    `json:"unfinished"`
}

func (s *sums) add(d deed) {
	if d.Unfinished {
		s.Unfinished++
		return
	}
	switch reap.Result(d.Result) {
	case reap.ResultExited, reap.ResultKilled:
		s.Reaped++
		s.FreedBytes += d.FreedBytes
	case reap.ResultAlreadyGone:
		s.AlreadyGone++
	case reap.ResultChanged, reap.ResultRefused:
		s.LeftAlone++
	default:
		s.Failed++
		s.FreedBytes += d.FreedBytes
	}
}

// dayLine is what was done on one day.
type dayLine struct {
	Day string `json:"day"`
	sums
}

func (h *history) sums() sums {
	var all sums
	for _, d := range h.deeds {
		all.add(d)
	}
	return all
}

// byDay sums up each day, in local time, on which something was done.
func (h *history) byDay() []dayLine {
	days := []dayLine{}
	for _, d := range h.deeds {
		day := actTime(d.Entry).Local().Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Day != day {
			days = append(days, dayLine{Day: day})
		}
		days[len(days)-1].add(d)
	}
	return days
}

func (r *recalling) recall(ctx context.Context, now time.Time) error {
	h := r.read()
	h.missing = missingFrom(ctx, r.state, !h.complete())
	err := r.answer(func(w io.Writer) error { return r.tell(w, &h, now) }, func() ([]byte, error) { return r.encode(&h) })
	if err != nil {
		return err
	}
	r.remarks(&h, now)
	if len(h.problems) > 0 {
		return exitWith(exitIncomplete)
	}
	return nil
}

func (r *recalling) encode(h *history) ([]byte, error) {
	document := map[string]any{
		"version": 1, "journal": h.path, "complete": h.complete() && h.missing.unwritten == 0, "torn_lines": h.torn,
		"unwritten": h.missing.unwritten,
		"summary":   h.sums(), "days": h.byDay(),
	}
	if !r.days {
		document["entries"] = append([]deed{}, h.deeds...)
	}
	return json.Marshal(document)
}

func (r *recalling) tell(w io.Writer, h *history, now time.Time) error {
	if len(h.deeds) == 0 {
		fmt.Fprintln(r.err, r.nothing(h))
		return nil
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", r.headline(h)); err != nil {
		return err
	}
	if r.days {
		return r.writeRows(w, dayRows(h.byDay()))
	}
	rows := [][]string{{"WHEN", "OUTCOME", "FREED", "WHAT", "RULE", "WHY"}}
	isAt := underWay(now)
	for _, d := range h.deeds {
		rows = append(rows, deedRow(d, isAt(d)))
	}
	return r.writeRows(w, rows)
}

// headline is the answer in one line.
func (r *recalling) headline(h *history) string {
	all := h.sums()
	text := human.Number(all.Reaped) + " reaped" + r.period()
	if all.FreedBytes > 0 {
		text += ", " + human.Bytes(all.FreedBytes) + " given back"
	}
	for _, part := range []struct {
		n    int
		what string
	}{{all.AlreadyGone, "had ended already"}, {all.LeftAlone, "left alone"}, {all.Failed, "failed or escaped"}, {all.Unfinished, "unfinished"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %s", human.Number(part.n), part.what)
		}
	}
	return text + "."
}

// period is the time asked for, as it goes behind a verb.
func (r *recalling) period() string {
	switch {
	case r.at != "":
		return " within a minute of " + human.Moment(r.from.Add(around).Local())
	case !r.from.IsZero() && !r.to.IsZero():
		return " from " + human.Moment(r.from.Local()) + " to " + human.Moment(r.to.Local())
	case !r.from.IsZero():
		return " since " + human.Moment(r.from.Local())
	case !r.to.IsZero():
		return " before " + human.Moment(r.to.Local())
	}
	return ""
}

// nothing says that nothing was done, as far as it can be known.
func (r *recalling) nothing(h *history) string {
	what := "anything"
	switch {
	case r.pid > 0:
		what = fmt.Sprintf("process %d", r.pid)
	case r.name != "":
		what = fmt.Sprintf("anything named %s", r.name)
	}
	if r.rule != "" {
		what += " by rule " + r.rule
	}
	denial, silence := "reaperd never touched "+what, "the journal tells of nothing done to "+what
	if period := r.period(); period != "" {
		denial, silence = "reaperd did not touch "+what+period, silence+period
	}
	if _, err := os.Stat(h.path); err != nil {
		where := ": there is no journal at " + h.path
		denial, silence = denial+where, silence+where
	}
	return h.missing.untouched(denial, silence) + "."
}

// missing is why a journal that does not name something proves nothing.
type missing struct {
	unread    bool   // lines that were cut short, or files that could not be read
	foreign   bool   // the system daemon keeps a journal of its own, which was not read
	unwritten uint64 // entries that the daemon that runs could not write
}

// missingFrom is what is missing from the journal of this user, or the one that
// was named, after it was read.
func missingFrom(ctx context.Context, named string, unread bool) missing {
	_, foreign := foreignDaemon()
	return missing{unread: unread, foreign: foreign && named == "", unwritten: unwritten(ctx)}
}

// askWait is how long the daemon may take to say what it could not write.
const askWait = 2 * time.Second

// unwritten is how many entries the daemon of this user could not write since it
// runs; 0 where none runs, or it does not say.
func unwritten(ctx context.Context) uint64 {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	data, err := serve.Status(ctx, stateDir().Socket())
	var is serve.State
	if err != nil || json.Unmarshal(data, &is) != nil {
		return 0
	}
	return is.JournalWriteErrors
}

// none reports that nothing is missing: what the journal does not tell was not done.
func (m missing) none() bool { return m == missing{} }

// untouched is what can be said of what no entry names: the denial, or, where
// reaperd may have touched it all the same, only that the journal is silent.
func (m missing) untouched(denial, silence string) string {
	text := denial
	if m.foreign || m.unwritten > 0 {
		text = silence
	}
	if m.unread {
		text += ", as far as its journal can be read"
	}
	if m.unwritten > 0 {
		text += "; " + m.unwrittenText()
	}
	return text
}

func (m missing) unwrittenText() string {
	return fmt.Sprintf("the daemon could not write %d entries to its journal", m.unwritten)
}

// remarks are what else there is to say about an answer.
func (r *recalling) remarks(h *history, now time.Time) {
	for _, problem := range h.problems {
		fmt.Fprintf(r.err, "warning: %v\n", problem)
	}
	if h.torn > 0 {
		fmt.Fprintf(r.err, "warning: journal %s: %d lines were cut short and are left out\n", h.path, h.torn)
	}
	if h.missing.unwritten > 0 && len(h.deeds) > 0 {
		fmt.Fprintf(r.err, "warning: %s: acts may be missing here\n", h.missing.unwrittenText())
	}
	if n := h.sums().Unfinished; n > 0 {
		fmt.Fprintf(r.err, "note: %d begun and not finished: reaperd was ended in between, or is at it\n", n)
	}
	if system, _ := foreignDaemon(); h.missing.foreign {
		fmt.Fprintf(r.err, "note: the system daemon (process %d) keeps a journal of its own: sudo reaperd history\n", system.PID)
	}
	if (r.pid > 0 || r.at != "") && h.sums().Reaped > 0 {
		fmt.Fprintln(r.err, "To reconnect a server in Claude Code: /mcp")
	}
}

func dayRows(days []dayLine) [][]string {
	rows := [][]string{{"DAY", "REAPED", "FREED", "GONE BEFORE", "LEFT ALONE", "FAILED", "UNFINISHED"}}
	for _, d := range days {
		row := []string{d.Day, human.Number(d.Reaped), human.Bytes(d.FreedBytes)}
		for _, n := range []int{d.AlreadyGone, d.LeftAlone, d.Failed, d.Unfinished} {
			row = append(row, human.Number(n))
		}
		rows = append(rows, row)
	}
	return rows
}

// stillAt is for how long an act without an outcome may be under way.
const stillAt = 2 * time.Minute

// underWay tells which acts somebody may still be at: those that were begun a
// short while ago, by the daemon that runs.
func underWay(now time.Time) func(deed) bool {
	daemon, running, err := stateDir().Daemon()
	return func(d deed) bool {
		return d.Phase == journal.PhaseIntend && running && err == nil && now.Sub(d.Time) < stillAt && !d.Time.Before(daemon.Since)
	}
}

// deedRow is one act, whole: when, what came of it, what, by which rule, why.
func deedRow(d deed, underWay bool) []string {
	outcome, freed := d.Result, ""
	switch {
	case underWay:
		outcome = "under way"
	case d.Unfinished:
		outcome = "unfinished"
	}
	if d.FreedBytes > 0 {
		freed = human.Bytes(d.FreedBytes)
	}
	return []string{human.Moment(actTime(d.Entry).Local()), human.Safe(outcome), freed, whatText(d.Entry), human.Safe(d.Rule), human.Safe(whyText(d.Entry))}
}

func whatText(e journal.Entry) string {
	text := human.Safe(e.Name + " " + shortID(e.TargetID))
	if n := len(e.Tree) + e.TreeOmitted; n > 1 {
		text += fmt.Sprintf(" (%d processes)", n)
	}
	return text
}

// whyText is what was found, since when, whose it was, and what proved it.
func whyText(e journal.Entry) string {
	var parts []string
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if e.Finding != "" {
		finding := e.Finding
		if !e.FindingSince.IsZero() {
			finding += " since " + human.Moment(e.FindingSince.Local())
		}
		parts = append(parts, finding)
	}
	if e.Owner != "" {
		parts = append(parts, "owner "+e.Owner)
	}
	for _, line := range e.Evidence {
		if line.Proof {
			parts = append(parts, line.Text)
		}
	}
	return strings.Join(parts, "; ")
}

// tail shows what was done and then what is done, until it is interrupted, which
// is how it ends.
func (r *recalling) tail(ctx context.Context) error {
	source := journal.History{Path: journalPath(r.state)}
	said := ""
	for entry, err := range source.Follow(ctx, r.filter()) {
		if err != nil {
			if said != err.Error() {
				said = err.Error()
				fmt.Fprintf(r.err, "warning: %v\n", err)
			}
			continue
		}
		if err := r.tailLine(entry); err != nil {
			return failed("", "%w", err)
		}
	}
	return nil
}

// tailLine writes one entry: as JSON every one, for a person what came of an act.
func (r *recalling) tailLine(entry journal.Entry) error {
	if r.output == "json" {
		data, err := json.Marshal(entry)
		if err == nil {
			_, err = r.out.Write(append(human.EscapeJSON(data), '\n'))
		}
		return err
	}
	if entry.Phase != journal.PhaseOutcome {
		return nil
	}
	row := deedRow(deed{Entry: entry}, false)
	line := fmt.Sprintf("%s  %-12s  %7s  %s  %s  %s", row[0], row[1], row[2], row[3], row[4], row[5])
	_, err := fmt.Fprintln(r.out, r.fit(line))
	return err
}

// fit cuts a line to a terminal's width; a pipe and -o wide get all of it.
func (l *looking) fit(line string) string {
	line = strings.TrimRight(line, " ")
	if l.output == "wide" || !isTerminal(l.out) {
		return line
	}
	return ansi.Truncate(line, l.width(), "…")
}

// writeRows writes rows of equally many cells in columns.
func (l *looking) writeRows(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i > 0 {
				line += "  "
			}
			line += cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
		}
		if _, err := fmt.Fprintln(w, l.fit(line)); err != nil {
			return err
		}
	}
	return nil
}
