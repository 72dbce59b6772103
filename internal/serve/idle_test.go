package serve

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// rested is the activity of a process that did nothing between two looks.
func rested(p *inventory.Process, lasts time.Duration) usage.Activity {
	p.CPUSeconds, p.IOChars = inventory.Known(1.0), inventory.Known(uint64(10))
	tree := usage.Tree{Processes: []*inventory.Process{p}}
	return usage.Activity{}.Next(tree, inventory.Moment{At: noon.Add(-lasts)}).Next(tree, inventory.Moment{At: noon})
}

// used is the activity of a process that one look saw, and the next saw at work or could not measure.
func used(p *inventory.Process, measured bool) usage.Activity {
	before := *p
	before.CPUSeconds, before.IOChars = inventory.Known(1.0), inventory.Known(uint64(10))
	p.CPUSeconds, p.IOChars = inventory.Known(9.0), before.IOChars
	if !measured {
		p.IOChars = inventory.Unreadable[uint64]()
	}
	first := usage.Activity{}.Next(usage.Tree{Processes: []*inventory.Process{&before}}, inventory.Moment{At: noon.Add(-time.Minute)})
	return first.Next(usage.Tree{Processes: []*inventory.Process{p}}, inventory.Moment{At: noon})
}

func TestASessionAtWorkIsIdleForNoTime(t *testing.T) {
	w := &world{}
	for _, name := range []string{"codex", "codex", "goose"} {
		w.session(name)
	}
	w.sessions[0].Activity = rested(w.sessions[0].Process, 10*time.Minute)
	w.sessions[1].Activity = used(w.sessions[1].Process, true)
	w.sessions[2].Activity = used(w.sessions[2].Process, false)
	m := published(t, w.update())
	if got := m.series.sessionIdle.values["codex"]; !slices.Equal(got, []float64{600, 0}) {
		t.Errorf("one idle, one at work: %v", got)
	}
	expect(t, m, map[string]float64{
		`sessions{client="goose"}`:             1,
		`session_idle_seconds{client="goose"}`: 0, // it could not be measured
	})
}

