package serve

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheTreeIsThatOfTheLastLook(t *testing.T) {
	m := published(t, full())
	tree := m.Tree()
	if tree.Totals.Sessions != 2 || tree.Totals.Pending != 1 || len(tree.Ended) != 2 || !tree.Pause.On || tree.Mode != policy.ModeEnforce {
		t.Errorf("%+v", tree)
	}
	if tree.Find("server:40007:1") != nil {
		t.Error("what was reaped is in the tree")
	}
	refused := tree.Find("server:40008:1")
	if refused == nil || refused.Outcome != "refused" {
		t.Errorf("what an act was refused on: %+v", refused)
	}
	m.Publish(Update{Result: ResultFailed})
	if m.Tree().Totals.Sessions != 2 {
		t.Error("a sweep that saw nothing has taken the tree away")
	}
}

func TestActsThatGoOnAreShown(t *testing.T) {
	w := &world{}
	for range 3 {
		w.judged(gone("codex"), graph.FindingOrphaned, policy.Reap)
	}
	ended := func(v policy.Verdict) policy.Outcome {
		return policy.Outcome{Target: v.Target.ID, Result: done.Exited, At: noon}
	}
	going := func(v policy.Verdict) Begun { return Begun{Target: v.Target.ID} }
	first := w.update()
	first.Outcomes, first.UnderWay = []policy.Outcome{ended(w.verdicts[0])}, []Begun{going(w.verdicts[1]), going(w.verdicts[2])}
	again := w.update()
	again.Again, again.Outcomes, again.UnderWay = true, []policy.Outcome{ended(w.verdicts[1])}, []Begun{going(w.verdicts[2])}
	tree := published(t, first, again).Tree()
	watched := w.judged(gone("codex"), graph.FindingOrphaned, policy.Reap)
	first.Graph, first.Verdicts = w.update().Graph, w.verdicts
	first.UnderWay = append(first.UnderWay, Begun{Target: watched.Target.ID, Imminent: true})
	before := published(t, first).Tree()
	if node := before.Find("server:" + watched.Target.ID); node == nil || node.State != overview.StateDue {
		t.Errorf("what is about to be stopped: %+v", node)
	}
	for i, want := range []overview.State{"", "", overview.StateReaping} {
		node := tree.Find("server:" + w.verdicts[i].Target.ID)
		if want == "" && node != nil || want != "" && (node == nil || node.State != want) {
			t.Errorf("server %d: %+v, want it %q", i, node, want)
		}
	}
}

// TestARefusalHasTheTimeOfItsFirstLook: the finding may be hours older.
func TestARefusalHasTheTimeOfItsFirstLook(t *testing.T) {
	w := &world{}
	v := w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep)
	v.Target.Since = noon.Add(-time.Hour)
	at := func(look time.Time, guards ...graph.Guard) Update {
		u := w.update()
		u.Graph.Snapshot.TakenAt = look
		judged := *v
		for _, guard := range guards {
			judged.Vetoes = append(judged.Vetoes, graph.Veto{Guard: guard})
		}
		u.Verdicts = []policy.Verdict{judged}
		return u
	}
	m, _ := newTestMetrics()
	for _, row := range []struct {
		world string
		look  Update
		want  time.Time
	}{
		{"the first look", at(noon, graph.GuardInUse), noon},
		{"the next one", at(noon.Add(time.Minute), graph.GuardInUse), noon},
		{"another guard keeps it", at(noon.Add(2*time.Minute), graph.GuardSession), noon.Add(2 * time.Minute)},
		{"the first guard again", at(noon.Add(3*time.Minute), graph.GuardInUse), noon.Add(3 * time.Minute)},
	} {
		m.Publish(row.look)
		if got := m.Tree().Refusals; len(got) != 1 || !got[0].At.Equal(row.want) {
			t.Errorf("%s: %+v, want it at %s", row.world, got, row.want)
		}
	}
	tried := at(noon.Add(4 * time.Minute))
	tried.Outcomes = []policy.Outcome{{Target: v.Target.ID, Result: done.Failed, At: noon.Add(5 * time.Minute)}}
	m.Publish(tried)
	if got := m.Tree().Refusals; len(got) != 1 || !got[0].At.Equal(noon.Add(5*time.Minute)) {
		t.Errorf("an act that failed: %+v", got)
	}
}

