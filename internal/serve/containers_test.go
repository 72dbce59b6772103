package serve

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestAContainerIsKnownAsItWasSeenLastWhileItsEngineCannotBeRead(t *testing.T) {
	const engine = "unix:///var/run/docker.sock"
	m, _ := newTestMetrics()
	box := &inventory.Container{ID: "0123456789abcdef", Name: "/keepme", Engine: engine}
	owner := graph.Owner{Name: "codex", ID: inventory.ID{PID: 44, Start: 1}}
	look := func(at time.Time, status inventory.Status, targets ...*graph.Target) []SeenContainer {
		snapshot := &inventory.Snapshot{TakenAt: at, Sources: []inventory.Source{{Name: inventory.SourceDocker, Endpoint: engine, Status: status}}}
		m.Publish(Update{Graph: &graph.Graph{Snapshot: snapshot, Targets: targets}})
		return New(Options{Metrics: m}).state().Containers
	}
	there := []*graph.Target{
		{ID: box.ID, Kind: graph.KindContainer, Name: "notes", Container: box, Owner: owner},
		{ID: "fedcba", Kind: graph.KindContainer, Name: "redis", Container: &inventory.Container{ID: "fedcba"}, Incidental: true},
		{ID: "56:1", Kind: graph.KindServer, Name: "fetch"},
	}
	for i, row := range []struct {
		world   string
		status  inventory.Status
		targets []*graph.Target
		seen    time.Duration // after noon; below zero: it is not known
	}{
		{"the first look does not show it", inventory.StatusOK, nil, -1},
		{"it runs", inventory.StatusOK, there, time.Second},
		{"its engine does not answer", inventory.StatusError, nil, time.Second},
		{"still not", inventory.StatusError, nil, time.Second},
		{"its engine is no more", inventory.StatusAbsent, nil, time.Second},
		{"not all of its containers could be read", inventory.StatusPartial, nil, time.Second},
		{"it answers, and shows it", inventory.StatusOK, there, 6 * time.Second},
		{"it answers, and does not show it any more", inventory.StatusOK, nil, -1},
		{"it does not answer: what had gone before is not known", inventory.StatusError, nil, -1},
	} {
		got := look(noon.Add(time.Duration(i)*time.Second), row.status, row.targets...)
		switch {
		case got == nil || len(got) > 1 || (len(got) == 1) != (row.seen >= 0):
			t.Errorf("%s: %+v", row.world, got)
		case len(got) == 1 && (got[0].ID != box.ID || got[0].Name != "notes" || got[0].Handle != "keepme" || got[0].Owner != "codex 44" || !got[0].At.Equal(noon.Add(row.seen))):
			t.Errorf("%s: %+v", row.world, got[0])
		}
	}
}
