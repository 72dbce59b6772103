package account

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
)

// acted is an act with its intention and its outcome, some minutes before noon.
func acted(minutes int, change func(*journal.Entry)) []journal.Entry {
	entry := journal.Entry{
		ID: fmt.Sprintf("a%d", minutes), Phase: journal.PhaseIntend, Time: noon.Add(-time.Duration(minutes) * time.Minute), BootID: "b0", Sweep: "s1", Rule: "orphaned-servers",
		TargetID: fmt.Sprintf("%d:1", 100+minutes), Kind: "server", Name: "fetch", Owner: "codex 44:1", OwnerGoneSince: noon.Add(-time.Hour), Finding: "orphaned", Cwd: "/home/dev/src",
	}
	change(&entry)
	outcome := entry
	outcome.Phase, outcome.Time = journal.PhaseOutcome, entry.Time.Add(time.Second)
	if outcome.Result == "" {
		outcome.Result, outcome.FreedBytes = "exited", 10e6
	}
	return []journal.Entry{entry, outcome}
}

func TestAHistoryTellsWhatBelongsTogetherInOneLine(t *testing.T) {
	same := func(*journal.Entry) {}
	hand := func(e *journal.Entry) { e.ByHand = "sweep" }
	for _, row := range []struct {
		name    string
		entries [][]journal.Entry
		want    []string
	}{
		{"nothing", nil, nil},
		{"what one session left, over several sweeps", [][]journal.Entry{acted(3, same), acted(2, func(e *journal.Entry) { e.Sweep = "s2" })}, []string{"codex 44 ~/src ended: 2 servers stopped, 20 MB"}},
		{"a sweep by hand of what several left", [][]journal.Entry{acted(3, hand), acted(2, func(e *journal.Entry) { hand(e); e.Owner = "gemini 50:1" })}, []string{"you swept 2 servers, 20 MB"}},
		{"one by hand", [][]journal.Entry{acted(3, hand)}, []string{"you stopped fetch 103, 10 MB"}},
		{"a docker run and its container are one", [][]journal.Entry{
			acted(3, func(e *journal.Entry) { e.Kind, e.TargetID, e.Client = "container", "abc", "102:1" }), acted(2, same),
		}, []string{"codex 44 ~/src ended: 1 server stopped, 20 MB"}},
		{"what ends with a gateway", [][]journal.Entry{
			acted(3, func(e *journal.Entry) {
				e.Kind, e.Name, e.Finding, e.OwnerGoneSince = "gateway", "docker-mcp", "zombies", time.Time{}
			}),
			acted(2, func(e *journal.Entry) {
				e.With, e.Owner, e.OwnerGoneSince = "docker-mcp 103:1", "docker-mcp 103:1", time.Time{}
			}),
		}, []string{"docker-mcp 103 was failing: 2 servers stopped, 20 MB"}},
		{"a gateway that a session left is the session's", [][]journal.Entry{
			acted(3, func(e *journal.Entry) { e.Kind, e.Name = "gateway", "docker-mcp" }), acted(2, func(e *journal.Entry) { e.With = "docker-mcp 103:1" }),
		}, []string{"codex 44 ~/src ended: 2 servers stopped, 20 MB"}},
		{"a session with what it held", [][]journal.Entry{
			acted(3, func(e *journal.Entry) {
				e.Kind, e.Name, e.Finding, e.Owner, e.OwnerGoneSince = "session", "codex", "idle", "", time.Time{}
			}),
			acted(2, func(e *journal.Entry) { e.With, e.Owner, e.OwnerGoneSince = "codex 103:1", "codex 103:1", time.Time{} }),
		}, []string{"codex 103 ~/src was idle: stopped with 1 server, 20 MB"}},
		{"a sweep by hand of a session with what it held", [][]journal.Entry{
			acted(3, func(e *journal.Entry) { hand(e); e.Kind, e.Name, e.Owner = "session", "codex", "" }),
			acted(2, func(e *journal.Entry) { hand(e); e.With, e.Owner = "codex 103:1", "codex 103:1" }),
			acted(1, func(e *journal.Entry) { hand(e); e.With, e.Owner = "codex 103:1", "codex 103:1" }),
		}, []string{"you swept 2 servers and codex 103, 30 MB"}},
		{"a session by hand that held nothing", [][]journal.Entry{acted(3, func(e *journal.Entry) { hand(e); e.Kind, e.Name, e.Owner = "session", "codex", "" })}, []string{"you stopped codex 103, 10 MB"}},
		{"sessions that were left behind", [][]journal.Entry{
			acted(3, func(e *journal.Entry) { e.Kind, e.Name, e.Owner = "session", "codex", "" }),
			acted(2, func(e *journal.Entry) { e.With, e.Owner = "codex 103:1", "codex 103:1" }),
			acted(1, func(e *journal.Entry) { hand(e); e.Kind, e.Name, e.Owner = "session", "gemini", "" }),
			acted(0, func(e *journal.Entry) { hand(e); e.Kind, e.Name, e.Owner = "session", "gemini", "" }),
		}, []string{"you swept 0 servers and 2 sessions, 20 MB", "codex 103 ~/src was left behind: stopped with 1 server, 20 MB"}},
		{"what failed, and what was left alone", [][]journal.Entry{
			acted(4, same), acted(3, func(e *journal.Entry) { e.Result = "failed" }), acted(2, func(e *journal.Entry) { e.Result = "changed" }),
		}, []string{"codex 44 ~/src ended: 1 server stopped, 10 MB; 1 left alone; failed: fetch 103"}},
		{"an act without an outcome", [][]journal.Entry{acted(3, same)[:1]}, []string{"codex 44 ~/src ended: nothing stopped; 1 without an outcome"}},
		{"one thing that two ended at a time counts once", [][]journal.Entry{acted(3, same), acted(3, func(e *journal.Entry) { e.ID = "other" })}, []string{"codex 44 ~/src ended: 1 server stopped, 10 MB; 1 gone before"}},
	} {
		var lines []string
		h := HistoryOf(slices.Concat(row.entries...), Period{Now: noon}, "/home/dev")
		for _, line := range h.Lines {
			lines = append(lines, line.Text)
		}
		if !slices.Equal(lines, row.want) {
			t.Errorf("%s: %q, want %q", row.name, lines, row.want)
		}
	}
}

func TestAPeriodChoosesActs(t *testing.T) {
	entries := slices.Concat(acted(90, func(e *journal.Entry) { e.Rule = "mine" }), acted(30, func(e *journal.Entry) { e.Name = "git" }), acted(10, func(*journal.Entry) {}))
	for _, row := range []struct {
		name   string
		period Period
		want   []string
	}{
		{"all", Period{}, []string{"a90", "a30", "a10"}},
		{"an hour", Period{Since: noon.Add(-time.Hour)}, []string{"a30", "a10"}},
		{"a rule", Period{Rule: "mine"}, []string{"a90"}},
		{"a process", Period{PID: 130}, []string{"a30"}},
		{"a name", Period{Name: "G*"}, []string{"a30"}},
		{"the newest", Period{Newest: 1}, []string{"a10"}},
	} {
		row.period.Now = noon
		h := HistoryOf(entries, row.period, "")
		var ids []string
		for _, act := range h.Entries {
			ids = append(ids, act.ID)
		}
		if !slices.Equal(ids, row.want) {
			t.Errorf("%s: %q, want %q", row.name, ids, row.want)
		}
		if row.period.Newest > 0 && (h.Older != 2 || h.Summary.Reaped != 3) {
			t.Errorf("%s: %d older, %+v in all", row.name, h.Older, h.Summary)
		}
	}
}
