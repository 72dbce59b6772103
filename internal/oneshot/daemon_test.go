package oneshot

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// TestWhatTheDaemonIsEndingIsAskedAnew: an act may have begun since the look.
func TestWhatTheDaemonIsEndingIsAskedAnew(t *testing.T) {
	sight := &Sight{state: state.Dir(t.TempDir()), sweeper: &sweep.Sweeper{}, daemon: &serve.State{UnderWay: []serve.Begun{{Target: "30:300"}}}}
	if begun := sight.Begun(t.Context()); len(begun) > 0 {
		t.Errorf("no daemon runs, and %v has begun", begun)
	}
	listens(t, sight.state.Socket(), http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(out).Encode(serve.State{Version: serve.Version, UnderWay: []serve.Begun{{Target: "10:100", Tree: []string{"10:100", "11:110"}}, {Target: "20:200", Imminent: true}}})
	}))
	if begun := sight.Begun(t.Context()); !maps.Equal(begun, map[string]bool{"10:100": true, "11:110": true}) {
		t.Errorf("%v has begun", begun)
	}
}

// TestWhatTheDaemonIsEndingIsToldAsTheDaemonFoundIt: its finding, its rule with its place, and with what it goes.
func TestWhatTheDaemonIsEndingIsToldAsTheDaemonFoundIt(t *testing.T) {
	since := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	begun := serve.Begun{Target: "44:440", Rule: "idle-end", Origin: "/etc/reaperd/policies.yaml:4", Action: policy.ActionTerminate, Finding: graph.FindingIdle, Since: since, Evidence: []graph.Evidence{{Text: "it rests"}}, With: "12:120", Imminent: true}
	acts := (&Sight{daemon: &serve.State{UnderWay: []serve.Begun{begun}}}).underWay().Acts
	want := policy.Act{TargetID: "44:440", Rule: "idle-end", RuleOrigin: policy.Origin{File: "/etc/reaperd/policies.yaml", Line: 4}, Verb: policy.ActionTerminate, Finding: graph.FindingIdle, FindingSince: since, Evidence: []graph.Evidence{{Text: "it rests"}}, With: "12:120", Imminent: true}
	if len(acts) != 1 || !reflect.DeepEqual(acts[0], want) {
		t.Errorf("%+v, want %+v", acts, want)
	}
}

// TestWhatASweepByHandIsEndingIsToldAsThatFoundIt: as what a daemon is ending, from the journal.
func TestWhatASweepByHandIsEndingIsToldAsThatFoundIt(t *testing.T) {
	since := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	entry := journal.Entry{
		TargetID: "44:440", Rule: "idle-end", RuleOrigin: "/etc/reaperd/policies.yaml:4", Action: "terminate", GraceSeconds: 40, Finding: "idle", FindingSince: since, With: "claude-code 12:120",
		Evidence: []journal.Evidence{{Check: "ancestor", Says: "owned", Proof: true, Text: "claude-code 12 is above it"}, {Check: "activity", Says: "silent", Text: "it rests"}},
	}
	want := policy.Act{
		TargetID: "44:440", Rule: "idle-end", RuleOrigin: policy.Origin{File: "/etc/reaperd/policies.yaml", Line: 4}, Verb: policy.ActionTerminate, Grace: 40 * time.Second, Finding: graph.FindingIdle, FindingSince: since, With: "12:120",
		Evidence: []graph.Evidence{{Check: graph.CheckAncestor, Says: graph.SaysOwned, Proof: true, Text: "claude-code 12 is above it"}, {Check: graph.CheckActivity, Text: "it rests"}},
	}
	if acts := withUnfinished(policy.UnderWay{}, []journal.Entry{entry}).Acts; len(acts) != 1 || !reflect.DeepEqual(acts[0], want) {
		t.Errorf("%+v, want %+v", acts, want)
	}
}

