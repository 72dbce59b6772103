package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestAClientIsWhoeverIsAtTheEndOfTheChain(t *testing.T) {
	w := &world{}
	session := w.session("claude-code")
	outer := w.target(graph.KindGateway, session)
	inner := w.target(graph.KindGateway, graph.Owner{Name: "outer", Kind: graph.OwnerGateway, ID: outer.Root.ID(), Liveness: graph.LivenessLive})
	ring := w.target(graph.KindGateway, graph.Owner{})
	ring.Owner = graph.Owner{Name: "ring", Kind: graph.OwnerGateway, ID: ring.Root.ID()}
	who := clients{names: published(t).clients, targets: map[string]*graph.Target{outer.ID: outer, inner.ID: inner, ring.ID: ring}}
	for _, c := range []struct {
		name   string
		target graph.Target
		want   string
	}{
		{"a session's server", graph.Target{Owner: session}, "claude-code"},
		{"a server behind two gateways", graph.Target{Owner: graph.Owner{Name: "inner", Kind: graph.OwnerGateway, ID: inner.Root.ID()}}, "claude-code"},
		{"what a dead session left", graph.Target{Owner: gone("codex")}, "codex"},
		{"a session itself", graph.Target{Kind: graph.KindSession, Name: "goose", Owner: graph.Owner{Kind: graph.OwnerProcess, Name: "sh"}}, "goose"},
		{"nobody is known", graph.Target{}, "none"},
		{"a shell's child", graph.Target{Owner: graph.Owner{Kind: graph.OwnerProcess, Name: "bash"}}, "other"},
		{"a unit's main process", graph.Target{Owner: graph.Owner{Kind: graph.OwnerService, Name: "mcp.service"}}, "service"},
		{"behind a gateway that is gone", graph.Target{Owner: graph.Owner{Kind: graph.OwnerGateway, Name: "docker-mcp"}}, "gateway"},
		{"a gateway that owns itself", graph.Target{Owner: ring.Owner}, "gateway"},
		{"a name that is a path", graph.Target{Owner: gone("/home/dev/agent")}, "other"},
		{"a name that is no text", graph.Target{Owner: gone("\xff\xfe")}, "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := who.of(&c.target); got != c.want {
				t.Errorf("client %q, want %q", got, c.want)
			}
		})
	}
}

func TestLabelsAreBoundedAndTellNothing(t *testing.T) {
	w := &world{}
	for i := range 300 {
		owner := w.session(fmt.Sprintf("agent-%d", i))
		w.target(graph.KindServer, owner)
		w.judged(gone(fmt.Sprintf("/opt/agents/%d", i)), graph.FindingOrphaned, policy.Reap)
	}
	u := w.update()
	p := shipped()
	for i := range 300 {
		p.Rules = append(p.Rules, policy.Rule{Name: fmt.Sprintf("rule-%d", i), Action: policy.ActionTerminate})
		u.Outcomes = append(u.Outcomes, policy.Outcome{Rule: fmt.Sprintf("rule-%d", i), Action: policy.ActionTerminate, Result: human.Killed})
	}
	m, _ := newTestMetrics()
	m.PolicyReloaded(p, OriginFile, noon)
	m.Publish(u)
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[string]map[string]bool{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, pair := range metric.GetLabel() {
				name, value := pair.GetName(), pair.GetValue()
				if distinct[name] == nil {
					distinct[name] = map[string]bool{}
				}
				distinct[name][value] = true
				if strings.ContainsAny(value, "/\\:") || strings.Contains(value, "hunter2") {
					t.Errorf("%s has %s=%q", family.GetName(), name, value)
				}
			}
		}
	}
	for name, most := range map[string]int{"client": maxClients + 4, "rule": maxRules + 1, "decision": 3} {
		if n := len(distinct[name]); n > most {
			t.Errorf("%d distinct values of %s, at most %d are allowed", n, name, most)
		}
	}
	expect(t, m, map[string]float64{`sessions{client="agent-0"}`: 1, `sessions{client="other"}`: 250})
}
