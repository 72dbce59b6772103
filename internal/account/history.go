package account

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// HistoryOf is what the entries of a journal, in any order, tell about a period.
func HistoryOf(entries []journal.Entry, query Period, home human.Home) *History {
	acts := slices.DeleteFunc(recorded(entries), func(act RecordedAct) bool { return !query.has(&act) })
	h := &History{Version: Version, Complete: true, Days: []Day{}, Lines: []HistoryLine{}}
	for i := range acts {
		h.add(&acts[i], query.Now.Location())
	}
	if n := query.Newest; n > 0 && n < len(acts) {
		h.Older, acts = len(acts)-n, acts[len(acts)-n:]
	}
	h.Entries = acts
	for _, group := range grouped(acts) {
		h.Lines = append(h.Lines, group.line(home))
	}
	slices.SortStableFunc(h.Lines, func(x, y HistoryLine) int { return y.At.Compare(x.At) })
	return h
}

// recorded joins the entries of each act, the oldest act first.
func recorded(entries []journal.Entry) []RecordedAct {
	byID := map[string]*RecordedAct{}
	var acts []*RecordedAct
	for _, entry := range entries {
		act := byID[entry.ID]
		if act == nil {
			act = &RecordedAct{Entry: entry, began: entry.Time}
			byID[entry.ID], acts = act, append(acts, act)
		}
		if entry.Time.Before(act.began) {
			act.began = entry.Time
		}
		if knowledge(entry) >= knowledge(act.Entry) {
			act.Entry, act.Unfinished = entry, knowledge(entry) < knowsOutcome
		}
	}
	slices.SortStableFunc(acts, func(x, y *RecordedAct) int { return cmp.Or(x.At().Compare(y.At()), cmp.Compare(x.ID, y.ID)) })
	out, ended := make([]RecordedAct, 0, len(acts)), map[string]time.Time{}
	for _, act := range acts {
		target := act.BootID + " " + act.TargetID
		if end, before := ended[target]; act.reaped() && before && act.began.Before(end) {
			act.Again = true
		} else if act.reaped() {
			ended[target] = act.At()
		}
		out = append(out, *act)
	}
	return out
}

// knowsOutcome is the most that an entry tells of its act.
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

// At is when the act ended or, if that is unknown, when it began.
func (r *RecordedAct) At() time.Time { return cmp.Or(r.BegunAt, r.Time) }

func (r *RecordedAct) reaped() bool { return !r.Unfinished && human.Result(r.Result).Reaped() }

func (p Period) has(act *RecordedAct) bool {
	thing := thingOf(&act.Entry)
	return (p.Since.IsZero() || !act.At().Before(p.Since)) && (p.Until.IsZero() || act.At().Before(p.Until)) &&
		(p.Rule == "" || p.Rule == act.Rule) && (p.PID == 0 || thing.Is(strconv.Itoa(p.PID))) && (p.Name == "" || thing.IsMeant(p.Name))
}

// thingOf is what an entry is about, as a word means it.
func thingOf(entry *journal.Entry) Subject {
	thing := Subject{ID: entry.TargetID, Name: entry.Name, Members: entry.Parts()}
	if c := entry.Container; c != nil {
		thing.Container = strings.TrimPrefix(c.Name, "/")
	}
	return thing
}

// Called is the name of what was acted on, with the word that tells it from others.
func (r *RecordedAct) Called() string { return human.Safe(called(r.Name, thingOf(&r.Entry).Handle())) }

// add counts an act, and in its day.
func (h *History) add(act *RecordedAct, zone *time.Location) {
	day := act.At().In(zone).Format(time.DateOnly)
	if n := len(h.Days); n == 0 || h.Days[n-1].Day != day {
		h.Days = append(h.Days, Day{Day: day})
	}
	h.Summary.add(act)
	h.Days[len(h.Days)-1].add(act)
}

func (s *Sums) add(act *RecordedAct) {
	switch result := human.Result(act.Result); {
	case act.Unfinished:
		s.Unfinished++
	case act.Again, result == human.AlreadyGone:
		s.AlreadyGone++
	case result.Reaped():
		s.Reaped++
		s.FreedBytes += act.FreedBytes
	case result == human.Changed, result == human.Refused:
		s.LeftAlone++
	default:
		s.Failed++
		s.FreedBytes += act.FreedBytes
	}
}

// Text is what was done in sum: "91 stopped, 4.4 GB freed".
func (s Sums) Text() string {
	text := human.Number(s.Reaped) + " stopped" + size(", ", s.FreedBytes)
	if s.FreedBytes > 0 {
		text += " freed"
	}
	if s.Failed > 0 {
		text += "; " + human.Number(s.Failed) + " failed"
	}
	return text + s.rest()
}

// rest counts what was not stopped.
func (s Sums) rest() (text string) {
	for _, part := range []struct {
		n    int
		text string
	}{{s.AlreadyGone, "gone before"}, {s.LeftAlone, "left alone"}, {s.Unfinished, "without an outcome"}} {
		if part.n > 0 {
			text += fmt.Sprintf("; %s %s", human.Number(part.n), part.text)
		}
	}
	return text
}

