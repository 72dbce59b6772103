package report

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// A session is all that it has: the server below its gateway too.
func TestWhatNamesChoose(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("gemini", 18290, time.Hour, "/home/dev/src", 0)
	gateway := owned(w.server("docker-mcp", 18296, time.Hour, 0, "docker", "mcp", "gateway", "run"), session, "")
	gateway.Kind = graph.KindGateway
	below := owned(w.server("weather", 18304, time.Hour, 0, "weather-mcp"), graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, "")
	other := owned(w.server("weather", 500, time.Hour, 0, "weather-mcp"), w.session("codex", 400, time.Hour, "/", 0), "")
	for _, target := range []*graph.Target{gateway, below, other} {
		w.keep(target)
	}
	var explained strings.Builder
	if err := Explain(&explained, w.input(), session.ID.String(), Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if want := "servers    docker-mcp 18296, in use\n             weather 18304, in use\n"; !strings.HasSuffix(explained.String(), want) {
		t.Errorf("explain: no %q at the end of\n%s", want, explained.String())
	}
	for name, want := range map[string][]int{
		"": {18296, 18304, 500}, "gemini": {18296, 18304}, "18290": {18296, 18304}, "18296": {18296, 18304}, "docker-mcp": {18296, 18304},
		"docker*": {18296, 18304}, "GEM*": {18296, 18304}, "weather": {18304, 500}, "codex": {500}, "nobody": nil,
	} {
		var names []string
		if name != "" {
			names = []string{name}
		}
		choice := newChoice(w.input(), names)
		var got []int
		for _, v := range w.verdicts {
			if choice.shows(v.Target) {
				got = append(got, v.Target.Root.PID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q chooses %v, want %v", name, got, want)
		}
	}
}

// A gateway that has leaked is all that ends with it, with their containers, though their owner was its session.
func TestANameOfALeakedGatewayChoosesWhatEndsWithIt(t *testing.T) {
	w, left := newWorld("linux", 4), gone("claude-code", 44, time.Hour)
	gateway := orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), left)
	gateway.Kind = graph.KindGateway
	below := orphaned(w.server("github", 51, time.Hour, 0, "docker", "run", "mcp/github"), left)
	container := orphaned(w.container("github", "gh1", "mcp/github", time.Hour, 0), left)
	gateway.Below, below.Containers, container.Runner = []string{below.ID}, []string{container.ID}, below.ID
	other := orphaned(w.server("fetch", 60, time.Hour, 0, "fetch"), left)
	in := w.input()
	for _, target := range []*graph.Target{gateway, below, container, other} {
		in.Verdicts = append(in.Verdicts, policy.Verdict{Target: target, Decision: policy.Reap})
	}
	for name, want := range map[string][]*graph.Target{"mcp-hub": {gateway, below, container}, "50": {gateway, below, container}, "51": {below, container}, "60": {other}} {
		for _, verdict := range in.Verdicts {
			if shows := newChoice(in, []string{name}).shows(verdict.Target); shows != slices.Contains(want, verdict.Target) {
				t.Errorf("%s chooses %s: %v", name, verdict.Target.ID, shows)
			}
		}
	}
	below.Owner = graph.Owner{Liveness: graph.LivenessLive} // as a user sees it, who keeps the gateway for that
	if in.Verdicts[0].Decision = policy.Keep; !newChoice(in, []string{"mcp-hub"}).shows(below) {
		t.Error("what may be in use below a gateway is not shown with it")
	}
	below.Owner = left
	in.Verdicts[0].Decision = policy.Keep // a sweep by its name stops nothing then
	if newChoice(in, []string{"mcp-hub"}).shows(below) {
		t.Error("the name of a gateway that stays chooses what is below it")
	}
}

// What ends with a gateway that nobody owns stands in its row, before the question of a sweep too, and nowhere as in
// use.
func TestWhatEndsWithALeakedGatewayStandsInItsRow(t *testing.T) {
	w, left := newWorld("linux", 4), gone("claude-code", 44, time.Hour)
	gateway := orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), left)
	gateway.Kind = graph.KindGateway
	w.decide(gateway, policy.Reap, "orphaned-gateways", policy.ActionTerminate)
	for i, name := range []string{"fetch", "git"} {
		below := orphaned(w.server(name, 51+i, time.Hour, 0, name), left)
		gateway.Below = append(gateway.Below, below.ID)
		w.decide(below, policy.Reap, "orphaned-gateways", policy.ActionTerminate).With = gateway.ID
	}
	in := w.input()
	var scanned, planned strings.Builder
	if err := errors.Join(Table(&scanned, in, screenOf(120)), Plan(&planned, in, screenOf(120))); err != nil {
		t.Fatal(err)
	}
	for screen, verb := range map[string]string{scanned.String(): "would stop    ", planned.String(): "stops         "} {
		if want := "   " + verb + "the gateway and its 2 servers\n   with it       fetch 51, git 52\n"; !strings.Contains(screen, want) || strings.Contains(screen, "IN USE") {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
}

// TestWhatWaitsWithALeakedGatewayStandsInItsRow too; of several gateways each is told by its name.
func TestWhatWaitsWithALeakedGatewayStandsInItsRow(t *testing.T) {
	w, left := newWorld("linux", 4), gone("claude-code", 44, time.Hour)
	var servers []*graph.Target
	for _, pid := range []int{50, 60} {
		gateway := orphaned(w.server("mcp-hub", pid, time.Hour, 0, "mcp-hub"), left)
		below := orphaned(w.server("fetch", pid+1, time.Hour, 0, "fetch"), left)
		gateway.Kind, gateway.Below = graph.KindGateway, []string{below.ID}
		for target, rule := range map[*graph.Target]string{gateway: "orphaned-gateways", below: "orphaned-servers"} {
			verdict := w.decide(target, policy.Pending, rule, policy.ActionTerminate)
			verdict.Needs, verdict.For, verdict.Held, verdict.DueAt = 30*time.Second, 30*time.Second, time.Second, noon.Add(29*time.Second)
		}
		servers = append(servers, below)
	}
	in := w.input()
	in.Daemon, in.Due = true, map[string]time.Time{}
	for i := range in.Verdicts {
		in.Due[in.Verdicts[i].Target.ID] = noon.Add(29 * time.Second)
	}
	got := table(t, in)
	for _, want := range []string{
		"the daemon stops 2 gateways and 2 servers in 29s", "would stop    mcp-hub 50 and its 1 server\n   with it       fetch 51\n",
		"would stop    mcp-hub 60 and its 1 server\n   with it       fetch 61\n", "the daemon stops them in 29s",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "rule orphaned-servers") {
		t.Errorf("a server has a row of its own in\n%s", got)
	}
	got = explained(t, in, servers[1].ID)
	for _, want := range []string{"fetch 61 is orphaned. The daemon stops it in 29s, with mcp-hub 60 (rule orphaned-gateways).\n", "it goes with mcp-hub 60, which nobody owns; no session loses anything\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if names := ByHeads(in, []string{"61", "nothing"}); !slices.Equal(names, []string{"60", "nothing"}) {
		t.Errorf("a sweep of 61 is offered by %q", names)
	}
}

// TestWhatNoSweepStopsWithoutItsGatewayIsToldWithThat: a scan of it shows the gateway, and the commands name that.
func TestWhatNoSweepStopsWithoutItsGatewayIsToldWithThat(t *testing.T) {
	for _, decision := range []policy.Decision{policy.Reap, policy.Pending} {
		w, left := newWorld("linux", 4), gone("claude-code", 44, time.Hour)
		gateway := orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), left)
		gateway.Kind = graph.KindGateway
		below := orphaned(w.server("fetch", 51, time.Hour, 0, "fetch"), left)
		gateway.Below = []string{below.ID}
		for _, target := range []*graph.Target{gateway, below} {
			verdict := w.decide(target, decision, "orphaned-gateways", policy.ActionTerminate)
			if verdict.AtOnce, verdict.Needs = decision == policy.Pending, 30*time.Second; decision == policy.Reap && target == below {
				verdict.With = gateway.ID
			}
		}
		in, options := w.input(), screenOf(120)
		in.Command, in.Asked, options.Names = "scan", asked.Look{Names: []string{"51"}}, []string{"51"}
		var out strings.Builder
		if err := Table(&out, in, options); err != nil {
			t.Fatal(err)
		}
		command := "reaperd sweep 50 "
		if decision == policy.Pending {
			command = "reaperd sweep --now 50 "
			if got := explained(t, in, below.ID); !strings.Contains(got, "stop now   "+strings.TrimSpace(command)+"\n") {
				t.Errorf("no %q in\n%s", command, got)
			}
		}
		if got := out.String(); !strings.Contains(got, "\nmcp-hub 50 ") || !strings.Contains(got, "fetch 51") || !strings.Contains(got, command) {
			t.Errorf("%s: no %q in\n%s", decision, command, got)
		}
	}
}

