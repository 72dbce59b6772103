package overview

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

func TestAnOlderCopyInUseIsToldWithWhatItsRuleAsks(t *testing.T) {
	w := newWorld()
	v := wrong(w.server("fetch", 10, w.session("codex", 50)), graph.FindingDuplicate, policy.Keep)
	v.Target.Idle = inventory.Known(12 * time.Second)
	v.Threshold = &policy.Threshold{Rule: "duplicates", Origin: policy.Origin{File: "built-in", Line: 90}, Action: policy.ActionReport, Key: "idle_for", Wants: "an idle time of 30m", Has: "12s"}
	tree := Make(w.Input)
	node := tree.Find("server:10:100")
	if want := `an older copy: rule "duplicates" asks for an idle time of 30m, and it has 12s`; node.Reason != want || !node.Rests || node.Finding != "" || node.Stays() != "" {
		t.Errorf("%q, rests %t, finding %q, stays %q", node.Reason, node.Rests, node.Finding, node.Stays())
	}
	v.Target.Idle = inventory.Known(2 * time.Second) // between two requests
	tree = Make(w.Input)
	if once := tree.Find("server:10:100"); once.Rests || once.Finding != "" || once.State != StateKept || once.Next.Awaits.Rule != "" || once.Reason == node.Reason {
		t.Errorf("it has paused for a moment: rests %t, finding %q, %s, awaits %v: %q", once.Rests, once.Finding, once.State, once.Next.Awaits, once.Reason)
	}
	awaits := node.Next.Awaits
	if want := "rule duplicates only reports it once it has an idle time of 30m"; awaits.String() != want || awaits.Origin != "built-in:90" {
		t.Errorf("%q (%s), want %q", awaits, awaits.Origin, want)
	}
	awaits.Action = policy.ActionTerminate
	if want := "rule duplicates stops it once it has an idle time of 30m"; awaits.String() != want {
		t.Errorf("%q, want %q", awaits, want)
	}
}

// TestAnOlderCopyThatNoRuleIsAboutIsToldWithTheUsualIdleTime: no rule waits for that.
func TestAnOlderCopyThatNoRuleIsAboutIsToldWithTheUsualIdleTime(t *testing.T) {
	w := newWorld()
	v := wrong(w.server("fetch", 10, w.session("codex", 50)), graph.FindingDuplicate, policy.Keep)
	v.Target.Idle = inventory.Known(12 * time.Second)
	v.Threshold = &policy.Threshold{Key: "idle_for", Wants: "an idle time of 30m", Has: "12s"}
	tree := Make(w.Input)
	node := tree.Find("server:10:100")
	if want := "an older copy: no rule acts on it; worth a look once it has an idle time of 30m, and it has 12s"; node.Reason != want || !node.Rests || node.Next.Awaits != (Awaits{}) || node.Stays() != "" {
		t.Errorf("%q, rests %t, awaits %q, stays %q", node.Reason, node.Rests, node.Next.Awaits, node.Stays())
	}
}