// acts are those that one line tells.
type acts []*RecordedAct

// grouped puts acts into lines: a sweep that a person asked for, what one session left, what ends with
// a gateway or session, else one sweep's.
func grouped(all []RecordedAct) []acts {
	var keys []string
	groups, byTarget := map[string]acts{}, map[string]*RecordedAct{}
	for i := range all {
		byTarget[all[i].BootID+" "+all[i].TargetID] = &all[i]
	}
	for i := range all {
		key := all[i].group(byTarget)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], &all[i])
	}
	lines := make([]acts, 0, len(keys))
	for _, key := range keys {
		lines = append(lines, groups[key])
	}
	return lines
}

// group is equal for acts that one line tells. What ends with a gateway that was stopped is told with that.
func (r *RecordedAct) group(byTarget map[string]*RecordedAct) string {
	for range len(byTarget) {
		_, with := journal.Named(r.With)
		_, owner := journal.Named(r.Owner)
		head := byTarget[r.BootID+" "+cmp.Or(with, owner)]
		if r.ByHand != "" || head == nil || head == r {
			break
		}
		r = head
	}
	switch {
	case r.ByHand != "":
		return r.Sweep + " by hand"
	case r.takesOthers():
		return r.BootID + " with " + r.TargetID
	case r.Owner != "":
		return r.BootID + " of " + r.Owner + " " + r.Finding
	}
	return r.Sweep
}

// takesOthers reports what ends with all that it holds.
func (r *RecordedAct) takesOthers() bool {
	return r.Kind == string(graph.KindGateway) && r.OwnerGoneSince.IsZero() || r.Kind == string(graph.KindSession)
}

// line tells some acts in one sentence.
func (a acts) line(home human.Home) HistoryLine {
	var sums Sums
	var failed []string
	line, counted, sessions := HistoryLine{At: a[0].At()}, 0, 0
	for _, act := range a {
		line.Acts = append(line.Acts, act.ID)
		if act.At().After(line.At) {
			line.At = act.At()
		}
		sums.add(act)
		switch isNew := act.reaped() && !act.Again; {
		case isNew && act.Kind == string(graph.KindSession):
			sessions++
		case isNew && !a.isHeld(act):
			counted++
		}
		if human.Result(act.Result).Incomplete() && !act.Unfinished {
			failed = append(failed, act.Called())
		}
	}
	line.Text = a.told(counted, sessions, home) + size(", ", sums.FreedBytes) + sums.rest()
	if len(failed) > 0 {
		line.Text += "; failed: " + human.Safe(human.List(failed))
	}
	return line
}

// isHeld reports the act on a container that a person counts as its docker run.
func (a acts) isHeld(act *RecordedAct) bool {
	return act.Kind == string(graph.KindContainer) && slices.ContainsFunc(a, func(other *RecordedAct) bool {
		return other.TargetID != "" && other.TargetID == act.Client && other.reaped()
	})
}

// told says what was stopped, and why: "claude-code 91 ~/src/web ended: 6 servers stopped". The servers and the
// sessions among it are counted apart.
func (a acts) told(n, sessions int, home human.Home) string {
	first := a[max(0, slices.IndexFunc(a, func(act *RecordedAct) bool { return act.Cwd != "" }))]
	head := a[max(0, slices.IndexFunc(a, (*RecordedAct).takesOthers))]
	one := first.Called()
	name := head.Called()
	place := human.Safe(home.Short(first.Cwd))
	owner := strings.TrimSpace(human.Safe(journal.Called(first.Owner)) + " " + place)
	stopped := human.Count(n, "server") + " stopped"
	if n == 0 {
		stopped = "nothing stopped"
	}
	finding := graph.ParseFinding(first.Finding)
	switch {
	case first.ByHand != "" && n+sessions == 1:
		return "you stopped " + one
	case first.ByHand != "" && sessions == 1:
		return "you swept " + human.Count(n, "server") + " and " + name
	case first.ByHand != "" && sessions > 1:
		return "you swept " + human.Count(n, "server") + " and " + human.Count(sessions, "session")
	case first.ByHand != "":
		return "you swept " + human.Count(n, "server")
	case head.Kind == string(graph.KindSession) && graph.ParseFinding(head.Finding) == graph.FindingOrphaned:
		return strings.TrimSpace(name+" "+place) + " was left behind: stopped with " + human.Count(n, "server")
	case head.Kind == string(graph.KindSession):
		return strings.TrimSpace(name+" "+place) + " was idle: stopped with " + human.Count(n, "server")
	case head.takesOthers() && len(a) > 1:
		return name + " was failing: " + stopped
	case finding == graph.FindingDuplicate:
		return owner + ": " + human.Count(n, "older copy") + " stopped"
	case finding == graph.FindingDisconnected:
		return owner + " let go: " + stopped
	case first.Owner != "":
		return owner + " ended: " + stopped
	case n == 1:
		return one + " was left behind: stopped"
	}
	return strings.TrimSpace(place+" "+stopped) + ", left behind"
}
