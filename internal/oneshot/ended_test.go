package oneshot

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
)

// leavers are what a daemon tells that has seen claude-code 12 end.
func leavers(since time.Time) []serve.Leaver {
	return []serve.Leaver{{Name: "claude-code", Kind: graph.OwnerSession, PID: 12, ID: "12:900", Since: since, Left: []serve.Left{
		{ID: "22:1000", Kind: overview.KindServer, Handle: "22"}, {ID: "31:1001", Kind: overview.KindServer, Handle: "31"},
	}}}
}

func TestASessionThatHasEndedIsExplainedByWhatItLeft(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	told := leavers(at)
	const left = "claude-code 12 ended 2026-11-22 10:06:45, left 2 servers: 22, 31."
	for word, want := range map[string]string{"claude-code": left, "12": left, "claude*": left, "codex": "", "22": "", "0": ""} {
		if got := endedIn(told, word); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if notes := endedNotes(told, []string{"codex", "12", "claude-code"}); len(notes) != 1 || notes[0] != "note: "+left {
		t.Errorf("notes %q", notes)
	}
	told[0].Left = append(told[0].Left, serve.Left{ID: "0123", Kind: overview.KindContainer, Handle: "eager_fermi"})
	if got, want := endedIn(told, "12"), "claude-code 12 ended 2026-11-22 10:06:45, left 2 servers and 1 container: 22, 31, eager_fermi."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := endedIn(nil, "claude-code"); got != "" {
		t.Errorf("no daemon answers: %q", got)
	}
}

func TestWhoLeftATargetIsShownAndChangesNoJudgement(t *testing.T) {
	orphan := &graph.Target{ID: "22:1000", Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
	live := &graph.Target{ID: "31:1001", Owner: graph.Owner{Name: "codex", Liveness: graph.LivenessLive}}
	judged := []policy.Verdict{{Target: orphan, Decision: policy.Pending}, {Target: live}}
	shown := report.Attributed(judged, formerOwners(leavers(time.Time{})))
	if o := shown[0].Target.Owner; o.Name != "claude-code" || o.ID.PID != 12 || o.ID.Start != 900 || shown[0].Decision != policy.Pending {
		t.Errorf("the orphan is shown with %+v", o)
	}
	if shown[1].Target != live || judged[0].Target != orphan || orphan.Owner.Name != "" {
		t.Errorf("the look is changed: %+v, %+v", shown[1].Target, orphan)
	}
}
