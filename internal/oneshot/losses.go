package oneshot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/outlook"
)

// losesSoon tells what of a live session the daemon stops by what it has told, though it leaves the session alone.
func (s *Sight) losesSoon(session string) []string {
	told := s.told(context.Background())
	if s.View.Graph == nil || told == nil {
		return nil
	}
	now := time.Now()
	var ids, names []string
	for _, t := range s.View.Graph.Targets {
		isIts := t.Owner.ID.String() == session && t.ID != session
		if isIts && outlook.Next(told, []string{t.ID}, now) != "" {
			ids, names = append(ids, t.ID), append(names, calledTarget(t))
		}
		if t.ID == session && outlook.Next(told, []string{session}, now) != "" { // all that it has goes with it
			return nil
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("of what it has, %s: %s: reaperd explain %s", human.List(fewest(names)), outlook.Next(told, ids, now), human.Handle(ids[0]))}
}

// lostLately tells what reaperd has stopped of what a live session had: a person who misses a
// server asks reaperd about its session.
func (s *Sight) lostLately(session string) []string {
	if s.host == nil || !slices.ContainsFunc(s.View.Graph.Sessions, func(live graph.Session) bool { return live.Process != nil && live.Process.ID().String() == session }) {
		return nil
	}
	notes := lost(s.fate(session).Held, s.View.Graph.Snapshot.Host.BootID, time.Now())
	if roots, is := s.beside(context.Background()).Of(0); is {
		notes = append(notes, fmt.Sprintf("whether %s has stopped any of it, its own journal tells: %s", roots, roots.Command("reaperd explain "+human.Handle(session))))
	}
	return notes
}

// triedLately tells of an act on a target that runs which did not end it.
func (s *Sight) triedLately(target string) []string {
	if s.host == nil {
		return nil
	}
	return tried(s.fate(target).Entries, s.View.Graph.Snapshot.Host.BootID, time.Now(), s.IsAtIt)
}

// tried is the remark on the last of the acts, the oldest first, on a target of this boot that runs, if that failed
// within the last hour, or nobody brings it to its end.
func tried(acts []journal.Entry, boot string, now time.Time, isAtIt func(*journal.Entry) bool) []string {
	if len(acts) == 0 {
		return nil
	}
	last := acts[len(acts)-1]
	givenUp := last.Result == journal.ResultUnfinished || last.Phase == journal.PhaseIntend && !isAtIt(&last)
	at := cmp.Or(last.BegunAt, last.Time)
	if !givenUp && !done.Result(last.Result).Incomplete() || last.BootID != boot || now.Sub(at) >= time.Hour {
		return nil
	}
	by := "rule " + human.Safe(last.Rule)
	if last.ByHand != "" {
		by += ", " + human.Safe(done.ByHand(last.ByHand))
	}
	if givenUp {
		return []string{fmt.Sprintf("reaperd began to stop it at %s (%s), and was ended before that was done", human.Moment(at.Local()), by)}
	}
	return []string{fmt.Sprintf("reaperd tried to stop it at %s (%s): %s", human.Moment(at.Local()), by, human.Safe(done.Result(last.Result).With(last.Detail)))}
}

// lost is the remark on acts, the oldest first, on what a session of this boot had: those of the last hour.
func lost(acts []journal.Entry, boot string, now time.Time) []string {
	var names []string
	var last journal.Entry
	for _, act := range acts {
		if done.Result(act.Result).Reaped() && act.BootID == boot && now.Sub(act.Time) < time.Hour {
			thing := history.ThingOf(&act)
			names, last = append(names, human.Safe(strings.TrimSpace(thing.Name+" "+thing.Handle()))), act
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("of what it had, reaperd stopped %s%s at %s by rule %s: reaperd history --since 1h",
		human.List(fewest(names)), human.Verb(len(names), "", ", the last"), human.Moment(last.Time.Local()), human.Safe(last.Rule))}
}
