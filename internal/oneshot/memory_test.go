package oneshot

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// remembered is the tree of a daemon that has seen claude-code 12 end.
func remembered(since time.Time) *overview.Tree {
	return &overview.Tree{Branches: []overview.Branch{{Name: overview.BranchLeaked, Nodes: []overview.Node{{
		Key: "gone:12:900", Kind: overview.KindGone, Name: "claude-code", PID: 12,
		Owner: overview.Owner{Name: "claude-code", Kind: graph.OwnerSession, PID: 12, Liveness: graph.LivenessGone, Since: since},
		Children: []overview.Node{
			{Kind: overview.KindServer, Name: "fetch", Target: "22:1000", Handle: "22"},
			{Kind: overview.KindServer, Name: "memory", Target: "31:1001", Handle: "31"},
		},
	}, {Key: "gone:", Kind: overview.KindGone, Children: []overview.Node{{Target: "40:1"}}}}}}}
}

func TestASessionThatHasEndedIsExplainedByWhatItLeft(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	tree := remembered(at)
	const left = "claude-code 12 ended 2026-11-22 10:06:45, left 2 servers: 22, 31."
	for word, want := range map[string]string{"claude-code": left, "12": left, "claude*": left, "codex": "", "22": "", "0": ""} {
		if got := endedIn(tree, word); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if notes := endedNotes(tree, []string{"codex", "12", "claude-code"}); len(notes) != 1 || notes[0] != "note: "+left {
		t.Errorf("notes %q", notes)
	}
	if got := endedIn(&overview.Tree{}, "claude-code"); got != "" {
		t.Errorf("no daemon answers: %q", got)
	}
}

func TestWhoLeftATargetIsShownAndChangesNoJudgement(t *testing.T) {
	orphan := &graph.Target{ID: "22:1000", Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
	live := &graph.Target{ID: "31:1001", Owner: graph.Owner{Name: "codex", Liveness: graph.LivenessLive}}
	judged := []policy.Verdict{{Target: orphan, Decision: policy.Pending}, {Target: live}}
	shown := attributed(judged, remembered(time.Time{}))
	if o := shown[0].Target.Owner; o.Name != "claude-code" || o.ID.PID != 12 || o.ID.Start != 900 || shown[0].Decision != policy.Pending {
		t.Errorf("the orphan is shown with %+v", o)
	}
	if shown[1].Target != live || judged[0].Target != orphan || orphan.Owner.Name != "" {
		t.Errorf("the look is changed: %+v, %+v", shown[1].Target, orphan)
	}
}
