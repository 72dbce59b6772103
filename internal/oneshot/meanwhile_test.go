package oneshot

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func TestWhatBecameOfAShownActIsSaidAfterTheYes(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sweep := &Sweep{Sight: sight}
	shown := sweep.plan()
	gone, stays := shown.Acts[0], shown.Acts[1]
	sight.View.Verdicts = []policy.Verdict{{Target: &graph.Target{ID: stays.TargetID}, Reason: "claude-code 90 holds its stdin"}}
	planned := time.Now()
	for _, row := range []struct {
		world   string
		record  journal.Entry
		daemons []serve.Act
		want    string
	}{
		{world: "nobody has acted", want: " had ended by itself"},
		{world: "the journal tells that somebody ended it", record: journal.Entry{Time: planned.Add(time.Second), Result: string(done.Exited)},
			want: " is gone: the daemon or another sweep has stopped it by rule orphaned-containers"},
		{world: "another sweep came too late", record: journal.Entry{Time: planned.Add(time.Second), Result: string(done.AlreadyGone)}, want: " had ended by itself"},
		{world: "what was ended before the plan was shown is another act", record: journal.Entry{Time: planned.Add(-time.Hour), Result: string(done.Killed)}, want: " had ended by itself"},
		{world: "the daemon has another journal", daemons: []serve.Act{{At: planned.Add(time.Second), Target: gone.TargetID, Rule: "orphaned-servers", Outcome: done.Killed}},
			want: " is gone: the daemon or another sweep has stopped it by rule orphaned-servers"},
		{world: "the daemon acted on it before", daemons: []serve.Act{{At: planned.Add(-time.Minute), Target: gone.TargetID, Outcome: done.Killed}}, want: " had ended by itself"},
	} {
		sweep.Journal = filepath.Join(t.TempDir(), journal.FileName)
		if row.record.Result != "" {
			row.record.ID, row.record.TargetID, row.record.Rule = "a1", gone.TargetID, "orphaned-containers"
			record, _ := journal.Open(sweep.Journal, journal.Options{})
			if err := record.Done(row.record); err != nil {
				t.Fatal(err)
			}
		}
		sight.daemon = &serve.State{LastActs: row.daemons}
		want := []string{"note: " + calledIn(gone) + row.want, "note: " + calledIn(stays) + " stays: by now claude-code 90 holds its stdin"}
		if got := sweep.dropped(policy.Plan{Acts: shown.Acts[:2]}, policy.Plan{}, sweep.reapedSince(planned)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", row.world, got, want)
		}
	}
	if notes := sweep.dropped(shown, shown, nil); len(notes) > 0 {
		t.Errorf("all of it is carried out: %q", notes)
	}
}

// TestOnlyWhatNobodyElseCanHaveStoppedIsSaidToHaveEndedByItself: another user's daemon and sweeps have journals of
// their own.
func TestOnlyWhatNobodyElseCanHaveStoppedIsSaidToHaveEndedByItself(t *testing.T) {
	roots, devs := beside.Daemon{User: "root", PID: 77}, beside.Daemon{User: "dev", UID: 1000, PID: 78}
	const mayBe = "is gone meanwhile; root's daemon (or a sweep of root's) may have stopped it: sudo reaperd explain 7"
	for _, row := range []struct {
		world    string
		me, user int
		others   beside.Daemons
		want     string
	}{
		{"a user's, and root's daemon runs", 1000, 1000, beside.Daemons{roots}, mayBe},
		{"root can stop it by hand", 1000, 1000, nil, "is gone meanwhile"},
		{"root's own", 0, 0, nil, "had ended by itself"},
		{"root's own, and a user's daemon runs", 0, 0, beside.Daemons{devs}, "had ended by itself"},
		{"its user can stop it by hand", 0, 1000, nil, "is gone meanwhile"},
		{"its user's daemon runs", 0, 1000, beside.Daemons{devs}, "is gone meanwhile; dev's daemon (or a sweep of dev's) may have stopped it: su dev -c 'reaperd explain 7'"},
		{"it is not known whose it was", 0, -1, nil, "is gone meanwhile"},
	} {
		target := &graph.Target{ID: "7:1", Name: "fetch", UID: inventory.Known(row.user)}
		if row.user < 0 {
			target.UID = inventory.Fact[int]{}
		}
		sight := &Sight{others: &row.others}
		sight.View.First = &graph.Graph{Targets: []*graph.Target{target}}
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{UID: inventory.Known(row.me)}}}
		if got := (&Sweep{Sight: sight}).became(policy.Act{TargetID: target.ID, Name: target.Name}, nil); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatWasReapedIsNotTakenForATypingMistake: a person names what a screen showed a moment ago.
