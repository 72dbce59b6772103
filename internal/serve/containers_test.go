package serve

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestAContainerIsKnownAsItWasSeenLastWhileItsEngineCannotBeRead(t *testing.T) {
	const engine = "unix:///var/run/docker.sock"
	m, _ := newTestMetrics()
	box := &inventory.Container{ID: "0123456789abcdef", Name: "/keepme", Engine: engine}
	owner := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 44, Start: 1}}
	look := func(at time.Time, status inventory.Status, targets ...*graph.Target) []SeenContainer {
		snapshot := &inventory.Snapshot{TakenAt: at, Sources: []inventory.Source{{Name: inventory.SourceDocker, Endpoint: engine, Status: status}}}
		m.Publish(Update{Graph: &graph.Graph{Snapshot: snapshot, Targets: targets}})
		return New(Options{Metrics: m}).state().Containers
	}
	there := []*graph.Target{
		{ID: box.ID, Kind: graph.KindContainer, Name: "notes", Container: box, Owner: owner, Finding: graph.FindingOrphaned},
		{ID: "fedcba", Kind: graph.KindContainer, Name: "redis", Container: &inventory.Container{ID: "fedcba"}, Incidental: true},
		{ID: "56:1", Kind: graph.KindServer, Name: "fetch"},
	}
	orphan := *there[0]
	orphan.Owner = graph.Owner{Liveness: graph.LivenessGone}
	alone := []*graph.Target{&orphan}
	for i, row := range []struct {
		world   string
		status  inventory.Status
		targets []*graph.Target
		seen    time.Duration // after noon; below zero: it is not known
		unseen  time.Duration // the first look without it; zero: the last look shows it
	}{
		{"the first look does not show it", inventory.StatusOK, nil, -1, 0},
		{"it runs", inventory.StatusOK, there, time.Second, 0},
		{"its engine does not answer", inventory.StatusError, nil, time.Second, 2 * time.Second},
		{"still not", inventory.StatusError, nil, time.Second, 2 * time.Second},
		{"its engine is no more", inventory.StatusAbsent, nil, time.Second, 2 * time.Second},
		{"not all of its containers could be read", inventory.StatusPartial, nil, time.Second, 2 * time.Second},
		{"it answers, and shows it", inventory.StatusOK, there, 6 * time.Second, 0},
		{"its docker run has ended, and nobody has it", inventory.StatusOK, alone, 7 * time.Second, 0},
		{"it answers, and does not show it any more", inventory.StatusOK, nil, -1, 0},
		{"it does not answer: what had gone before is not known", inventory.StatusError, nil, -1, 0},
	} {
		got := look(noon.Add(time.Duration(i)*time.Second), row.status, row.targets...)
		switch {
		case got == nil || len(got) > 1 || (len(got) == 1) != (row.seen >= 0):
			t.Errorf("%s: %+v", row.world, got)
		case len(got) == 1 && (got[0].ID != box.ID || got[0].Name != "notes" || got[0].Handle != "keepme" || got[0].Owner != "codex 44" || got[0].SessionID != "44:1" || got[0].Finding != graph.FindingOrphaned || !got[0].At.Equal(noon.Add(row.seen))):
			t.Errorf("%s: %+v", row.world, got[0])
		case len(got) == 1 && (got[0].UnseenSince.IsZero() != (row.unseen == 0) || row.unseen > 0 && !got[0].UnseenSince.Equal(noon.Add(row.unseen))):
			t.Errorf("%s: unseen since %v", row.world, got[0].UnseenSince)
		}
	}
}

