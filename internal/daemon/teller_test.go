package daemon

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
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
	endsWith                          string       // its container
	outcome                           human.Result // of an act on it
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
		round.View.Verdicts = []policy.Verdict{{Target: target, Decision: l.decision, Rule: "orphaned-servers", Reason: "it is so", Head: l.endsWith}}
	}
	if l.outcome != "" {
		round.Outcomes = []sweep.Outcome{{Outcome: reap.Outcome{TargetID: "7:70", Result: l.outcome}, Act: policy.Act{TargetID: "7:70"}}}
	}
	return round
}

// said are the messages in a log of JSON lines, each with the thing that it is about.
func said(t *testing.T, log *bytes.Buffer) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(log.String()) {
		var record struct{ Msg, Target, Why string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(record.Msg+" "+record.Target))
	}
	return lines
}

func TestWhatWasAnnouncedIsToldToItsEnd(t *testing.T) {
	live := lookAt{}
	pending := lookAt{ended: true, finding: graph.FindingOrphaned, decision: policy.Pending}
	due := lookAt{ended: true, finding: graph.FindingOrphaned, decision: policy.Reap}
	kept := lookAt{ended: true, finding: graph.FindingOrphaned}
	none := lookAt{ended: true, gone: true}
	with := func(l lookAt, change func(*lookAt)) lookAt { change(&l); return l }
	paused := func(l lookAt) lookAt { return with(l, func(l *lookAt) { l.paused = true }) }
	for _, row := range []struct {
		says  string
		looks []lookAt
		want  []string
	}{
		{"it is in use", []lookAt{live, live}, nil},
		{"it is reaped", []lookAt{live, pending, pending, due, with(none, func(l *lookAt) { l.outcome = human.Exited })}, []string{"pending 7:70", "reaped 7:70"}},
		{"it ends by itself", []lookAt{live, pending, none, none}, []string{"pending 7:70", "no longer due 7:70"}},
		{"it ends with its container", []lookAt{live, pending, with(kept, func(l *lookAt) { l.endsWith = "c0ffee" }), none}, []string{"pending 7:70"}},
		{"somebody pins it", []lookAt{live, pending, kept, kept}, []string{"pending 7:70", "no longer due 7:70"}},
		{"it is pinned and unpinned", []lookAt{pending, kept, pending}, []string{"pending 7:70", "no longer due 7:70", "pending 7:70"}},
		{"it comes due while it is paused", []lookAt{pending, paused(pending), paused(due), paused(due)}, []string{"pending 7:70", "held back 7:70"}},
		{"and then it is resumed", []lookAt{pending, paused(due), due, none}, []string{"pending 7:70", "held back 7:70"}},
		{"and ends while it is paused", []lookAt{pending, paused(due), none}, []string{"pending 7:70", "held back 7:70", "no longer due 7:70"}},
		{"it is due and the mode is report", []lookAt{pending, with(due, func(l *lookAt) { l.report = true })}, []string{"pending 7:70", "held back 7:70"}},
		{"a look that could not see everything", []lookAt{pending, with(none, func(l *lookAt) { l.incomplete = true }), pending}, []string{"pending 7:70", "source"}},
		{"a server that its session closes", []lookAt{live, {gone: true}}, nil},
	} {
		t.Run(row.says, func(t *testing.T) {
			var log bytes.Buffer
			a := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
			for _, look := range row.looks {
				a.tell(look.round())
			}
			if got := said(t, &log); !slices.Equal(got, row.want) {
				t.Errorf("said %q, want %q", got, row.want)
			}
		})
	}
}

func TestAnOutcomeIsLoggedWithTheTimeOfTheJournal(t *testing.T) {
	var log bytes.Buffer
	at := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	l := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
	act := policy.Act{TargetID: "7:70", Name: "fetch", Rule: "zombie-gateways", With: "9:90"}
	l.tellOutcomes(sweep.Round{Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Exited}, Act: act, At: at}}})
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

// TestTheLogTellsWhoAskedForAnAct: a person, and by which command.
func TestTheLogTellsWhoAskedForAnAct(t *testing.T) {
	for asked, act := range map[bool]policy.Act{true: {TargetID: "7:70", ByHand: "sweep --duplicates", By: "dev"}, false: {TargetID: "7:70"}} {
		var log bytes.Buffer
		(&teller{log: slog.New(slog.NewJSONHandler(&log, nil))}).tellOutcomes(sweep.Round{Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Exited}, Act: act}}})
		var record map[string]any
		if err := json.Unmarshal(log.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		if isTold := record["by"] == "dev" && record["command"] == "reaperd sweep --duplicates"; isTold != asked || record["msg"] != "reaped" {
			t.Errorf("asked %v: %v", asked, record)
		}
	}
}

// TestAnEngineThatGoesAndComesIsToldEachTime: one that is absent has no endpoint.
func TestAnEngineThatGoesAndComesIsToldEachTime(t *testing.T) {
	there := inventory.Source{Name: inventory.SourceDocker, Endpoint: "unix:///run/docker.sock", Status: inventory.StatusOK}
	away := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}
	hung := there
	hung.Status = inventory.StatusError
	for _, row := range []struct {
		says  string
		looks []inventory.Source
		want  string
	}{
		{"it is there", []inventory.Source{there, there}, ""},
		{"there is none", []inventory.Source{away, away}, "absent"},
		{"it goes and comes back", []inventory.Source{there, away, away, there, there}, "absent ok"},
		{"it does not answer for a while", []inventory.Source{there, hung, there}, "error ok"},
	} {
		var log bytes.Buffer
		teller := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
		for _, source := range row.looks {
			teller.tellSources([]inventory.Source{source})
		}
		var got []string
		for line := range strings.Lines(log.String()) {
			_, status, _ := strings.Cut(line, `"status":"`)
			status, _, _ = strings.Cut(status, `"`)
			got = append(got, status)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: told %v, want %q", row.says, got, row.want)
		}
	}
}

// TestTheLinesOfARoundAreInTheOrderOfTheirTimes: an outcome has the time at which its act ended.
func TestTheLinesOfARoundAreInTheOrderOfTheirTimes(t *testing.T) {
	var log bytes.Buffer
	l := &teller{log: slog.New(slog.NewJSONHandler(&log, nil))}
	l.tell(sweep.Round{
		View:     sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusPartial}}}}},
		Outcomes: []sweep.Outcome{{Outcome: reap.Outcome{Result: human.Exited}, At: time.Now().Add(-time.Second)}},
	})
	var times []time.Time
	for line := range strings.Lines(log.String()) {
		var record struct{ Time time.Time }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		times = append(times, record.Time)
	}
	if len(times) != 2 || !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Errorf("told at %v", times)
	}
}
