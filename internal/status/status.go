// Package status writes the daemon's state for `reaperd status`. The daemon sends it over
// its socket ([serve.State]).
package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// IsPaused replaces the pause in the answer, which is that of the last sweep, by the
// present one.
func IsPaused(is *serve.State, dir state.Dir, now time.Time) {
	if pause, paused, err := dir.Paused(now); err == nil {
		is.Paused, is.PausedUntil, is.PauseReason = paused, pause.Until, pause.Reason
	}
}

// JSON returns the daemon's own answer, with the faults and the pause that the tool
// found. Keys unknown to the tool stay in it.
func JSON(data []byte, is *serve.State, faults []string) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	document["running"], document["state_faults"], document["paused"] = true, faults, is.Paused
	delete(document, "paused_until")
	delete(document, "pause_reason")
	if !is.PausedUntil.IsZero() {
		document["paused_until"] = is.PausedUntil
	}
	if is.PauseReason != "" {
		document["pause_reason"] = is.PauseReason
	}
	return json.Marshal(document)
}

// View is what Write needs beside the daemon's answer: the faults of its state directory
// ([state.Dir.Faults]), the time, the width of the output, and the reader's home folder.
type View struct {
	Faults []string
	Now    time.Time
	Width  int
	Home   human.Home
}

// line is a heading with its text.
type line struct{ head, text string }

// Write writes the state of the daemon.
func Write(w io.Writer, is *serve.State, view View) error {
	faults, now := view.Faults, view.Now
	well := "it is well"
	switch {
	case !Acts(is, faults):
		well = "IT IS NOT WELL: " + whyNot(is, faults)
	case isRefused(is.Policy):
		well += ", but " + refused
	}
	lines := []line{{"reaperd", fmt.Sprintf("%s, process %d, up %s, mode %s: %s",
		cmp.Or(is.Build.Version, "devel"), is.PID, human.Span(now.Sub(is.StartedAt)), is.Mode, human.Safe(well))}}
	for _, fault := range causes(is, faults) {
		lines = append(lines, line{"FAULT", fault})
	}
	lines = append(lines, pauseLines(is)...)
	lines = append(lines, policyLines(is.Policy, view.Home)...)
	lines = append(lines, sourceLines(is)...)
	lines = append(lines, sweepLines(is, now)...)
	lines = append(lines, foundLines(is, now)...)
	lines = append(lines, doneLines(is)...)
	return writeLines(w, lines, view.Width)
}

// causes are the faults that the tool sees in the state directory, and those that the
// daemon tells, each once.
func causes(is *serve.State, faults []string) []string {
	all := append(slices.Clone(faults), is.Faults...)
	slices.Sort(all)
	return slices.Compact(all)
}

// whyNot is why a daemon acts on nothing.
func whyNot(is *serve.State, faults []string) string {
	if len(faults) > 0 {
		return "its state cannot be read"
	}
	return cmp.Or(is.NotReady, "it does not say why")
}

// writeLines writes the lines. Of several lines with one heading, only the first shows
// it.
func writeLines(w io.Writer, lines []line, width int) error {
	before := ""
	for _, l := range lines {
		head := l.head
		if head == before {
			head = ""
		}
		before = l.head
		if _, err := fmt.Fprintln(w, report.Hang(fmt.Sprintf("%-8s  ", head), human.Safe(l.text), width)); err != nil {
			return err
		}
	}
	return nil
}

func pauseLines(is *serve.State) []line {
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
	return []line{{"PAUSED", until + ": nothing is reaped; reaperd resume ends it"}}
}

func sourceLines(is *serve.State) []line {
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
	return []line{{"sources", strings.Join(parts, " · ")}}
}

func sweepLines(is *serve.State, now time.Time) []line {
	text := "none yet"
	if last := is.LastSweep; last != nil {
		text = fmt.Sprintf("last %s ago (%s, %s, %s)", human.Span(now.Sub(last.At)), last.Trigger, last.Result, human.Took(last.Duration()))
		if last.Why != "" {
			text += ": " + last.Why
		}
	}
	switch wait := is.NextSweep.Sub(now); {
	case is.NextSweep.IsZero():
	case wait < time.Second:
		text += ", next within 1s"
	default:
		text += ", next in " + human.Span(wait)
	}
	return []line{{"sweeps", text}}
}

// mostPending is how many pending things are shown by name.
const mostPending = 10