func TestTheTreeBeforeTheFirstLook(t *testing.T) {
	m, _ := newTestMetrics()
	if tree := m.Tree(); !tree.At.IsZero() || len(tree.Branches) != 4 || len(tree.Day) != 48 {
		t.Errorf("%+v", tree)
	}
}

func TestAnOrphanIsFoundOnce(t *testing.T) {
	m, _ := newTestMetrics()
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	m.Publish(w.update())
	m.Publish(w.update())
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(gone("codex"), graph.FindingDisconnected, policy.Pending)
	m.Publish(w.update())
	if last := m.Tree().Day[47]; last.Found != 2 {
		t.Errorf("%d orphans found, want 2", last.Found)
	}
}

func TestAnOrphanIsFoundOnceWhateverBecomesOfIt(t *testing.T) {
	m, _ := newTestMetrics()
	w := &world{}
	v := w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	root, leaf := v.Target.Root, &inventory.Process{PID: 99, Start: 990}
	v.Target.Members = []*inventory.Process{root, leaf}
	m.Publish(w.update())
	v.Target.Finding = graph.FindingNone // not all of it could be read
	m.Publish(w.update())
	without := w.update()
	without.Verdicts, without.Graph = nil, &graph.Graph{Snapshot: without.Graph.Snapshot} // a sweep by hand was ending it
	m.Publish(without)
	v.Target.Finding = graph.FindingOrphaned
	v.Target.ID, v.Target.Root, v.Target.Members = leaf.ID().String(), leaf, []*inventory.Process{leaf} // its root has ended
	m.Publish(w.update())
	if last := m.Tree().Day[47]; last.Found != 1 {
		t.Errorf("%d orphans found, want 1", last.Found)
	}
}

func TestAnOrphanThatASweepByHandEndsIsFoundOnce(t *testing.T) {
	w := &world{}
	seen := w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).Target.ID
	ended := func(target string, result done.Result) policy.Outcome {
		return policy.Outcome{Target: target, Finding: graph.FindingOrphaned, FindingSince: noon, Result: result, At: noon}
	}
	for _, c := range []struct {
		world string
		acts  []policy.Outcome
		want  int
	}{
		{"the daemon has seen it", []policy.Outcome{ended(seen, done.Exited)}, 1},
		{"the daemon has not", []policy.Outcome{ended("7:70", done.Exited)}, 2},
		{"it took two acts", []policy.Outcome{ended("7:70", done.Failed), ended("7:70", done.Exited)}, 2},
		{"it was another's that is no orphan", []policy.Outcome{{Target: "7:70", Finding: graph.FindingDuplicate, FindingSince: noon, Result: done.Exited, At: noon}}, 1},
	} {
		for _, before := range []bool{true, false} { // an act may be known before the look that saw its target
			m, _ := newTestMetrics()
			if before {
				m.AddOthers(c.acts)
			}
			m.Publish(w.update())
			if !before {
				m.AddOthers(c.acts)
			}
			if last := m.Tree().Day[47]; last.Found != c.want {
				t.Errorf("%s, before the look %t: %d orphans found, want %d", c.world, before, last.Found, c.want)
			}
		}
	}
}

