package serve

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// rested is the activity of a process that did nothing between two looks.
func rested(p *inventory.Process, lasts time.Duration) graph.Activity {
	p.CPUSeconds, p.IOChars = inventory.Known(1.0), inventory.Known(uint64(10))
	tree := &graph.Work{Processes: []*inventory.Process{p}}
	return graph.Activity{}.Next(tree, inventory.Moment{At: noon.Add(-lasts)}).Next(tree, inventory.Moment{At: noon})
}

// used is the activity of a process that one look saw, and the next saw at work or could not measure.
func used(p *inventory.Process, measured bool) graph.Activity {
	before := *p
	before.CPUSeconds, before.IOChars = inventory.Known(1.0), inventory.Known(uint64(10))
	p.CPUSeconds, p.IOChars = inventory.Known(9.0), before.IOChars
	if !measured {
		p.IOChars = inventory.Unreadable[uint64]()
	}
	first := graph.Activity{}.Next(&graph.Work{Processes: []*inventory.Process{&before}}, inventory.Moment{At: noon.Add(-time.Minute)})
	return first.Next(&graph.Work{Processes: []*inventory.Process{p}}, inventory.Moment{At: noon})
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
	expect(t, m, map[string]float64{
		`session_idle_seconds{client="codex"}`: 2, // one idle, one at work
		`sessions{client="goose"}`:             1,
		`session_idle_seconds{client="goose"}`: 0, // it could not be measured
	})
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
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		switch family.GetName() {
		case "reaperd_session_idle_seconds":
			for _, metric := range family.GetMetric() {
				if h := metric.GetHistogram(); metric.GetLabel()[0].GetValue() == "claude-code" && (h.GetSampleCount() != 2 || h.GetBucket()[3].GetCumulativeCount() != 1 || h.GetSampleSum() != 600+5*3600) {
					t.Errorf("histogram: %v", h)
				}
			}
		case "reaperd_idle_session_memory_bytes":
			if got := family.GetMetric()[0].GetGauge().GetValue(); got != 1000 {
				t.Errorf("memory of idle sessions: %v", got)
			}
		}
	}
}