// TestWhatGoesWithASessionIsNotInUse from its act's begin on, also what a gateway of it has; and the session is as idle
// as it was then, whatever its end does.
func TestWhatGoesWithASessionIsNotInUse(t *testing.T) {
	w := &world{}
	busy, rests := w.session("gemini"), w.session("opencode")
	w.judged(busy, graph.FindingNone, policy.Keep)
	w.judged(rests, graph.FindingNone, policy.Reap)
	gateway := w.judged(rests, graph.FindingNone, policy.Reap).Target
	gateway.Kind = graph.KindGateway
	w.judged(graph.Owner{Name: gateway.Name, Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, graph.FindingNone, policy.Reap)
	s := &w.sessions[1]
	s.Target = &graph.Target{ID: rests.ID.String(), Kind: graph.KindSession, Name: "opencode", Root: s.Process, Finding: graph.FindingIdle, Since: noon.Add(-time.Minute)}
	s.Activity = rested(s.Process, time.Minute)
	w.targets, w.verdicts = append(w.targets, s.Target), append(w.verdicts, policy.Verdict{Target: s.Target, Decision: policy.Reap, Action: policy.ActionTerminate, Rule: "idle-sessions"})
	begun := w.update()
	for i := 1; i < len(w.verdicts); i++ {
		begun.UnderWay = append(begun.UnderWay, Begun{Target: w.verdicts[i].Target.ID})
	}
	m, _ := newTestMetrics()
	expectEnd := func(moment string, sessions int) {
		t.Helper()
		state := m.current()
		if state.TargetsInUse != 1 || state.TargetsInUseGoing != 0 {
			t.Errorf("%s: %d in use, %d of which go", moment, state.TargetsInUse, state.TargetsInUseGoing)
		}
		if len(state.InUse) != sessions {
			t.Fatalf("%s: %d sessions", moment, len(state.InUse))
		}
		if sessions > 1 && (state.InUse[0].UnderWay || !state.InUse[1].UnderWay || !state.InUse[1].Idle || state.InUse[1].IdleSeconds == nil || *state.InUse[1].IdleSeconds != 60) {
			t.Errorf("%s: %+v", moment, state.InUse)
		}
	}
	watched := begun
	watched.UnderWay = slices.Clone(begun.UnderWay)
	for i := range watched.UnderWay {
		watched.UnderWay[i].Imminent = true
	}
	m.Publish(watched)
	if state := m.current(); state.TargetsInUse != 1 || state.InUse[1].UnderWay || len(state.Due) != 4 {
		t.Errorf("it is watched a last time: %+v, and %d are due", state.InUse, len(state.Due))
	}
	m.Publish(begun)
	if state := m.current(); len(state.Due) != 0 {
		t.Errorf("its end begins, and %d are due", len(state.Due))
	}
	expectEnd("its end begins", 2)
	s.Target, s.Activity = nil, used(s.Process, true)
	for i := 1; i < len(w.verdicts); i++ {
		w.verdicts[i].UnderWay = true
	}
	later := w.update()
	later.UnderWay = begun.UnderWay[1:]
	later.Outcomes = []policy.Outcome{{Target: w.verdicts[1].Target.ID, Result: done.Exited}}
	m.Publish(later)
	expectEnd("a server of it has ended", 2)
	later.Again, later.UnderWay, later.Outcomes = true, nil, []policy.Outcome{{Target: rests.ID.String(), Result: done.Exited}}
	m.Publish(later)
	expectEnd("it has ended", 1)
	for _, count := range m.current().Findings {
		if count.Kind == graph.KindServer && count.Client == "opencode" && count.UnderWay && !count.Gone && count.Number != 1 {
			t.Errorf("what had ended before is forgotten: %+v", count)
		}
	}
}

// TestWhatASweepByHandEndsIsNotInUse: its session is told as being stopped, as one that the daemon stops.
func TestWhatASweepByHandEndsIsNotInUse(t *testing.T) {
	w := &world{}
	session := w.session("claude-code")
	server := w.judged(session, graph.FindingNone, policy.Keep).Target
	target := w.target(graph.KindSession, graph.Owner{})
	target.ID, target.Finding = session.ID.String(), graph.FindingIdle
	u := w.update()
	u.ByHand = map[string]bool{session.ID.String(): true, server.ID: true}
	m := published(t, u)
	state := m.current()
	if state.TargetsInUse != 0 || len(state.InUse) != 1 || !state.InUse[0].UnderWay {
		t.Errorf("%d in use, %+v", state.TargetsInUse, state.InUse)
	}
	if len(state.Findings) != 2 || !state.Findings[0].UnderWay || !state.Findings[1].UnderWay { // the session, and its server
		t.Errorf("%+v", state.Findings)
	}
	tree := m.Tree()
	if node := tree.Find("server:" + server.ID); node == nil || node.State != overview.StateReaping {
		t.Errorf("%+v", node)
	}
}

func TestIdleSessionsAreShownAsTheyAreNow(t *testing.T) {
	w := &world{}
	for _, lasts := range []time.Duration{10 * time.Minute, 5 * time.Hour} {
		w.session("claude-code")
		s := &w.sessions[len(w.sessions)-1]
		s.MemoryBytes, s.Unmeasured, s.Activity = 1000, 2, rested(s.Process, lasts)
		s.Target = &graph.Target{Kind: graph.KindSession}
		if lasts > time.Hour {
			s.Target.Finding = graph.FindingIdle
		}
	}
	m := published(t, w.update())
	if got := m.series.sessionIdle.values["claude-code"]; len(got) != 2 || got[1] != 5*3600 {
		t.Errorf("idle: %v", got)
	}
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		switch family.GetName() {
		case "reaperd_session_idle_seconds":
			for _, metric := range family.GetMetric() {
				if h := metric.GetHistogram(); metric.GetLabel()[0].GetValue() == "claude-code" && (h.GetSampleCount() != 2 || h.GetBucket()[3].GetCumulativeCount() != 1) {
					t.Errorf("histogram: %v", h)
				}
			}
		case "reaperd_idle_session_memory_bytes":
			if got := family.GetMetric()[0].GetGauge().GetValue(); got != 1000 {
				t.Errorf("memory of idle sessions: %v", got)
			}
		}
	}
	if got := m.current().InUse; got[1].IdleSeconds == nil || *got[1].IdleSeconds != 5*3600 || !got[1].IdleAtLeast || got[1].ID == "" || got[1].Unmeasured != 2 {
		t.Errorf("state: %+v", got[1])
	}
}
