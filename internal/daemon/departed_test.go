package daemon

import (
	"slices"
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

// TestAContainerHasNotEndedWhereItsEngineWasNotRead: an engine that is stopped, or whose
// socket is away, tells of no container, and the containers may go on.
func TestAContainerHasNotEndedWhereItsEngineWasNotRead(t *testing.T) {
	const engine = "unix:///run/docker.sock"
	box := &graph.Target{
		ID: "0123", Kind: graph.KindContainer, Name: "gitlab", Finding: graph.FindingOrphaned,
		Container: &inventory.Container{ID: "0123", Name: "/keepme", Engine: engine},
	}
	look := func(status inventory.Status, endpoint string, targets ...*graph.Target) sweep.Round {
		s := &inventory.Snapshot{TakenAt: time.Unix(1, 0), Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: status, Endpoint: endpoint}}}
		round := sweep.Round{View: sweep.View{Graph: &graph.Graph{Snapshot: s}}}
		for _, target := range targets {
			round.View.Verdicts = append(round.View.Verdicts, policy.Verdict{Target: target, Decision: policy.Pending})
		}
		return round
	}
	for _, row := range []struct {
		world string
		next  []sweep.Round
		want  []string
	}{
		{"its engine answers without it", []sweep.Round{look(inventory.StatusOK, engine)}, []string{"0123"}},
		{"its engine is away", []sweep.Round{look(inventory.StatusAbsent, "")}, nil},
		{"its engine does not answer", []sweep.Round{look(inventory.StatusError, engine)}, nil},
		{"its engine does not tell of every container", []sweep.Round{look(inventory.StatusPartial, engine)}, nil},
		{"another engine answers", []sweep.Round{look(inventory.StatusOK, "unix:///run/podman.sock")}, nil},
		{"its engine comes back with it", []sweep.Round{look(inventory.StatusAbsent, ""), look(inventory.StatusOK, engine, box)}, nil},
		{"its engine comes back without it", []sweep.Round{look(inventory.StatusAbsent, ""), look(inventory.StatusOK, engine)}, []string{"0123"}},
	} {
		var d departed
		d.in(look(inventory.StatusOK, engine, box))
		var got []string
		for _, round := range row.next {
			for _, one := range d.in(round) {
				got = append(got, one.ID)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: gone are %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatMayHaveBeenInUseIsNotSaidToHaveBeen: root's daemon may have ended it, with the leaked gateway above it.
func TestWhatMayHaveBeenInUseIsNotSaidToHaveBeen(t *testing.T) {
	look := func(targets ...*graph.Target) sweep.Round {
		round := sweep.Round{View: sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Unix(1, 0)}}}}
		for _, target := range targets {
			round.View.Verdicts = append(round.View.Verdicts, policy.Verdict{Target: target})
		}
		return round
	}
	for world, row := range map[string]struct {
		owner graph.Owner
		inUse bool
	}{
		"a session had it":          {graph.Owner{Name: "codex", ID: inventory.ID{PID: 44, Start: 1}, Liveness: graph.LivenessLive}, true},
		"who had it cannot be seen": {graph.Owner{Liveness: graph.LivenessLive}, false},
	} {
		var d departed
		d.in(look(&graph.Target{ID: "60:1", Kind: graph.KindServer, Name: "fetch", Root: &inventory.Process{PID: 60, Start: 1}, Owner: row.owner}))
		if gone := d.in(look()); len(gone) != 1 || gone[0].InUse != row.inUse {
			t.Errorf("%s: %+v", world, gone)
		}
	}
}

// TestWhatWasLeftOfAReapedTreeWasReaped: a look meanwhile has shown it as a thing of its own.
func TestWhatWasLeftOfAReapedTreeWasReaped(t *testing.T) {
	look := func(targets ...*graph.Target) sweep.Round {
		round := sweep.Round{View: sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Unix(1, 0)}}}}
		for _, target := range targets {
			round.View.Verdicts = append(round.View.Verdicts, policy.Verdict{Target: target, Decision: policy.Reap, UnderWay: true})
		}
		return round
	}
	tree := []inventory.ID{{PID: 60, Start: 1}, {PID: 61, Start: 2}}
	left := &graph.Target{ID: tree[1].String(), Kind: graph.KindServer, Name: "memory", Root: &inventory.Process{PID: 61, Start: 2}}
	over := look()
	over.Outcomes = []sweep.Outcome{{Act: policy.Act{TargetID: tree[0].String(), Members: tree}, Outcome: reap.Outcome{Result: done.Killed}}}
	var d departed
	d.in(look(left))
	if gone := d.in(over); len(gone) != 1 || gone[0].How != serve.EndedByReaperd {
		t.Errorf("the daemon has ended it: %+v", gone)
	}
	d = departed{}
	d.in(look(left))
	d.hear([]journal.Entry{{Phase: journal.PhaseIntend, TargetID: tree[0].String(), Tree: []journal.Process{{PID: 60, Start: 1}, {PID: 61, Start: 2}}}})
	if gone := d.in(look()); len(gone) != 1 || gone[0].How != serve.EndedByHand {
		t.Errorf("a sweep by hand has ended it: %+v", gone)
	}
}