func TestWhatWaitsIsToldWithoutATimeThatStands(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(v *policy.Verdict)
		want   string
	}{
		{"it is pending for its rule's time", func(v *policy.Verdict) { v.Needs = 30 * time.Second }, `rule "orphaned-servers" wants it to hold for 30s`},
		{"its age counts", func(v *policy.Verdict) { v.Needs, v.Held = 30*time.Minute, 10*time.Minute }, `rule "orphaned-servers" wants it to have run for 30m`},
		{"a second look is missing", func(*policy.Verdict) {}, "as it is"},
		{"a sweep's limit leaves it", func(v *policy.Verdict) { v.Needs, v.Beyond = time.Second, 500 }, "as it is"},
	} {
		w := newWorld()
		row.change(wrong(w.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Pending))
		tree := Make(w.Input)
		if got := tree.Find("server:10:100").Reason; got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestHowASessionIsUsedIsToldUntilItIsIdleForAWhile(t *testing.T) {
	for _, row := range []struct {
		world string
		looks []time.Duration // before noon, of which the first two see it read
		want  string
	}{
		{"it has read since the look before", []time.Duration{time.Minute, 0}, "it reads or writes (process 44)"},
		{"it has read shortly before", []time.Duration{time.Minute, 2 * time.Second, 0}, "it reads or writes (process 44)"},
		{"it has done nothing for a while", []time.Duration{time.Hour, 30 * time.Minute, 20 * time.Minute, 0}, ""},
		{"nobody has seen it at work", []time.Duration{0}, ""},
	} {
		w := newWorld()
		w.session("claude-code", 44)
		activity := usage.Activity{}
		for i, since := range row.looks {
			p := *w.Graph.Sessions[0].Members[0]
			p.CPUSeconds, p.IOChars = inventory.Known(1.0), inventory.Known(uint64(1_000_000*min(i, 1)))
			activity = activity.Next(usage.Tree{Processes: []*inventory.Process{&p}}, inventory.Moment{At: ago(since)})
		}
		w.Graph.Sessions[0].Activity = activity
		tree := Make(w.Input)
		if got := tree.Find("session:44:440").Use; got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestTheContainersOfDockerRunsAreNotSaidNotToBe: nobody has seen them who looks while their
// engine is gone.
func TestTheContainersOfDockerRunsAreNotSaidNotToBe(t *testing.T) {
	for _, row := range []struct {
		world  string
		engine inventory.Status
		argv   []string
		want   string // the fault
	}{
		{"the engine is gone", inventory.StatusAbsent, []string{"docker", "run", "-i", "--rm", "mcp/gitlab"}, "No container engine was found: the container of 1 docker run cannot be seen"},
		{"the engine is there", inventory.StatusOK, []string{"docker", "run", "-i", "--rm", "mcp/gitlab"}, ""},
		{"no docker run is there", inventory.StatusAbsent, []string{"node", "/srv/docker", "run", "-i"}, ""},
		{"one that has let go of its container", inventory.StatusAbsent, []string{"docker", "run", "-d", "mcp/gitlab"}, ""},
	} {
		w := newWorld()
		w.snapshot.Sources = append(w.snapshot.Sources, inventory.Source{Name: inventory.SourceDocker, Status: row.engine})
		w.server("gitlab", 10, w.session("codex", 50)).Target.Root.Argv = row.argv
		tree, got := Make(w.Input), ""
		for _, fault := range tree.Faults(func(time.Time) string { return "" }, "") {
			got += fault.String()
		}
		if got != row.want || tree.LacksContainers() != (row.want != "") {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestALiveSessionIsToldFromWhenOnItIsIdle, if it does nothing.
func TestALiveSessionIsToldFromWhenOnItIsIdle(t *testing.T) {
	rests := Node{Kind: KindSession, State: StateKept, IdleSince: ago(time.Minute)}
	busy, idle, process := rests, rests, rests
	busy.Use, idle.State, process.Kind = "it uses processor time", StateIdle, KindProcess
	tree := &Tree{IdleFor: 3600}
	for _, row := range []struct {
		node Node
		want string
	}{{rests, "it counts as idle from 1h on"}, {busy, ""}, {idle, ""}, {process, ""}, {Node{Kind: KindSession, State: StateKept}, ""}} {
		if got := tree.IdleFrom(&row.node); got != row.want {
			t.Errorf("%+v: %q, want %q", row.node, got, row.want)
		}
	}
}

// TestMemoryOfTwoKindsHasNoOneKind: a sum is of the less exact one.
func TestMemoryOfTwoKindsHasNoOneKind(t *testing.T) {
	of := func(bytes uint64, kind string) Node {
		return Node{Kind: KindServer, MemoryBytes: bytes, MemoryKind: kind}
	}
	for _, row := range []struct {
		world string
		nodes []Node
		want  bool
	}{
		{"all are alike", []Node{of(1, "pss"), of(2, "pss")}, true},
		{"one is resident memory", []Node{of(1, "pss"), of(2, "rss")}, false},
		{"one has none", []Node{of(1, "pss"), of(0, "")}, true},
		{"nothing is there", nil, false},
	} {
		tree := &Tree{Branches: []Branch{{Nodes: row.nodes}}}
		for _, n := range row.nodes {
			tree.Totals.addMemory(n.MemoryBytes, n.MemoryKind)
		}
		if got := tree.OneMemoryKind(); got != row.want {
			t.Errorf("%s: %v", row.world, got)
		}
	}
}

// TestALiveSessionThatDoesNothingIsToldTheRuleItComesTo, though reports leave it out.
func TestALiveSessionThatDoesNothingIsToldTheRuleItComesTo(t *testing.T) {
	w := newWorld()
	w.server("fetch", 10, w.session("codex", 50))
	process := w.Graph.Sessions[0].Process
	session := &graph.Target{ID: process.ID().String(), Kind: graph.KindSession, Name: "codex", Root: process, Idle: inventory.Known(20 * time.Second), Incidental: true}
	w.Verdicts = append(w.Verdicts, policy.Verdict{Target: session, Ahead: &policy.Ahead{Rule: "idle-end", IdleFor: 45 * time.Second, DueAt: noon.Add(25 * time.Second)}})
	tree := Make(w.Input)
	node := tree.Find("session:" + session.ID)
	if want := `rule "idle-end" asks for an idle time of 45s, and at the last look it had 20s`; node.State != StateKept || !node.Next.AheadAt.Equal(noon.Add(25*time.Second)) || node.Reason != want {
		t.Errorf("%s, ahead at %s: %q, want %q", node.State, node.Next.AheadAt, node.Reason, want)
	}
}

// TestASessionThatIsSparedForWhatItHoldsHasNoCountdown, and tells what it is spared for.
func TestASessionThatIsSparedForWhatItHoldsHasNoCountdown(t *testing.T) {
	for _, finding := range []graph.Finding{graph.FindingNone, graph.FindingIdle} {
		w := newWorld()
		w.server("fetch", 10, w.session("codex", 50))
		process := w.Graph.Sessions[0].Process
		session := &graph.Target{ID: process.ID().String(), Kind: graph.KindSession, Name: "codex", Root: process, Finding: finding, Idle: inventory.Known(20 * time.Second), Incidental: finding == graph.FindingNone}
		spared := &policy.Ahead{Rule: "idle-end", IdleFor: 45 * time.Second, DueAt: noon.Add(25 * time.Second)}
		bound := &graph.Veto{Guard: graph.GuardPinned, Text: "fetch 10 would end with it: reaperd pin keeps it"}
		w.Verdicts = append(w.Verdicts, policy.Verdict{Target: session, Bound: bound, Spared: spared})
		tree := Make(w.Input)
		node := tree.Find("session:" + session.ID)
		if want := `rule "idle-end" asks for an idle time of 45s, but fetch 10 would end with it: reaperd pin keeps it`; !node.Next.AheadAt.IsZero() || node.Next.AheadRule != "" || node.Reason != want {
			t.Errorf("%s: ahead at %s: %q, want %q", finding, node.Next.AheadAt, node.Reason, want)
		}
	}
}

// TestASessionThatCannotBeMeasuredHasNoUse: its Use tells why nobody knows one.
func TestASessionThatCannotBeMeasuredHasNoUse(t *testing.T) {
	for sign, want := range map[usage.Sign]bool{usage.SignUnknown: true, usage.SignIO: false, usage.SignProcessor: false} {
		w := newWorld()
		w.session("claude-code", 44)
		w.Graph.Sessions[0].Activity = usage.Activity{Last: usage.Use{Sign: sign, PID: 323}}
		tree := Make(w.Input)
		if n := tree.Find("session:44:440"); n.Unmeasured != want || n.Use == "" {
			t.Errorf("%s: unmeasured %v, use %q", sign, n.Unmeasured, n.Use)
		}
	}
}

// TestWhatIsDueWithinAPauseGoesAtItsEnd: nothing goes before.
func TestWhatIsDueWithinAPauseGoesAtItsEnd(t *testing.T) {
	for _, row := range []struct {
		world string
		pause Pause
		want  time.Time
	}{
		{"no pause", Pause{}, noon.Add(20 * time.Second)},
		{"one that ends later", Pause{On: true, Until: noon.Add(5 * time.Minute)}, noon.Add(5 * time.Minute)},
		{"one that ends before", Pause{On: true, Until: noon.Add(5 * time.Second)}, noon.Add(20 * time.Second)},
		{"one without an end", Pause{On: true}, noon.Add(20 * time.Second)},
	} {
		w := newWorld()
		w.Pause = row.pause
		waits := wrong(w.target(graph.KindServer, "gitlab", 7, gone("codex", 3)), graph.FindingOrphaned, policy.Pending)
		tree := Make(w.Input)
		if n := tree.OfTarget(waits.Target.ID); !n.Next.DueAt.Equal(row.want) {
			t.Errorf("%s: due at %s, want %s", row.world, n.Next.DueAt, row.want)
		}
	}
}