func TestTheTreeSaysSinceWhenAnEngineIsGoneWithItsContainers(t *testing.T) {
	const engine = "unix:///var/run/docker.sock"
	box := &inventory.Container{ID: "0123456789abcdef", Name: "/keepme", Engine: engine}
	there := []*graph.Target{{ID: box.ID, Kind: graph.KindContainer, Name: "notes", Container: box}}
	its, another := inventory.Process{PID: 9, ContainerID: box.ID}, inventory.Process{PID: 8}
	cli := &inventory.Process{PID: 7, Start: 1, Argv: []string{"docker", "run", "-i", "mcp/notes"}}
	run := &graph.Target{ID: "7:1", Kind: graph.KindServer, Root: cli, Members: []*inventory.Process{cli}}
	type look struct {
		engine    inventory.Status
		processes []inventory.Process
		targets   []*graph.Target
	}
	runs := look{inventory.StatusOK, []inventory.Process{its, another}, there}
	for _, row := range []struct {
		world string
		looks []look // one a second
		want  overview.Unseen
	}{
		{"it runs", []look{runs}, overview.Unseen{}},
		{"its engine is gone, and it runs on", []look{runs, {inventory.StatusAbsent, runs.processes, nil}, {inventory.StatusAbsent, runs.processes, nil}},
			overview.Unseen{Containers: 1, Engines: []string{"podman"}, Since: noon.Add(time.Second)}},
		{"its engine is gone, and looks do not read its processes whole any more", []look{runs, {inventory.StatusAbsent, []inventory.Process{another}, nil}, {inventory.StatusAbsent, []inventory.Process{another}, nil}},
			overview.Unseen{Containers: 1, Engines: []string{"podman"}, Since: noon.Add(time.Second)}},
		{"its engine is gone, and none of its processes was ever seen here", []look{
			{inventory.StatusOK, []inventory.Process{another}, there}, {inventory.StatusAbsent, []inventory.Process{another}, nil},
		}, overview.Unseen{Containers: 1, Engines: []string{"podman"}, Since: noon.Add(time.Second)}},
		{"its engine does not answer, which a source says", []look{runs, {inventory.StatusError, runs.processes, nil}}, overview.Unseen{}},
		{"its engine came back", []look{runs, {inventory.StatusAbsent, runs.processes, nil}, runs}, overview.Unseen{}},
		{"no engine was ever seen", []look{{inventory.StatusAbsent, nil, nil}}, overview.Unseen{}},
		{"its engine is gone, and its docker run is there", []look{runs, {inventory.StatusAbsent, nil, []*graph.Target{run}}}, overview.Unseen{Containers: 1, Engines: []string{"podman"}, Since: noon.Add(time.Second)}},
		{"a docker run is there, and no engine was ever seen", []look{{inventory.StatusAbsent, nil, []*graph.Target{run}}}, overview.Unseen{Containers: 1}},
	} {
		m, _ := newTestMetrics()
		for i, l := range row.looks {
			var verdicts []policy.Verdict
			for _, t := range l.targets {
				verdicts = append(verdicts, policy.Verdict{Target: t})
			}
			m.Publish(Update{Verdicts: verdicts, Graph: &graph.Graph{Targets: l.targets, Snapshot: &inventory.Snapshot{
				TakenAt: noon.Add(time.Duration(i) * time.Second), Processes: l.processes, Sources: []inventory.Source{
					{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, {Name: inventory.SourceDocker, Endpoint: engine, Status: l.engine, Program: inventory.ProgramPodman},
				},
			}}})
		}
		if got := m.Tree().Unseen; !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.world, got, row.want)
		}
	}
}

func TestTheTreeHasTheFaultsOfARefusedPolicy(t *testing.T) {
	m, _ := newTestMetrics()
	fault := "policies.yaml:3: unknown key \"moed\""
	m.PolicyRefused([]string{fault}, "")
	if got := m.Tree().Refused; len(got) > 0 {
		t.Errorf("no policy holds: the daemon is not ready, and the tree has %q", got)
	}
	m.PolicyReloaded(Policy{Identity: policy.Identity{SHA256: "abc"}}, noon)
	m.PolicyRefused([]string{fault}, "/etc/p.yaml")
	if tree := m.Tree(); !slices.Equal(tree.Refused, []string{fault}) || tree.RefusedFile != "/etc/p.yaml" || m.current().Policy.RefusedFile != "/etc/p.yaml" {
		t.Errorf("%q in %q", tree.Refused, tree.RefusedFile)
	}
	m.PolicyReloaded(Policy{Identity: policy.Identity{SHA256: "def"}}, noon)
	if got := m.Tree().Refused; len(got) > 0 || m.current().Policy.RefusedFile != "" {
		t.Errorf("it is mended, and the tree has %q", got)
	}
}

func TestAContainerIsKnownWithTheSessionThatHasItOrLeftIt(t *testing.T) {
	codex := graph.Owner{Name: "codex", Kind: graph.OwnerSession, ID: inventory.ID{PID: 44, Start: 1}}
	gateway := &inventory.Process{PID: 50, Start: 1}
	box := func(id string, owner graph.Owner) *graph.Target {
		return &graph.Target{ID: id, Kind: graph.KindContainer, Name: id, Container: &inventory.Container{ID: id}, Owner: owner}
	}
	nobodys := graph.Owner{Liveness: graph.LivenessGone}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: noon}, Targets: []*graph.Target{
		{ID: gateway.ID().String(), Kind: graph.KindGateway, Root: gateway, Owner: codex},
		box("of a session", codex), box("of its gateway", graph.Owner{Kind: graph.OwnerGateway, ID: gateway.ID()}),
		box("of a shell", graph.Owner{Name: "bash", Kind: graph.OwnerProcess, ID: inventory.ID{PID: 5, Start: 1}}),
		box("of nobody", nobodys), box("as an earlier daemon saw", nobodys),
	}}
	told := *g.Targets[5]
	told.Owner = codex
	m, _ := newTestMetrics()
	m.Publish(Update{Graph: g, Verdicts: []policy.Verdict{{Target: &told}}})
	for _, c := range m.current().Containers {
		if want := map[string]string{"of a session": "44:1", "of its gateway": "44:1", "as an earlier daemon saw": "44:1"}[c.Name]; c.SessionID != want {
			t.Errorf("%s: session %q, want %q", c.Name, c.SessionID, want)
		}
	}
	if n := len(m.current().Containers); n != 5 {
		t.Errorf("%d containers", n)
	}
}