// TestTheGatewayAboveWhatANameMeansIsNoStranger: its session is shown with it.
func TestTheGatewayAboveWhatANameMeansIsNoStranger(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("gemini", 18290, time.Hour, "/home/dev/src", 0)
	gateway := owned(w.server("mcp-hub", 18296, time.Hour, 0, "mcp-hub"), session, "")
	gateway.Kind = graph.KindGateway
	w.keep(gateway)
	w.keep(owned(w.server("weather", 18304, time.Hour, 0, "weather-mcp"), graph.Owner{Name: "mcp-hub", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, ""))
	in := w.input()
	options := screenOf(120)
	options.Names = []string{"weather"}
	var out strings.Builder
	if err := Table(&out, in, options); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "mcp-hub 18296") != 1 || !strings.Contains(got, "\ngemini 18290 ") || !strings.Contains(got, "weather 18304") || strings.Contains(got, "no known client") {
		t.Error(got)
	}
}

// TestAWordThatMeansNothingIsInNoCommand: the sweep that a scan proposes would refuse it.
func TestAWordThatMeansNothingIsInNoCommand(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  string
		not   string
	}{
		{[]string{"claude-code", "nothere"}, "Only claude-code is shown", "nothere"},
		{[]string{"nothere", "neither"}, "No MCP server, container or session here is called nothere or neither", "claude"},
	} {
		in := dollhouse().input()
		in.Command, in.Asked = "scan", asked.Look{Names: row.names}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 100, UTF8: true, Names: row.names}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) || strings.Contains(out.String(), row.not) {
			t.Errorf("%q: want %q and no %q in\n%s", row.names, row.want, row.not, out.String())
		}
	}
}