func TestTheDayIsKeptOverARestart(t *testing.T) {
	m, _ := newTestMetrics()
	m.AddOthers([]policy.Outcome{
		{Target: "7:70", Name: "git", Kind: graph.KindServer, Cwd: "/src/infra", Owner: "codex 50", Finding: graph.FindingOrphaned, FindingSince: noon.Add(-2 * time.Hour), Result: done.Exited, FreedBytes: 900, At: noon.Add(-time.Hour)},
		{Target: "8:80", Kind: graph.KindServer, Finding: graph.FindingDisconnected, FindingSince: noon.Add(-time.Hour), Result: done.Failed, Detail: "it is stuck in the kernel", At: noon.Add(-time.Minute)},
	})
	tree := m.Tree()
	var sum overview.Step
	for _, step := range tree.Day {
		sum.Found, sum.Reaped, sum.FreedBytes = sum.Found+step.Found, sum.Reaped+step.Reaped, sum.FreedBytes+step.FreedBytes
	}
	if want := (overview.Step{Found: 1, Reaped: 1, FreedBytes: 900}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	want := overview.Ended{At: noon.Add(-time.Hour), Key: "server:7:70", Kind: graph.KindServer, Name: "git", Handle: "7", Cwd: "/src/infra", Owner: "codex 50", Finding: graph.FindingOrphaned, Outcome: "exited", FreedBytes: 900}
	if len(tree.Ended) != 2 || tree.Ended[1] != want || tree.Ended[0].Detail != "it is stuck in the kernel" {
		t.Errorf("%+v", tree.Ended)
	}
}

func TestWhatEndedHasTheWordThatACommandTakes(t *testing.T) {
	id := strings.Repeat("ab", 32)
	for _, c := range []struct {
		name    string
		outcome policy.Outcome
		want    string
	}{
		{"a server by its PID", policy.Outcome{Target: "7:70"}, "7"},
		{"a container by its name", policy.Outcome{Target: id, Container: "u1"}, "u1"},
		{"a container whose name hides a secret by its id", policy.Outcome{Target: id, Container: "ghp_0123456789abcdefABCDEF0123456789abcd"}, "abababababab"},
		{"a container without a name by its id", policy.Outcome{Target: id}, "abababababab"},
	} {
		if got := overview.EndedBy(c.outcome).Handle; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheDayCountsWhatASweepByHandReaped(t *testing.T) {
	m, _ := newTestMetrics()
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	m.Publish(w.update())
	m.AddOthers([]policy.Outcome{
		{Target: "7:70", Finding: graph.FindingOrphaned, FindingSince: noon, Result: done.Exited, FreedBytes: 900, At: noon},
		{Target: "8:80", Finding: graph.FindingOrphaned, FindingSince: noon, Result: done.Failed, At: noon},
	})
	tree := m.Tree()
	if last := tree.Day[47]; last.Found != 3 || last.Reaped != 1 || last.FreedBytes != 900 || len(tree.Ended) != 2 {
		t.Errorf("%+v, %d ended", last, len(tree.Ended))
	}
}

func TestTheListOfActsIsBounded(t *testing.T) {
	m, _ := newTestMetrics()
	u := full()
	for range 3 * maxEnded {
		u.Outcomes = append(u.Outcomes, u.Outcomes[0])
	}
	m.Publish(u)
	if n := len(m.Tree().Ended); n != maxEnded {
		t.Errorf("%d acts", n)
	}
}

func TestTheToolReadsTheTree(t *testing.T) {
	path := socketPath(t)
	m := published(t, full())
	onSocket(t, Options{Metrics: m, Ask: answersTo}, path)
	tree, err := dialed(t, path).Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(tree)
	want, _ := json.Marshal(m.Tree())
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if tree.Policy != shipped().Identity || tree.Policy.Rules.At.Line != 3 { // so that top can say where a rule is added
		t.Errorf("its policy is %+v", tree.Policy)
	}
}

// TestADockerRunThatEndsWithItsContainerIsNotFoundByItself: no act ends it, and what was found and reaped adds up.
func TestADockerRunThatEndsWithItsContainerIsNotFoundByItself(t *testing.T) {
	w := &world{}
	container := w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).Target
	container.Kind = graph.KindContainer
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).With = container.ID
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep).EndsWith = container.ID
	if last := published(t, w.update()).Tree().Day[47]; last.Found != 1 {
		t.Errorf("%d found, want the container alone", last.Found)
	}
}
