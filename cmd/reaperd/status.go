package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// exitNotRunning is status's code where no daemon runs.
const exitNotRunning = 3

func newStatus(s *shared) *cobra.Command {
	l := &looking{shared: s}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the daemon is and what it is about to do",
		Long: `Asks the daemon of this user over its socket. Exit code: 0 it is well, 1 it is not or does
not answer, 3 it does not run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return err
			}
			return l.status(cmd.Context(), time.Now())
		},
	}
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: table, json or yaml")
	return cmd
}

func (l *looking) status(ctx context.Context, now time.Time) error {
	dir := stateDir()
	data, err := serve.Status(ctx, dir.Socket())
	switch {
	case errors.Is(err, serve.ErrNotRunning):
		return l.noAnswer(dir)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed("", "%w", err)
	}
	var is serve.State
	if err := json.Unmarshal(data, &is); err != nil {
		return failed("are tool and daemon of the same version? reaperd version", "read the daemon's answer: %w", err)
	}
	faults := stateFaults(dir, now)
	if err := l.answer(func(w io.Writer) error { return writeStatus(w, &is, faults, now) },
		func() ([]byte, error) { return asRunning(data, faults) }); err != nil {
		return err
	}
	if !is.Ready || len(faults) > 0 {
		return exitWith(exitFailed)
	}
	return nil
}

// stateFaults are files that keep the daemon from acting.
func stateFaults(dir state.Dir, now time.Time) []string {
	faults := []string{}
	if _, err := dir.Pins("", now); err != nil {
		faults = append(faults, err.Error()+": everything is kept until it is mended")
	}
	if _, _, err := dir.Paused(now); err != nil {
		faults = append(faults, err.Error()+": nothing is reaped until it is mended, or reaperd resume")
	}
	return faults
}

// asRunning is the daemon's own answer, with what the tool found.
func asRunning(data []byte, faults []string) ([]byte, error) {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	document["running"] = json.RawMessage("true")
	var err error
	if document["state_faults"], err = json.Marshal(faults); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// noAnswer tells a daemon that does not run from one that does not answer.
func (l *looking) noAnswer(dir state.Dir) error {
	daemon, running, err := dir.Daemon()
	if err != nil {
		return failed("", "%w", err)
	}
	if running {
		return failed("its log says why", "a daemon runs (process %d, since %s) and does not answer in %s", daemon.PID, human.Moment(daemon.Since.Local()), dir)
	}
	err = l.answer(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "reaperd is not running.")
		return err
	}, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": serve.Version, "running": false})
	})
	if err != nil {
		return err
	}
	if system, runs := foreignDaemon(); runs {
		fmt.Fprintf(l.err, "note: a system daemon runs (process %d): sudo reaperd status\n", system.PID)
	} else {
		fmt.Fprintln(l.err, "hint: reaperd run   starts it here; reaperd install shows how it starts by itself")
	}
	return exitWith(exitNotRunning)
}

// statusLine is a heading and what stands beside it.
type statusLine struct{ head, text string }

func writeStatus(w io.Writer, is *serve.State, faults []string, now time.Time) error {
	well := "it is well"
	if !is.Ready {
		well = "IT IS NOT WELL: " + cmp.Or(is.NotReady, "it does not say why")
	}
	if len(faults) > 0 {
		well = "IT IS NOT WELL: its state cannot be read"
	}
	lines := []statusLine{{"reaperd", fmt.Sprintf("%s, process %d, up %s, mode %s: %s",
		cmp.Or(is.Build.Version, "devel"), is.PID, human.Span(now.Sub(is.StartedAt)), is.Mode, human.Safe(well))}}
	for _, fault := range faults {
		lines = append(lines, statusLine{"FAULT", fault})
	}
	lines = append(lines, pauseLines(is)...)
	lines = append(lines, policyLines(is)...)
	lines = append(lines, sourceLines(is)...)
	lines = append(lines, sweepLines(is, now)...)
	lines = append(lines, foundLines(is, now)...)
	lines = append(lines, doneLines(is)...)
	return writeLines(w, lines)
}

// writeLines writes each heading once.
func writeLines(w io.Writer, lines []statusLine) error {
	before := ""
	for _, line := range lines {
		head := line.head
		if head == before {
			head = ""
		}
		before = line.head
		if _, err := fmt.Fprintf(w, "%-8s  %s\n", head, human.Safe(line.text)); err != nil {
			return err
		}
	}
	return nil
}

func pauseLines(is *serve.State) []statusLine {
	if !is.Paused {
		return nil
	}
	until := "until it is resumed"
	if !is.PausedUntil.IsZero() {
		until = "until " + human.Moment(is.PausedUntil.Local())
	}
	if is.PauseReason != "" {
		until += " (" + is.PauseReason + ")"
	}
	return []statusLine{{"PAUSED", until + ": nothing is reaped; reaperd resume ends it"}}
}

func policyLines(is *serve.State) []statusLine {
	hash := is.Policy.SHA256
	lines := []statusLine{{"policy", cmp.Or(is.Policy.Source, "none yet") + " sha256 " + cmp.Or(hash[:min(12, len(hash))], "–")}}
	for _, fault := range is.Policy.Faults {
		lines = append(lines, statusLine{"FAULT", fault})
	}
	return lines
}

func sourceLines(is *serve.State) []statusLine {
	var parts []string
	for _, source := range is.Sources {
		text := strings.TrimSpace(source.Name+" "+source.Endpoint) + " " + string(source.Status)
		if source.Reason != "" {
			text += " (" + source.Reason + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return nil
	}
	return []statusLine{{"sources", strings.Join(parts, " · ")}}
}

func sweepLines(is *serve.State, now time.Time) []statusLine {
	text := "none yet"
	if last := is.LastSweep; last != nil {
		text = fmt.Sprintf("last %s ago (%s, %s, %s)", human.Span(now.Sub(last.At)), last.Trigger, last.Result, human.Took(last.Duration()))
		if last.Why != "" {
			text += ": " + last.Why
		}
	}
	if !is.NextSweep.IsZero() {
		text += ", next in " + human.Span(is.NextSweep.Sub(now))
	}
	return []statusLine{{"sweeps", text}}
}

// mostPending is how many pending things are shown by name.
const mostPending = 10

func foundLines(is *serve.State, now time.Time) []statusLine {
	var lines []statusLine
	for _, client := range is.InUse {
		lines = append(lines, statusLine{"in use", fmt.Sprintf("%s %d with %d servers%s", client.Name, client.PID, client.Servers, bytesBehind(client.MemoryBytes))})
	}
	for _, count := range is.Findings {
		of := ""
		if count.Client != "" && count.Client != "none" {
			of = " of " + count.Client
		}
		lines = append(lines, statusLine{"found", fmt.Sprintf("%d × %s %s%s: %s", count.Number, count.Finding, count.Kind, of, cameOf(count, is))})
	}
	if n := len(is.UnderWay); n > 0 {
		lines = append(lines, statusLine{"acting", fmt.Sprintf("%s under way: %s is being ended (rule %s)%s", human.Count(n, "act"), is.UnderWay[0].Name, is.UnderWay[0].Rule, more(n-1))})
	}
	for i, pending := range is.Pending {
		if i == mostPending {
			lines = append(lines, statusLine{"pending", fmt.Sprintf("and %d more", len(is.Pending)-i)})
			break
		}
		due := ""
		if !pending.DueAt.IsZero() {
			due = " in " + human.Span(pending.DueAt.Sub(now))
		}
		lines = append(lines, statusLine{"pending", fmt.Sprintf("%s %s%s (rule %s)", pending.Name, shortID(pending.ID), due, pending.Rule)})
	}
	return lines
}

// more is that so many others are not named.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + human.Number(n) + " more"
}

// cameOf is what came of a finding; what is due but not acted on would be reaped.
func cameOf(count serve.Count, is *serve.State) string {
	if came := count.Came(); came != policy.Reap.String() {
		return came
	}
	switch {
	case is.Mode == policy.ModeReport:
		return "would be reaped, but the mode is report"
	case is.Paused:
		return "would be reaped, but it is paused"
	}
	return policy.Reap.String()
}

func bytesBehind(n uint64) string {
	if n == 0 {
		return ""
	}
	return ", " + human.Bytes(n)
}

func doneLines(is *serve.State) []statusLine {
	lines := []statusLine{{"today", fmt.Sprintf("%s reaped%s", human.Number(is.ReapedToday), bytesBehind(is.FreedTodayBytes))}}
	if len(is.LastActs) > 0 {
		act := is.LastActs[0]
		lines = append(lines, statusLine{"last act", fmt.Sprintf("%s %s: %s %s (rule %s)", human.Moment(act.At.Local()), act.Outcome, act.Name, shortID(act.Target), act.Rule)})
	}
	if is.Pins > 0 {
		lines = append(lines, statusLine{"pins", fmt.Sprintf("%d: reaperd pins", is.Pins)})
	}
	if is.JournalWriteErrors > 0 {
		lines = append(lines, statusLine{"FAULT", fmt.Sprintf("the journal could not be written %d times", is.JournalWriteErrors)})
	}
	return append(lines, statusLine{"listens", cmp.Or(is.Listen, "on its socket alone")})
}
