// Package status writes the daemon's state for `reaperd status`. The daemon sends it over
// its socket ([serve.State]).
package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
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

// JSON returns the daemon's own answer, with the faults, the pause and the pins that the tool
// found. Keys unknown to the tool stay in it. Where root's daemon decides, the times at which this
// one's would go are left out: nobody but root is told them.
func JSON(data []byte, is *serve.State, view View) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	document["running"], document["state_faults"], document["paused"], document["pins"] = true, view.Faults, is.Paused, is.Pins
	whose := whoseIn(is, view)
	if whose.upTo(is) != "" {
		leaveOutDue(document)
	}
	if _, runs := view.Beside.Of(0); !runs {
		if after, ended := is.AfterRoots(runs); ended {
			document["next_mode"] = after.Mode
		}
	}
	if whose.roots != nil {
		limitToOwn(document)
	}
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

// leaveOutDue deletes the times at which things go.
func leaveOutDue(document map[string]any) {
	for list, key := range map[string]string{"pending": "due_at", "due": "due_at", "resting": "due_at", "in_use": "stops_at"} {
		things, _ := document[list].([]any)
		for _, thing := range things {
			if fields, is := thing.(map[string]any); is {
				delete(fields, key)
			}
		}
	}
}

// limitToOwn adds, to why things stay which only a user's own policy keeps, that it does so in that user's sweeps only.
func limitToOwn(document map[string]any) {
	stays, _ := document["stays"].([]any)
	for _, stay := range stays {
		fields, _ := stay.(map[string]any)
		if why, isText := fields["why"].(string); isText && fields["own_policy"] == true {
			fields["why"] = why + beside.OnlyInOwn
		}
	}
}

// View is what Write needs beside the daemon's answer: the faults of its state directory
// ([state.Dir.Faults]), the daemons of other users beside it, how many pins hold no longer, the time,
// the width of the output, and the reader's home folder.
type View struct {
	Faults    []string
	Beside    beside.Daemons
	PinsEnded int
	// RootsRests is as in [Absent], of root's daemon among those beside.
	RootsRests string
	Now        time.Time
	Width      int
	Home       human.Home
}

// line is a heading with its text.
type line struct{ head, text string }

// Write writes the state of the daemon.
func Write(w io.Writer, is *serve.State, view View) error {
	condition, now := Of(is, view.Faults, view.Now), view.Now
	mode := modeText(is)
	if _, runs := view.Beside.Of(0); !runs {
		is, mode = afterRoots(is, mode, now)
	}
	lines := []line{{"reaperd", fmt.Sprintf("%s, process %d, up %s%s: %s",
		cmp.Or(is.Build.Version, "devel"), is.PID, human.Span(now.Sub(is.StartedAt)), mode, human.Safe(condition.sentence()))}}
	for _, fault := range condition.causes() {
		lines = append(lines, line{"FAULT", fault})
	}
	if is.NoRoomIn != "" {
		lines = append(lines, line{"FAULT", NoRoom(is.NoRoomIn, is.Ready) + "; make room on the disk"})
	}
	if roots, runs := view.Beside.Of(0); runs {
		lines = append(lines, line{"beside", roots.After() + butRests(view.RootsRests) + ": " + roots.Command("reaperd status")})
	}
	lines = append(lines, pauseLines(is, view.Beside, now)...)
	lines = append(lines, policyLines(is.Policy, view.Home)...)
	lines = append(lines, sourceLines(is)...)
	lines = append(lines, sweepLines(is, now)...)
	lines = append(lines, foundLines(is, whoseIn(is, view), now)...)
	lines = append(lines, doneLines(is, view.PinsEnded)...)
	return writeLines(w, lines, view.Width)
}

// modeText is the mode; empty before the first policy.
func modeText(is *serve.State) string {
	if is.Policy.SHA256 == "" {
		return ""
	}
	return ", mode " + is.ModeText()
}

