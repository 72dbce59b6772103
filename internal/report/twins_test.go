package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// twins is a world with a docker run of a live session, and its container.
func twins() (w *world, runner, container *graph.Target) {
	w = newWorld("linux", 4)
	session := w.session("claude-code", 12, time.Hour, "/home/dev/src", 0)
	runner = owned(w.server("postgres", 40, time.Hour, 0, "docker", "run", "-i", "--name", "pg1", "mcp/postgres"), session, "")
	container = owned(w.container("postgres", "pg1", "mcp/postgres", time.Hour, 0), session, "")
	runner.Containers, container.Runner = []string{container.ID}, runner.ID
	return w, runner, container
}

// leakedTwins is a world with a docker run below a gateway that nobody owns, and its container.
func leakedTwins() (w *world, gateway, runner, container *graph.Target) {
	w = newWorld("linux", 4)
	left := gone("claude-code", 44, time.Hour)
	gateway = orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), left)
	runner = orphaned(w.server("postgres", 51, time.Hour, 0, "docker", "run", "-i", "--name", "pg1", "mcp/postgres"), left)
	container = orphaned(w.container("postgres", "pg1", "mcp/postgres", time.Hour, 0), left)
	gateway.Kind, gateway.Below = graph.KindGateway, []string{runner.ID}
	runner.Containers, container.Runner = []string{container.ID}, runner.ID
	return w, gateway, runner, container
}

// TestADockerRunAndItsContainerAreToldTogether: a rule names one of them, whose row tells of the other; the name of
// either shows both, as a sweep of it stops both.
func TestADockerRunAndItsContainerAreToldTogether(t *testing.T) {
	for _, decision := range []policy.Decision{policy.Pending, policy.Reap} {
		for _, row := range []struct{ named, told, counts string }{
			{"40", "its container postgres pg1 goes with it", "1 named by a rule, 1 going with its docker run."},
			{"pg1", "its docker run postgres 40 ends with it", "1 named by a rule, 1 ending with its container."},
		} {
			w, runner, container := twins()
			head, other := runner, container
			if row.named == "pg1" {
				head, other = container, runner
			}
			w.decide(head, decision, "any", policy.ActionTerminate)
			w.decide(other, decision, "any", policy.ActionTerminate).With = head.ID
			for _, names := range [][]string{nil, {"40"}, {"pg1"}} {
				options := screenOf(120)
				options.Names = names
				var scanned strings.Builder
				if err := Table(&scanned, w.input(), options); err != nil {
					t.Fatal(err)
				}
				got := scanned.String()
				if rows := strings.Count(got, "the rule names it, though claude-code 12 has it"); rows != 1 || !strings.Contains(got, row.told) || !strings.Contains(got, row.counts) {
					t.Errorf("%s, %v shown, the rule names %s: %d rows, want %q in\n%s", decision, names, row.named, rows, row.told, got)
				}
			}
		}
	}
}

// TestAGatewayIsExplainedWithTheContainersOfItsServers: they go with it too.
func TestAGatewayIsExplainedWithTheContainersOfItsServers(t *testing.T) {
	w, gateway, runner, container := leakedTwins()
	w.decide(gateway, policy.Reap, "orphaned-gateways", policy.ActionTerminate)
	for _, below := range []*graph.Target{runner, container} {
		w.decide(below, policy.Reap, "orphaned-gateways", policy.ActionTerminate).With = gateway.ID
	}
	var explained strings.Builder
	if err := Explain(&explained, w.input(), gateway.ID, screenOf(120)); err != nil {
		t.Fatal(err)
	}
	if got := explained.String(); !strings.Contains(got, "1 server and 1 container below it go with it") {
		t.Errorf("got\n%s", got)
	}
}

// TestWhatEndsWithASweptContainerIsNotLeftAlone: the plan tells of its docker run already.
func TestWhatEndsWithASweptContainerIsNotLeftAlone(t *testing.T) {
	w, runner, container := twins()
	w.decide(container, policy.Reap, "any", policy.ActionTerminate)
	w.keep(runner).EndsWith = container.ID
	container.MemoryBytes, runner.MemoryBytes = 2_000_000, 20_000_000
	var planned strings.Builder
	if err := Plan(&planned, w.input(), screenOf(120)); err != nil {
		t.Fatal(err)
	}
	if got := planned.String(); !strings.Contains(got, "its docker run postgres 40 ends with it") || !strings.Contains(got, "free 22 MB") || strings.Contains(got, "Left alone") {
		t.Errorf("got\n%s", got)
	}
}