// TestTheGatewaysOfAnotherUserStandAsATree: what nobody seen owns is in it, and nothing that hangs on it lies beside it.
func TestTheGatewaysOfAnotherUserStandAsATree(t *testing.T) {
	w := newWorld("linux", 4)
	outer := w.server("docker-mcp-gateway", 861, time.Minute, 0, "docker")
	inner := w.server("docker-mcp-gateway", 877, time.Minute, 0, "docker-mcp")
	server := w.server("fetch", 885, time.Minute, 0, "fetch")
	outer.Kind, inner.Kind = graph.KindGateway, graph.KindGateway
	of := func(gateway *graph.Target) graph.Owner {
		return graph.Owner{Name: gateway.Name, Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}
	}
	outer.Evidence = []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysSilent, Text: "its stdin could not be read"}}
	inner.Owner, server.Owner = of(outer), of(inner)
	for _, target := range []*graph.Target{outer, inner, server} {
		w.keep(target)
	}
	got := table(t, w.input())
	var tree []string
	for line := range strings.Lines(got) {
		if name, _, found := strings.Cut(line, "   "); found && strings.Contains(name, " 8") {
			tree = append(tree, strings.TrimRight(name, " "))
		}
	}
	if len(tree) < 3 || !strings.HasPrefix(tree[0], "docker-mcp-gateway 861") || !strings.HasPrefix(tree[1], "└ docker-mcp-gateway 877") || !strings.HasPrefix(tree[2], "  └ fetch 885") ||
		strings.Contains(got, "by whom is not known") {
		t.Errorf("%q in\n%s", tree, got)
	}
}