// afterRoots is the state and the mode of a daemon where none of root's runs: of one that only reports because root's ran,
// what comes with its next look.
func afterRoots(is *serve.State, mode string, now time.Time) (*serve.State, string) {
	after, ended := is.AfterRoots(false)
	if !ended {
		return is, mode
	}
	when := ""
	if wait := is.NextLook().Sub(now); !is.NextLook().IsZero() {
		when = ", in " + human.ToGo(max(time.Second, wait))
	}
	return after, fmt.Sprintf(", mode %s (root's daemon has ended: it goes by its policy again, mode %s, with the next look%s)", is.Mode, after.Mode, when)
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

func pauseLines(is *serve.State, others beside.Daemons, now time.Time) []line {
	if !is.Paused {
		return nil
	}
	pause := state.Pause{Until: is.PausedUntil, Reason: is.PauseReason}
	return []line{{"PAUSED", pause.Told(others, now)}}
}

func sourceLines(is *serve.State) []line {
	var parts []string
	for _, source := range is.Sources {
		text := strings.TrimSpace(source.Called()+" "+source.Endpoint) + " " + string(source.Status)
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

// ago is how long ago something was.
func ago(since time.Duration) string {
	if since < time.Second {
		return "just now"
	}
	return human.Span(since) + " ago"
}

func sweepLines(is *serve.State, now time.Time) []line {
	text := "none yet"
	if last := is.LastSweep; last != nil {
		text = fmt.Sprintf("last %s (%s, %s, %s)", ago(now.Sub(last.At)), last.Trigger.Text(), last.Result, human.Took(last.Duration()))
		if last.Why != "" {
			text += ": " + last.Why
		}
	}
	switch wait := is.NextSweep.Sub(now); {
	case is.NextSweep.IsZero():
	case wait < time.Second:
		text += ", next within 1s"
	default:
		text += ", next in " + human.ToGo(wait)
	}
	return []line{{"sweeps", text}}
}

func freedBehind(n uint64) string {
	if n == 0 {
		return ""
	}
	return bytesBehind(n) + " freed"
}

func bytesBehind(n uint64) string {
	if n == 0 {
		return ""
	}
	return ", " + human.Bytes(n)
}

// pinsText counts the pins as they are listed, and those of users that hold for root; empty if there are none.
func pinsText(hold, ended, users int) string {
	var parts []string
	switch {
	case ended > 0:
		parts = append(parts, fmt.Sprintf("%d, %d of which %s no longer", hold+ended, ended, human.Verb(ended, "holds", "hold")))
	case hold > 0:
		parts = append(parts, human.Number(hold))
	}
	if users > 0 {
		parts = append(parts, human.Number(users)+" of "+human.Verb(users, "a user", "users"))
	}
	return strings.Join(parts, ", and ")
}

func doneLines(is *serve.State, pinsEnded int) []line {
	lines := []line{{"today", human.Number(is.ReapedToday) + " reaped" + freedBehind(is.FreedTodayBytes)}}
	if len(is.LastActs) > 0 {
		act := is.LastActs[0]
		lines = append(lines, line{"last act", fmt.Sprintf("%s %s: %s %s (rule %s)", human.Moment(act.At.Local()), act.Outcome, act.Name, human.Safe(cmp.Or(act.Handle, human.Handle(act.Target))), done.By(act.Rule, act.ByHand))})
	}
	if text := pinsText(is.Pins, pinsEnded, is.UsersPins); text != "" {
		lines = append(lines, line{"pins", text + ": reaperd pins"})
	}
	if is.JournalWriteErrors > 0 && is.Ready { // else it is among the causes
		lines = append(lines, line{"journal", "could not be written " + human.Count(int(is.JournalWriteErrors), "time") + moment(", the last time ", is.JournalFailedAt) + "; it takes records again"})
	}
	return append(lines, line{"listens", cmp.Or(is.Listen, "on its socket alone")})
}
