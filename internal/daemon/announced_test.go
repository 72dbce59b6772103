package daemon

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

// codex is a live session in the looks below.
var codex = inventory.Process{PID: 5, Start: 50}

// lookAt is a round that saw codex, unless it has ended, and one server of it.
type lookAt struct {
	ended, paused, report, incomplete bool
	gone                              bool            // the server runs no more
	decision                          policy.Decision // about the server
	finding                           graph.Finding
	endsWith                          string      // its container
	outcome                           done.Result // of an act on it
	byHand                            bool        // a sweep by hand has begun to end it
	endedByHand                       done.Result // and has recorded what came of that
	containerByHand, containerGone    bool        // or the container that it runs, which is no more its own
}

func (l lookAt) round() sweep.Round {
	s := &inventory.Snapshot{TakenAt: time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)}
	if l.incomplete {
		s.Sources = []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError}}
	}
	round := sweep.Round{Paused: l.paused, Policy: &policy.Policy{Mode: policy.ModeEnforce}, View: sweep.View{Graph: &graph.Graph{Snapshot: s}}}
	if l.report {
		round.Policy = &policy.Policy{Mode: policy.ModeReport}
	}
	if !l.ended {
		round.View.Graph.Sessions = []graph.Session{{Process: &codex, Name: "codex", Liveness: graph.LivenessLive}}
	}
	if !l.gone {
		owner := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: codex.ID(), Liveness: graph.LivenessLive}
		if l.ended {
			owner.Liveness = graph.LivenessGone
		}
		target := &graph.Target{ID: "7:70", Kind: graph.KindServer, Name: "fetch", Finding: l.finding, Owner: owner, Containers: []string{"0123"}}
		if l.containerGone {
			target.Containers = nil
		}
		round.View.Verdicts = []policy.Verdict{{Target: target, Decision: l.decision, Rule: "orphaned-servers", Reason: "it is so", EndsWith: l.endsWith}}
	}
	if l.outcome != "" {
		round.Outcomes = []sweep.Outcome{{Outcome: reap.Outcome{TargetID: "7:70", Result: l.outcome}, Act: policy.Act{TargetID: "7:70"}}}
	}
	return round
}

// recorded is what sweeps by hand have recorded since the look before.
func (l lookAt) recorded() (entries []journal.Entry) {
	if l.byHand {
		entries = append(entries, journal.Entry{Phase: journal.PhaseIntend, TargetID: "7:70"})
	}
	if l.containerByHand {
		entries = append(entries, journal.Entry{Phase: journal.PhaseIntend, TargetID: "0123"})
	}
	if l.endedByHand != "" {
		entries = append(entries, journal.Entry{Phase: journal.PhaseOutcome, TargetID: "7:70", Result: string(l.endedByHand)})
	}
	return entries
}