func TestWhatWasReapedIsNotTakenForATypingMistake(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sight.state, sight.host = state.Dir(t.TempDir()), &host.Host{}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	now := time.Now()
	for _, entry := range []journal.Entry{
		{ID: "a", TargetID: "5292:7", Name: "fetch", Rule: "orphaned-servers", Result: string(done.Exited), Time: now.Add(-2 * time.Minute)},
		{ID: "b", TargetID: strings.Repeat("c0", 32), Name: "gitlab", Container: &journal.Container{Name: "/keepme"}, Rule: "orphaned-containers", Result: string(done.Killed), Time: now.Add(-time.Minute)},
		{ID: "e", TargetID: "5302:7", Name: "memory", Rule: "r", Result: string(done.Exited), BootID: "before", Time: now},
		{ID: "c", TargetID: "5300:7", Name: "git", Rule: "r", Result: string(done.Refused), Time: now},
		{ID: "d", TargetID: "5301:7", Name: "time", Rule: "r", Result: string(done.Exited), Time: now.Add(-25 * time.Hour)},
	} {
		entry.BootID = cmp.Or(entry.BootID, sight.View.Graph.Snapshot.Host.BootID)
		if err := record.Done(entry); err != nil {
			t.Fatal(err)
		}
	}
	look := sight.View.Graph.Snapshot
	look.Processes = append(look.Processes, inventory.Process{PID: 63, Start: 1, State: "S", Comm: "dockerd"}, inventory.Process{PID: 5310, Start: 1, State: "Z", Comm: "git"})
	when := human.Moment(now.Add(-2 * time.Minute).Local())
	for words, want := range map[string]string{
		"5292":        "5292 is gone: reaped " + when + " by rule orphaned-servers",
		"fetch":       "fetch is gone: reaped " + when + " by rule orphaned-servers",
		"keepme":      "keepme is gone: reaped " + human.Moment(now.Add(-time.Minute).Local()) + " by rule orphaned-containers",
		"5292 keepme": "5292 and keepme are gone: they were reaped",
		"5302":        "5302: no such MCP server, container or session here",
		"5300":        "5300: no such MCP server, container or session here",
		"5301":        "5301: no such MCP server, container or session here",
		"5292 typo":   "5292 is gone: reaped " + when + " by rule orphaned-servers; typo: no such MCP server, container or session here",
		"63":          "63 (dockerd) is no MCP server: reaperd never touches it",
		"63 typo":     "63 (dockerd) is no MCP server: reaperd never touches it; typo: no such MCP server, container or session here",
		"5310":        "5310 (git) is a zombie: it has exited, and its parent, an unknown process, has not waited for it yet",
		"fetch* 529":  "fetch*, 529: no such MCP server, container or session here",
	} {
		if err := sight.Missing(strings.Fields(words)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", words, err, want)
		}
	}
}

// TestWhatWasIdleStaysBecauseItIsInUseAgain, and what goes with it stays for that.
func TestWhatWasIdleStaysBecauseItIsInUseAgain(t *testing.T) {
	const reason = "reaperd pin keeps it"
	codex := graph.Target{ID: "5:1", Kind: graph.KindSession, Name: "codex", Root: &inventory.Process{PID: 5, Start: 1}}
	idle := codex
	idle.Finding = graph.FindingIdle
	server, orphan := graph.Target{ID: "7:1", Name: "fetch"}, graph.Target{ID: "8:1", Name: "git", Finding: graph.FindingOrphaned}
	for _, row := range []struct {
		world string
		act   policy.Act
		now   []*graph.Target
		want  string
	}{
		{"an idle session went to work", policy.Act{TargetID: "5:1", Finding: graph.FindingIdle}, []*graph.Target{&codex}, "stays: it is in use by now"},
		{"a server that goes with it", policy.Act{TargetID: "7:1", With: "5:1"}, []*graph.Target{&server, &codex}, "stays: it goes only with codex 5"},
		{"an older copy went to work", policy.Act{TargetID: "7:1", Finding: graph.FindingDuplicate}, []*graph.Target{&server}, "stays: it is in use by now"},
		{"an idle session was pinned", policy.Act{TargetID: "5:1", Finding: graph.FindingIdle}, []*graph.Target{&idle}, "stays: by now " + reason},
		{"an orphan was pinned", policy.Act{TargetID: "8:1", Finding: graph.FindingOrphaned}, []*graph.Target{&orphan}, "stays: by now " + reason},
		{"an orphan has an owner again", policy.Act{TargetID: "7:1", Finding: graph.FindingOrphaned}, []*graph.Target{&server}, "stays: by now " + reason},
	} {
		sight := &Sight{}
		for _, target := range row.now {
			sight.View.Verdicts = append(sight.View.Verdicts, policy.Verdict{Target: target, Reason: reason})
		}
		if got := (&Sweep{Sight: sight}).became(row.act, nil); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
