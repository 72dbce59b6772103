package oneshot

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
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