// TestWhatGoesOfALiveSessionIsNamedWithoutADaemonToo: with its rule, and the look that tells more of it.
func TestWhatGoesOfALiveSessionIsNamedWithoutADaemonToo(t *testing.T) {
	for decision, want := range map[policy.Decision]string{
		policy.Reap:    "of it      reaperd would stop postgres 40 (rule any): reaperd explain --policies p.yaml 40\n",
		policy.Pending: "of it      reaperd would stop postgres 40, once that has held for long enough (rule any): reaperd explain --policies p.yaml 40\n",
		policy.Keep:    "",
	} {
		w, runner, container := twins()
		w.decide(runner, decision, "any", policy.ActionTerminate)
		w.decide(container, decision, "any", policy.ActionTerminate).With = runner.ID
		in := w.input()
		in.Asked = asked.Look{Policies: "p.yaml"}
		got := explained(t, in, "12:120")
		if has := strings.Contains(got, "of it "); has != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", decision, want, got)
		}
		if got := explained(t, in, container.ID); decision != policy.Keep && !strings.Contains(got, "see also   reaperd explain --policies p.yaml 40\n") {
			t.Errorf("%s: another policy is named in\n%s", decision, got)
		}
	}
}

// TestWhatEndsByItselfIsNotCountedAmongWhatIsAskedFor: the question is about the container alone. Its docker run is not
// said to go with a gateway that goes later.
func TestWhatEndsByItselfIsNotCountedAmongWhatIsAskedFor(t *testing.T) {
	w, gateway, runner, container := leakedTwins()
	for target, after := range map[*graph.Target]time.Duration{container: 10 * time.Second, runner: 10 * time.Second, gateway: 25 * time.Second} {
		verdict := w.decide(target, policy.Pending, "orphaned", policy.ActionTerminate)
		verdict.Needs, verdict.For, verdict.DueAt, verdict.AtOnce = after, after, noon.Add(after), true
		if target == runner {
			verdict.With = container.ID
		}
	}
	for name, want := range map[string]string{"51": "reaperd sweep --now 51   asks to stop it, without waiting", "50": "reaperd sweep --now 50   asks to stop these 2, without waiting", "": "asks to stop these 2, without waiting"} {
		options := screenOf(160)
		if name != "" {
			options.Names = []string{name}
		}
		in := w.input()
		in.Asked.Names = options.Names
		var scanned strings.Builder
		if err := Table(&scanned, in, options); err != nil {
			t.Fatal(err)
		}
		if got := scanned.String(); !strings.Contains(got, want) {
			t.Errorf("%q: no %q in\n%s", name, want, got)
		}
	}
}

// TestTheNameOfADockerRunBelowAGatewayMeansItsContainer, where that goes by a rule of its own: a sweep by that name asks
// for the container alone, and does not touch the gateway.
func TestTheNameOfADockerRunBelowAGatewayMeansItsContainer(t *testing.T) {
	w, gateway, runner, container := leakedTwins()
	w.decide(gateway, policy.Reap, "orphaned-gateways", policy.ActionTerminate)
	w.decide(runner, policy.Reap, "orphaned-gateways", policy.ActionTerminate).With = gateway.ID
	w.decide(container, policy.Reap, "orphaned-containers", policy.ActionRemove)
	for _, name := range []string{"51", "pg1"} {
		options := screenOf(120)
		options.Names = []string{name}
		var scanned strings.Builder
		if err := Table(&scanned, w.input(), options); err != nil {
			t.Fatal(err)
		}
		got := scanned.String()
		if !strings.Contains(got, "1 MCP server and 1 container, all orphaned. Would remove 1 container. ") || !strings.Contains(got, "its docker run postgres 51 ends with it") || strings.Contains(got, "mcp-hub") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