func TestWhatWasAnnouncedIsToldToItsEnd(t *testing.T) {
	live := lookAt{}
	pending := lookAt{ended: true, finding: graph.FindingOrphaned, decision: policy.Pending}
	due := lookAt{ended: true, finding: graph.FindingOrphaned, decision: policy.Reap}
	kept := lookAt{ended: true, finding: graph.FindingOrphaned}
	none := lookAt{ended: true, gone: true}
	with := func(l lookAt, change func(*lookAt)) lookAt { change(&l); return l }
	byHand := func(outcome done.Result) func(*lookAt) {
		return func(l *lookAt) { l.byHand, l.endedByHand = true, outcome }
	}
	paused := func(l lookAt) lookAt { return with(l, func(l *lookAt) { l.paused = true }) }
	for _, row := range []struct {
		says  string
		looks []lookAt
		want  []string
	}{
		{"it is in use", []lookAt{live, live}, nil},
		{"it is reaped", []lookAt{live, pending, pending, due, with(none, func(l *lookAt) { l.outcome = done.Exited })}, []string{"pending 7:70"}},
		{"it ends by itself", []lookAt{live, pending, none, none}, []string{"pending 7:70", "ended otherwise 7:70"}},
		{"a sweep by hand ends it", []lookAt{live, with(pending, func(l *lookAt) { l.byHand = true }), none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"a sweep by hand removes it, which takes a while", []lookAt{live, pending, with(kept, func(l *lookAt) { l.byHand = true }), none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"and it looks like nobody's meanwhile", []lookAt{live, pending, with(lookAt{ended: true}, func(l *lookAt) { l.byHand = true }), none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"a sweep by hand ends the container that it runs", []lookAt{live, pending, with(none, func(l *lookAt) { l.containerByHand = true })}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"and the container goes one look before it", []lookAt{live, pending, with(pending, func(l *lookAt) { l.containerByHand = true; l.containerGone = true }), none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"and it is kept meanwhile for the container of another", []lookAt{live, pending, with(kept, func(l *lookAt) { l.containerByHand = true; l.containerGone = true }), kept, none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"a sweep by hand ends it and records that", []lookAt{live, pending, with(none, byHand(done.Exited))}, []string{"pending 7:70", "reaped by hand 7:70"}},
		{"and it records that after the look", []lookAt{live, pending, with(none, byHand("")), with(none, byHand(done.Exited)), none}, []string{"pending 7:70", "ended by hand 7:70"}},
		{"and it ends it after the look, and records that before the look is told", []lookAt{live, pending, with(pending, byHand(done.Killed)), none, none}, []string{"pending 7:70", "reaped by hand 7:70"}},
		{"and that look is the first that shows it as pending", []lookAt{live, with(pending, byHand(done.Killed)), none}, []string{"reaped by hand 7:70"}},
		{"and a look that could not see everything comes between", []lookAt{pending, with(none, func(l *lookAt) { byHand(done.Exited)(l); l.incomplete = true }), none}, []string{"pending 7:70", "reaped by hand 7:70"}},
		{"a sweep by hand cannot end it", []lookAt{pending, with(pending, byHand(done.Refused)), due, with(none, func(l *lookAt) { l.outcome = done.Exited })}, []string{"pending 7:70", "not reaped by hand 7:70"}},
		{"a sweep by hand ends what was never announced", []lookAt{live, with(lookAt{gone: true}, byHand(done.Exited)), {gone: true}}, []string{"reaped by hand 7:70"}},
		{"a sweep by hand ends a container of another", []lookAt{with(pending, func(l *lookAt) { l.containerGone = true }), with(kept, func(l *lookAt) { l.containerByHand = true; l.containerGone = true })}, []string{"pending 7:70", "no longer due 7:70"}},
		{"it ends with its container", []lookAt{live, pending, with(kept, func(l *lookAt) { l.endsWith = "c0ffee" }), none}, []string{"pending 7:70"}},
		{"somebody pins it", []lookAt{live, pending, kept, kept}, []string{"pending 7:70", "no longer due 7:70"}},
		{"it is pinned and unpinned", []lookAt{pending, kept, pending}, []string{"pending 7:70", "no longer due 7:70", "pending 7:70"}},
		{"it comes due while it is paused", []lookAt{pending, paused(pending), paused(due), paused(due)}, []string{"pending 7:70", "held back 7:70"}},
		{"and then it is resumed", []lookAt{pending, paused(due), due, none}, []string{"pending 7:70", "held back 7:70"}},
		{"and ends while it is paused", []lookAt{pending, paused(due), none}, []string{"pending 7:70", "held back 7:70", "ended otherwise 7:70"}},
		{"it is due and the mode is report", []lookAt{pending, with(due, func(l *lookAt) { l.report = true })}, []string{"pending 7:70", "held back 7:70"}},
		{"a look that could not see everything", []lookAt{pending, with(none, func(l *lookAt) { l.incomplete = true }), pending}, []string{"pending 7:70"}},
		{"a server that its session closes", []lookAt{live, {gone: true}}, nil},
	} {
		t.Run(row.says, func(t *testing.T) {
			var log bytes.Buffer
			a, d := announced{log: slog.New(slog.NewJSONHandler(&log, nil))}, departed{}
			for _, look := range row.looks {
				round, byHand := look.round(), look.recorded()
				d.hear(byHand)
				gone := d.in(round)
				a.tellByHand(byHand)
				a.tell(round, gone, d.leaving)
			}
			if got := said(t, &log); !slices.Equal(got, row.want) {
				t.Errorf("said %q, want %q", got, row.want)
			}
		})
	}
}

func TestWhoIsGoneAndHow(t *testing.T) {
	orphan := lookAt{ended: true, finding: graph.FindingOrphaned}
	for _, row := range []struct {
		says  string
		looks []lookAt
		want  map[string]serve.End
	}{
		{"nobody ends", []lookAt{{}, {}}, nil},
		{"a session and its server end in one moment", []lookAt{{}, {ended: true, gone: true}}, map[string]serve.End{"5:50": serve.EndedByItself, "7:70": serve.EndedByItself}},
		{"a session leaves its server", []lookAt{{}, orphan}, map[string]serve.End{"5:50": serve.EndedByItself}},
		{"what it left is reaped", []lookAt{orphan, {ended: true, gone: true, outcome: done.Killed}}, map[string]serve.End{"7:70": serve.EndedByReaperd}},
		{"what it left is not reaped, and ends", []lookAt{orphan, {ended: true, finding: graph.FindingOrphaned, outcome: done.Failed}, {ended: true, gone: true}}, map[string]serve.End{"7:70": serve.EndedByItself}},
		{"a server of a live session comes and goes", []lookAt{{}, {gone: true}}, map[string]serve.End{"7:70": serve.EndedByItself}},
	} {
		t.Run(row.says, func(t *testing.T) {
			var d departed
			got := map[string]serve.End{}
			for _, look := range row.looks {
				for _, one := range d.in(look.round()) {
					got[one.ID] = one.How
					if wasInUse := strings.Contains(row.says, "comes and goes"); one.InUse != wasInUse {
						t.Errorf("%s was in use: %v, want %v", one.ID, one.InUse, wasInUse)
					}
					if one.ID == "7:70" && (one.Owner != "codex" || one.OwnerID != "5:50" || one.Handle != "7") {
						t.Errorf("of %q %q, called %q", one.Owner, one.OwnerID, one.Handle)
					}
				}
			}
			if len(got) != len(row.want) {
				t.Fatalf("gone: %v, want %v", got, row.want)
			}
			for id, how := range row.want {
				if got[id] != how {
					t.Errorf("%s ended %q, want %q", id, got[id], how)
				}
			}
		})
	}
}

func TestAnOutcomeIsLoggedWithTheTimeOfTheJournal(t *testing.T) {
	var log bytes.Buffer
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	l := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
	act := policy.Act{TargetID: "7:70", Name: "fetch", Rule: "zombie-gateways", With: "9:90"}
	l.tellOutcomes(sweep.Round{Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: done.Exited}, Act: act, At: at}}})
	var record map[string]any
	if err := json.Unmarshal(log.Bytes(), &record); err != nil {
		t.Fatal(err)
	}
	if record["time"] != at.Format(time.RFC3339) {
		t.Errorf("logged at %v, want %s", record["time"], at)
	}
	for _, key := range []string{"since", "finding"} { // it went with its gateway
		if value, said := record[key]; said {
			t.Errorf("%s is %v; it has none", key, value)
		}
	}
}

// TestAnActByHandIsLoggedWithWhoAndWhy: whose the target was, the command, and the reason.
func TestAnActByHandIsLoggedWithWhoAndWhy(t *testing.T) {
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		says  string
		entry journal.Entry
		want  map[string]any
	}{
		{"an older copy of a live session's", journal.Entry{TargetID: "7:70", Kind: "server", Name: "fetch", Owner: "codex 5:50", Finding: "duplicate", FindingSince: at, Rule: "duplicates", Why: "it does nothing", ByHand: "sweep --duplicates", Result: string(done.Exited), FreedBytes: 10},
			map[string]any{"msg": "reaped by hand", "level": "INFO", "name": "fetch", "owner": "codex", "owner_pid": 5.0, "owner_liveness": nil, "rule": "duplicates", "why": "it does nothing", "finding": "duplicate", "command": "reaperd sweep --duplicates", "freed_bytes": 10.0}},
		{"an orphaned container", journal.Entry{TargetID: "0123", Kind: "container", Name: "fetch", Container: &journal.Container{Name: "/eager_fermi"}, Owner: "codex 5:50", Finding: "orphaned", Result: string(done.Killed)},
			map[string]any{"msg": "reaped by hand", "container": "eager_fermi", "owner": "codex", "owner_liveness": "gone", "finding": "orphaned", "command": nil}},
		{"a server that went with its idle session", journal.Entry{TargetID: "7:70", Owner: "codex 5:50", Finding: "none", ByHand: "sweep --idle-over", Result: string(done.Exited)},
			map[string]any{"msg": "reaped by hand", "finding": nil, "since": nil, "command": "reaperd sweep --idle-over"}},
		{"one that could not be ended", journal.Entry{TargetID: "7:70", Result: string(done.Failed), Detail: "it is stuck"}, map[string]any{"msg": "not reaped by hand", "level": "WARN", "detail": "it is stuck"}},
	} {
		var log bytes.Buffer
		row.entry.Phase, row.entry.Time = journal.PhaseOutcome, at
		(&announced{log: slog.New(slog.NewJSONHandler(&log, nil))}).tellByHand([]journal.Entry{row.entry})
		var record map[string]any
		if err := json.Unmarshal(log.Bytes(), &record); err != nil {
			t.Fatalf("%s: %v", row.says, err)
		}
		if record["time"] != at.Format(time.RFC3339) {
			t.Errorf("%s: logged at %v", row.says, record["time"])
		}
		for key, want := range row.want {
			if record[key] != want {
				t.Errorf("%s: %s is %v, want %v", row.says, key, record[key], want)
			}
		}
	}
}