// TestWhatIsLeftOfATreeIsPartOfTheActOnIt, though its first process is gone: of the daemon's, and of a sweep by hand.
func TestWhatIsLeftOfATreeIsPartOfTheActOnIt(t *testing.T) {
	daemon := &serve.State{UnderWay: []serve.Begun{{Target: "10:100", Tree: []string{"10:100", "11:110"}}}}
	entries := []journal.Entry{{TargetID: "20:200", Tree: []journal.Process{{PID: 20, Start: 200}, {PID: 21, Start: 210}}}, {TargetID: "0a", Kind: "container", Client: "40:400"}}
	begun := withUnfinished((&Sight{daemon: daemon}).underWay(), entries)
	for id, want := range map[inventory.ID]bool{{PID: 11, Start: 110}: true, {PID: 21, Start: 210}: true, {PID: 40, Start: 400}: true, {PID: 11, Start: 111}: false, {PID: 31, Start: 310}: false} {
		if got := begun.Holds(id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}

// TestTheDaemonsWordOnItsActsIsNotReplacedByTheJournals, which knows less of them; of a sweep by hand only that knows.
func TestTheDaemonsWordOnItsActsIsNotReplacedByTheJournals(t *testing.T) {
	told := policy.Act{TargetID: "44:440", Rule: "idle-end", RuleOrigin: policy.Origin{File: "p.yaml", Line: 4}, Finding: graph.FindingIdle}
	since := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	entries := []journal.Entry{{TargetID: "44:440", Rule: "idle-end"}, {TargetID: "50:500", Name: "fetch", Kind: "server", Rule: "orphaned-servers", Action: "terminate", Finding: "orphaned", FindingSince: since}}
	acts := withUnfinished(policy.UnderWay{Acts: []policy.Act{told}}, entries).Acts
	want := []policy.Act{told, {TargetID: "50:500", Name: "fetch", Kind: graph.KindServer, Rule: "orphaned-servers", Verb: policy.ActionTerminate, Finding: graph.FindingOrphaned, FindingSince: since}}
	if !reflect.DeepEqual(acts, want) {
		t.Errorf("%+v, want %+v", acts, want)
	}
}

// TestWhatTheDaemonHasNotToldYetHasBegun: its intention is in the journal, and no outcome. Where that daemon was ended,
// nobody is at it.
func TestWhatTheDaemonHasNotToldYetHasBegun(t *testing.T) {
	sight := &Sight{state: state.Dir(t.TempDir()), sweeper: &sweep.Sweeper{}}
	record, err := journal.Open(filepath.Join(string(sight.state), journal.FileName), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	now := time.Now()
	for _, entry := range []journal.Entry{
		{ID: "a1", TargetID: "10:100", Time: now}, {ID: "a2", TargetID: "20:200", Time: now}, {ID: "a3", TargetID: "30:300", Time: now.Add(-time.Hour)},
	} {
		if err := record.Intend(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Done(journal.Entry{ID: "a2", TargetID: "20:200", Time: now, Result: string(done.Exited)}); err != nil {
		t.Fatal(err)
	}
	expect := func(world string, want map[string]bool) {
		t.Helper()
		if begun := sight.Begun(t.Context()); !maps.Equal(begun, want) {
			t.Errorf("%s: %v has begun, want %v", world, begun, want)
		}
	}
	none := map[string]bool{}
	expect("no daemon runs", none)
	runsSince(t, sight.state, now.Add(-2*time.Hour), func() {
		expect("one act is over, and one was begun an hour ago", map[string]bool{"10:100": true})
	})
	runsSince(t, sight.state, now.Add(time.Millisecond), func() { expect("the daemon was started later", none) })
}

// runsSince calls do while a daemon has a state directory.
func runsSince(t *testing.T, dir state.Dir, since time.Time, do func()) {
	t.Helper()
	held, err := dir.Lock(since)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	do()
}

// TestAJournalThatTheDaemonCannotWriteTakesNoSweepEither: if it is the one that a sweep writes.
func TestAJournalThatTheDaemonCannotWriteTakesNoSweepEither(t *testing.T) {
	dir := state.Dir(t.TempDir())
	for file, want := range map[string]bool{"": false, filepath.Join(string(dir), journal.FileName): true, "/srv/another.jsonl": false} {
		sight := &Sight{Policy: policyfile.Shipped(), state: dir, host: &host.Host{}, sweeper: &sweep.Sweeper{}, daemon: &serve.State{Unrecorded: file}}
		if got := sight.Report("scan").Unrecorded; got != want {
			t.Errorf("the daemon cannot write %q: %v", file, got)
		}
	}
}

// TestWhatTheJournalSaysIsBeingEndedIsShownAsThat: scan and explain say so while the daemon runs that began it, and no
// sweep goes by it.
func TestWhatTheJournalSaysIsBeingEndedIsShownAsThat(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sight.state, sight.host = state.Dir(t.TempDir()), &host.Host{}
	at := slices.IndexFunc(sight.View.Verdicts, func(v policy.Verdict) bool { return v.Target.Container != nil && v.Decision == policy.Reap })
	box := sight.View.Verdicts[at].Target
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	entry := journal.Entry{ID: "a1", Time: time.Now(), BootID: sight.View.Graph.Snapshot.Host.BootID, TargetID: box.ID, Name: box.Name, Kind: string(box.Kind), Rule: "orphaned-containers", Action: string(policy.ActionRemove)}
	isShown := func() bool {
		t.Helper()
		explanation, err := sight.Explain(box.ID)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := explanation.Write(&text, report.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		explained := strings.Contains(text.String(), "It is being removed (rule orphaned-containers).")
		var table strings.Builder
		if err := report.Table(&table, sight.Report("scan"), report.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if scanned := strings.Contains(table.String(), "1 container is being removed."); scanned != explained {
			t.Errorf("scan says so: %v, and explain: %v\n%s\n%s", scanned, explained, table.String(), text.String())
		}
		return explained
	}
	if isShown() {
		t.Error("before the sweep acted")
	}
	if err := record.Intend(entry); err != nil {
		t.Fatal(err)
	}
	if isShown() {
		t.Error("no daemon runs, and nobody is at it")
	}
	if notes := strings.Join(sight.triedLately(box.ID), "\n"); !strings.HasSuffix(notes, " (rule orphaned-containers), and was ended before that was done") {
		t.Errorf("of the act that was not finished explain says %q", notes)
	}
	runsSince(t, sight.state, entry.Time.Add(-time.Hour), func() {
		if !isShown() {
			t.Error("not while the act goes on")
		}
		if notes := sight.triedLately(box.ID); len(notes) > 0 {
			t.Errorf("of the act that goes on explain says %q", notes)
		}
	})
	plan, err := (&Sweep{Sight: sight, Order: Order{Named: []string{box.ID}}}).Plan()
	if err != nil || !slices.ContainsFunc(plan.Acts, func(a policy.Act) bool { return a.TargetID == box.ID }) {
		t.Errorf("another sweep plans %+v, %v", plan.Acts, err)
	}
	entry.Result = string(done.Failed)
	if err := record.Done(entry); err != nil {
		t.Fatal(err)
	}
	if isShown() {
		t.Error("after the act has failed")
	}
}

// TestAnotherPolicyOfTheDaemonIsToldByItsFile: the built-in one, and the same, need no word.
func TestAnotherPolicyOfTheDaemonIsToldByItsFile(t *testing.T) {
	own := policyfile.Shipped()
	for want, daemon := range map[string]*serve.State{
		"/run/p.yaml": {Policy: serve.PolicyState{Source: "/run/p.yaml", SHA256: "another"}},
		"":            {Policy: serve.PolicyState{Source: "/run/p.yaml", SHA256: own.Hash}},
	} {
		if got := (&Sight{Policy: own, daemon: daemon}).OtherPolicy(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for world, sight := range map[string]*Sight{
		"no daemon":        {Policy: own},
		"the built-in one": {Policy: own, daemon: &serve.State{Policy: serve.PolicyState{Source: policy.Builtin, SHA256: "another"}}},
	} {
		if got := sight.OtherPolicy(); got != "" {
			t.Errorf("%s: got %q", world, got)
		}
	}
}

// TestWhatIsLeftOfATreeWasLeftByTheSameSession, and it is what still runs of that.
func TestWhatIsLeftOfATreeWasLeftByTheSameSession(t *testing.T) {
	told := &serve.State{
		Leavers:  []serve.Leaver{{Name: "codex", PID: 12, ID: "12:120", Left: []serve.Left{{ID: "50:500", Kind: "server", Name: "memory", Handle: "50"}}}},
		UnderWay: []serve.Begun{{Target: "50:500", Tree: []string{"50:500", "51:510"}}},
	}
	if owner := formerOwners(told)["51:510"]; owner.Name != "codex" {
		t.Errorf("it was left by %+v", owner)
	}
	rest := &graph.Target{ID: "51:510", Kind: graph.KindServer, Name: "memory", Root: &inventory.Process{PID: 51, Start: 510}}
	for want, targets := range map[string][]*graph.Target{"51": {rest}, "": nil} {
		look := &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}}, Targets: targets}
		var runs string
		for _, left := range pastOf(told, look, map[string]string{"50:500": "12:120"}).sessions[0].runs {
			runs += left.Handle
		}
		if runs != want {
			t.Errorf("%q still runs, want %q", runs, want)
		}
	}
	if told.Leavers[0].Left[0].ID != "50:500" {
		t.Error("what the daemon has told was changed")
	}
}

// TestASweepLeavesAloneWhatAnotherOneStops, while that runs: who began an act and was killed ends nothing more.
func TestASweepLeavesAloneWhatAnotherOneStops(t *testing.T) {
	sight, err := Open(policyfile.Shipped(), state.Dir(t.TempDir()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sight.Close()
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	look, err := sight.host.Look(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	idOf := func(pid int) string {
		at := slices.IndexFunc(look.Processes, func(p inventory.Process) bool { return p.PID == pid })
		return look.Processes[at].ID().String()
	}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	now, boot := time.Now(), scan.BootID()
	for _, entry := range []journal.Entry{
		{ID: "a", TargetID: "10:100", Reaper: idOf(other.Process.Pid), BootID: boot, Time: now.Add(-5 * time.Minute)}, // a long grace
		{ID: "b", TargetID: "20:200", Reaper: fmt.Sprintf("%d:1", other.Process.Pid), BootID: boot, Time: now},        // its number is another's by now
		{ID: "c", TargetID: "30:300", Reaper: idOf(os.Getpid()), BootID: boot, Time: now},
		{ID: "d", TargetID: "40:400", Time: now}, // a daemon's
	} {
		if err := record.Intend(entry); err != nil {
			t.Fatal(err)
		}
	}
	targets := func(acts []policy.Act) (ids []string) {
		for _, act := range acts {
			ids = append(ids, act.TargetID)
		}
		return ids
	}
	if got := targets(sight.underWay().Acts); !slices.Equal(got, []string{"10:100"}) {
		t.Errorf("a sweep leaves alone %v", got)
	}
	sight.daemon = &serve.State{UnderWay: []serve.Begun{{Target: "50:500"}}}
	if got := targets(sight.underWay().Acts); !slices.Equal(got, []string{"50:500", "10:100"}) {
		t.Errorf("beside a daemon it leaves alone %v", got)
	}
	for world, since := range map[string]time.Duration{"the daemon that began one runs": time.Hour, "it was started later": -time.Hour} {
		runsSince(t, sight.state, now.Add(-since), func() {
			if begun := sight.Begun(t.Context()); !begun["10:100"] || begun["20:200"] || begun["30:300"] || begun["40:400"] != (since > 0) {
				t.Errorf("%s: begun: %v", world, begun)
			}
		})
	}
}

// TestServersThatADaemonKnewByTheirShapeAreKnownWithoutIt: once their session is gone nothing else tells that they are
// servers. Another boot's numbers mean nothing.
func TestServersThatADaemonKnewByTheirShapeAreKnownWithoutIt(t *testing.T) {
	for boot, want := range map[string]bool{scan.BootID(): true, "an earlier boot": false} {
		dir := state.Dir(t.TempDir())
		if err := dir.KeepShapes(boot, []string{"20:200"}); err != nil {
			t.Fatal(err)
		}
		sight := &Sight{state: dir, sweeper: &sweep.Sweeper{}}
		sight.Recall(t.Context())
		if got := sight.sweeper.Recalled; got.Targets["20:200"].ByShape != want || got.Sessions != nil {
			t.Errorf("boot %q: %+v", boot, got)
		}
	}
}