// TestWhatAnUnclearGatewayHasMayBeInUse: nothing proves that it is.
func TestWhatAnUnclearGatewayHasMayBeInUse(t *testing.T) {
	for unclear, want := range map[bool]string{true: "fetch 51 may be in use: nothing proves whose mcp-hub 50 is, above it. reaperd leaves it alone", false: "fetch 51 is in use."} {
		w := newWorld("linux", 4)
		owner := w.session("codex", 44, time.Hour, "", 0)
		if unclear {
			owner = graph.Owner{}
		}
		hub := w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub")
		hub.Kind, hub.Owner = graph.KindGateway, owner
		w.keep(hub)
		below := w.server("fetch", 51, time.Hour, 0, "fetch")
		below.Owner = graph.Owner{Kind: graph.OwnerGateway, Name: "mcp-hub", ID: hub.Root.ID(), Liveness: graph.LivenessLive}
		v := w.keep(below)
		view := newView(w.input(), screenOf(120), voice{})
		if got := view.judgement(v); !strings.HasPrefix(got, want) {
			t.Errorf("unclear %v: %q", unclear, got)
		}
		if got := view.stateWord(v) == mayBeInUse; got != unclear {
			t.Errorf("unclear %v: it counts as %q", unclear, view.stateWord(v))
		}
	}
}

// TestOfSeveralThatAnotherPolicyStopsTheFirstIsToldToo: one time for all would be false for it.
func TestOfSeveralThatAnotherPolicyStopsTheFirstIsToldToo(t *testing.T) {
	vs := verdicts{{Target: &graph.Target{ID: "1"}}, {Target: &graph.Target{ID: "2"}}}
	for first, want := range map[time.Duration]string{3 * time.Second: ", the first in 3s", 57 * time.Second: ""} {
		until := func(v *policy.Verdict) (time.Duration, bool) {
			if v == vs[0] {
				return first, true
			}
			return 58 * time.Second, true
		}
		if got := firstDue(vs, 58*time.Second, until); got != want {
			t.Errorf("%v and 58s: %q, want %q", first, got, want)
		}
	}
}

// TestWhatWaitsWithTheGatewayOfALiveSessionStandsBelowIt: it has no row of its own, before it is due as after.
// Its name shows the gateway too, and the commands below the table name the gateway.
func TestWhatWaitsWithTheGatewayOfALiveSessionStandsBelowIt(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("claude-code", 12, time.Hour, "/home/dev/src", 0)
	gateway := owned(w.server("mcp-hub", 40, time.Hour, 0, "mcp-hub"), session, "")
	gateway.Kind, gateway.Finding, gateway.Zombies = graph.KindGateway, graph.FindingZombies, 120
	holder := graph.Owner{Name: "mcp-hub", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}
	server := owned(w.server("fetch", 41, time.Hour, 0, "fetch"), holder, "")
	container := owned(w.container("github", "gh1", "mcp/github", time.Hour, 0), holder, "")
	gateway.Below = []string{server.ID}
	for _, target := range []*graph.Target{container, server, gateway} {
		verdict := w.decide(target, policy.Pending, "zombie-gateways", policy.ActionTerminate)
		verdict.Needs, verdict.For, verdict.Held, verdict.DueAt = 2*time.Minute, 2*time.Minute, time.Second, noon.Add(119*time.Second)
		if target != gateway {
			verdict.With = gateway.ID
		}
	}
	for _, names := range [][]string{nil, {"gh1"}, {"41"}} {
		options := screenOf(120)
		options.Names = names
		var scanned strings.Builder
		if err := Table(&scanned, w.input(), options); err != nil {
			t.Fatal(err)
		}
		_, rows, _ := strings.Cut(scanned.String(), "\nPENDING ")
		for want, where := range map[string]string{
			"2 MCP servers and 1 container: 1 failing, 2 going with their gateway.": scanned.String(),
			"  ├ github container gh1 ":                                             scanned.String(),
			"  └ fetch 41 ":                                                         scanned.String(),
			"the gateway and its 1 server":                                          rows,
			"reaperd explain 40   every line":                                       rows,
			"reaperd pin 40   keep it":                                              rows,
		} {
			if !strings.Contains(where, want) {
				t.Errorf("%v: no %q in\n%s", names, want, where)
			}
		}
		if strings.Contains(rows, "fetch 41 ") || strings.Contains(rows, "container gh1 ") {
			t.Errorf("%v: a row of its own in\n%s", names, rows)
		}
	}
}