func foundLines(is *serve.State, now time.Time) []line {
	lines := []line{{"in use", human.Number(is.TargetsInUse) + ": reaperd scan"}}
	for _, idle := range []bool{false, true} {
		for _, client := range is.InUse {
			if client.Idle == idle {
				lines = append(lines, clientLine(client))
			}
		}
	}
	for _, count := range is.Findings {
		if count.Finding == graph.FindingIdle && count.Decision == policy.Keep.String() {
			continue // its session has a line
		}
		of := ""
		if count.Client != "" && count.Client != "none" {
			of = " of " + count.Client
		}
		lines = append(lines, line{"found", fmt.Sprintf("%d × %s %s%s: %s", count.Number, count.Finding, count.Kind, of, cameOf(count, is))})
	}
	if n := len(is.UnderWay); n > 0 {
		lines = append(lines, line{"acting", fmt.Sprintf("%s under way: %s is being stopped (rule %s)%s", human.Count(n, "act"), is.UnderWay[0].Name, is.UnderWay[0].Rule, more(n-1))})
	}
	for i, pending := range is.Pending {
		if i == mostPending {
			lines = append(lines, line{"pending", fmt.Sprintf("and %d more", len(is.Pending)-i)})
			break
		}
		due := ""
		if !pending.DueAt.IsZero() {
			due = dueText(pending.DueAt.Sub(now), is.Paused)
		}
		lines = append(lines, line{"pending", fmt.Sprintf("%s %s%s (rule %s)", pending.Name, cmp.Or(human.Safe(pending.Container), human.Handle(pending.ID)), due, pending.Rule)})
	}
	if slices.ContainsFunc(is.Findings, isPendingOfNobody) && !is.Paused { // else sweep refuses
		lines = append(lines, line{"stop now", "reaperd sweep --now"})
	}
	return lines
}

// dueText tells when a pending thing goes, or would go but for a pause.
func dueText(left time.Duration, paused bool) string {
	switch {
	case paused && left <= 0:
		return " due, but it is paused"
	case paused:
		return " due in " + human.Span(left) + ", but it is paused"
	}
	return " in " + human.Span(left)
}

// isPendingOfNobody reports things that `sweep --now` does not let wait.
func isPendingOfNobody(count serve.Count) bool {
	return count.Decision == policy.Pending.String() && (count.Finding == graph.FindingOrphaned || count.Finding == graph.FindingExited)
}

// more says that n others are not shown by name.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + human.Number(n) + " more"
}

// cameOf returns the decision about a finding: "would be reaped" if the daemon does not
// act.
func cameOf(count serve.Count, is *serve.State) string {
	switch came := count.Came(); came {
	case policy.Reap.String():
	case policy.Keep.String():
		return "left alone"
	default:
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

func doneLines(is *serve.State) []line {
	lines := []line{{"today", fmt.Sprintf("%s reaped%s", human.Number(is.ReapedToday), bytesBehind(is.FreedTodayBytes))}}
	if len(is.LastActs) > 0 {
		act := is.LastActs[0]
		lines = append(lines, line{"last act", fmt.Sprintf("%s %s: %s %s (rule %s)", human.Moment(act.At.Local()), act.Outcome, act.Name, human.Handle(act.Target), act.Rule)})
	}
	if is.Pins > 0 {
		lines = append(lines, line{"pins", fmt.Sprintf("%d: reaperd pins", is.Pins)})
	}
	if is.JournalWriteErrors > 0 {
		lines = append(lines, line{"FAULT", fmt.Sprintf("the journal could not be written %d times", is.JournalWriteErrors)})
	}
	return append(lines, line{"listens", cmp.Or(is.Listen, "on its socket alone")})
}

// clientLine describes a session: its servers, and for how long it has been idle.
func clientLine(c serve.Client) line {
	has := human.Count(c.Servers, "server")
	if c.Servers == 0 {
		has = "no servers"
	}
	has += bytesBehind(c.MemoryBytes)
	if !c.Idle || c.IdleSeconds == nil {
		return line{"session", fmt.Sprintf("%s %d with %s", c.Name, c.PID, has)}
	}
	more := ""
	if c.IdleAtLeast {
		more = " or more"
	}
	span := human.Span(time.Duration(*c.IdleSeconds * float64(time.Second)))
	return line{"idle", fmt.Sprintf("%s %d for %s%s with %s", c.Name, c.PID, span, more, has)}
}
