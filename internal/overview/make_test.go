package overview

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

func TestWhereThingsStand(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(*world)
		want  string
	}{
		{"nothing runs", func(*world) {}, ""},
		{"a session without servers is there all the same", func(w *world) {
			w.session("claude-code", 44)
		}, `
sessions
  session claude-code 44 kept
`},
		{"each session has its own servers, the oldest session first", func(w *world) {
			young, old := w.session("codex", 90), w.session("claude-code", 50)
			w.server("fetch", 10, young)
			w.server("git", 11, old)
			w.server("fetch", 12, old)
		}, `
sessions
  session claude-code 50 kept
    server fetch 12 kept
    server git 11 kept
  session codex 90 kept
    server fetch 10 kept
`},
		{"what started in one tick keeps its order, whatever time of day a look makes of it", func(w *world) {
			first := w.session("codex", 50)
			second := w.session("codex", 51)
			w.server("fetch", 11, first).Target.Root.StartedAt = ago(time.Minute - time.Millisecond)
			w.server("fetch", 12, first).Target.Root.StartedAt = ago(time.Minute)
			for i := range w.Graph.Sessions {
				w.Graph.Sessions[i].Process.StartedAt = ago(time.Minute + time.Duration(i)*time.Millisecond)
			}
			w.server("git", 13, second)
		}, `
sessions
  session codex 50 kept
    server fetch 11 kept
    server fetch 12 kept
  session codex 51 kept
    server git 13 kept
`},
		{"a container stands below its runner, and what a gateway owns below the gateway", func(w *world) {
			claude := w.session("claude-code", 90)
			runner := w.server("github", 30, claude)
			w.container("github", 1, claude).Target.Runner = runner.Target.ID
			front := w.target(graph.KindGateway, "docker-mcp", 40, claude)
			w.container("duckduckgo", 2, gateway(40))
			below := w.server("fetch", 20, graph.Owner{Liveness: graph.LivenessUnknown})
			front.Target.Below = []string{below.Target.ID}
		}, `
sessions
  session claude-code 90 kept
    gateway docker-mcp 40 kept
      container duckduckgo duckduckgo kept
      server fetch 20 kept
    server github 30 kept
      container github github kept
`},
		{"what a dead session left stands below it, and two dead ones of a name are two", func(w *world) {
			wrong(w.server("fetch", 10, gone("codex", 51)), graph.FindingOrphaned, policy.Pending)
			wrong(w.server("git", 11, gone("codex", 50)), graph.FindingOrphaned, policy.Reap)
			wrong(w.server("time", 12, gone("codex", 50)), graph.FindingOrphaned, policy.Reap)
			wrong(w.server("old", 13, graph.Owner{}), graph.FindingOrphaned, policy.Keep)
		}, `
leaked
  gone  kept
    server old 13 reported
  gone codex kept
    server git 11 due
    server time 12 due
  gone codex kept
    server fetch 10 pending
`},
		{"a live process that is no client, and a service, own what they have", func(w *world) {
			shell := graph.Owner{Name: "zsh", Kind: graph.OwnerProcess, ID: idOf(70), Liveness: graph.LivenessLive}
			unit := graph.Owner{Name: "mcp.service", Kind: graph.OwnerService, Liveness: graph.LivenessUnknown}
			w.server("fetch", 10, shell)
			w.server("git", 11, unit)
		}, `
others
  service mcp.service kept
    server git 11 kept
  owner zsh kept
    server fetch 10 kept
`},
		{"a container of one of several that live is nobody's in particular", func(w *world) {
			w.container("github", 1, graph.Owner{Kind: graph.OwnerProcess, Liveness: graph.LivenessLive})
		}, `
unclear
  container github github kept
`},
		{"a client that nobody knows stands once, above its servers", func(w *world) {
			client := wrong(w.target(graph.KindSession, "my-agent", 60, graph.Owner{Liveness: graph.LivenessUnknown}), graph.FindingOrphaned, policy.Keep)
			w.server("fetch", 10, graph.Owner{Name: "my-agent", Kind: graph.OwnerProcess, ID: client.Target.Root.ID(), Liveness: graph.LivenessLive})
		}, `
others
  session my-agent 60 reported
    server fetch 10 kept
`},
		{"a session with a finding is one node", func(w *world) {
			owner := w.session("claude-code", 44)
			wrong(w.target(graph.KindSession, "claude-code", 44, graph.Owner{}), graph.FindingOrphaned, policy.Keep)
			w.server("fetch", 10, owner)
		}, `
sessions
  session claude-code 44 reported
    server fetch 10 kept
`},
		{"a live session that is pinned says so", func(w *world) {
			w.session("claude-code", 44)
			v := w.target(graph.KindSession, "claude-code", 44, graph.Owner{})
			v.Target.Incidental, v.Target.Vetoes = true, []graph.Veto{{Guard: graph.GuardPinned, Text: "pinned"}}
			w.session("codex", 50)
			w.target(graph.KindSession, "codex", 50, graph.Owner{}).Target.Incidental = true
		}, `
sessions
  session claude-code 44 pinned
  session codex 50 kept
`},
		{"an idle session keeps what it holds below it", func(w *world) {
			owner := w.session("claude-code", 44)
			v := wrong(w.target(graph.KindSession, "claude-code", 44, graph.Owner{}), graph.FindingIdle, policy.Keep)
			v.Target.Below = []string{w.server("fetch", 10, owner).Target.ID}
		}, `
sessions
  session claude-code 44 idle
    server fetch 10 kept
`},
		{"a batch job whose session is gone is not called leaked", func(w *world) {
			w.server("fetch", 10, gone("codex", 50))
		}, `
unclear
  server fetch 10 kept
`},
		{"a server that has ended since the look is not shown", func(w *world) {
			v := wrong(w.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Reap)
			w.Gone = map[string]bool{v.Target.ID: true}
		}, ""},
		{"a container that is no MCP server and that no rule names is not shown", func(w *world) {
			w.container("postgres", 1, graph.Owner{}).Target.Incidental = true
		}, ""},
		{"two gateways that claim to own each other are shown, each once", func(w *world) {
			a := w.target(graph.KindGateway, "a", 10, gateway(11))
			b := w.target(graph.KindGateway, "b", 11, gateway(10))
			a.Target.Below, b.Target.Below = []string{b.Target.ID}, []string{a.Target.ID}
		}, `
unclear
  gateway a 10 kept
    gateway b 11 kept
`},
		{"a tree of several processes shows them", func(w *world) {
			v := w.server("fetch", 10, w.session("codex", 50))
			v.Target.Members = append(v.Target.Members, process(9, "/bin/sh", "-c", "fetch"))
		}, `
sessions
  session codex 50 kept
    server fetch 10 kept
      process node kept
      process sh kept
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.build(w)
			tree := Make(w.Input)
			if got, want := drawn(tree), strings.TrimPrefix(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if keys := map[string]bool{}; true {
				tree.Walk(func(n *Node, _ int) bool {
					if keys[n.Key] || n.Key == "" {
						t.Errorf("key %q is used twice", n.Key)
					}
					keys[n.Key] = true
					return true
				})
			}
		})
	}
}

func TestWhatBecomesOfAThing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*world, *policy.Verdict)
		want   State
	}{
		{"in use", func(*world, *policy.Verdict) {}, StateKept},
		{"without processor and input for half an hour", func(_ *world, v *policy.Verdict) {
			v.Target.Idle = inventory.Known(30 * time.Minute)
		}, StateIdle},
		{"without processor and input for a minute", func(_ *world, v *policy.Verdict) {
			v.Target.Idle = inventory.Known(time.Minute)
		}, StateKept},
		{"pinned, and idle", func(_ *world, v *policy.Verdict) {
			v.Target.Idle = inventory.Known(time.Hour)
			v.Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "pinned by dev"}}
		}, StatePinned},
		{"found wrong, and only reported", func(_ *world, v *policy.Verdict) { wrong(v, graph.FindingDuplicate, policy.Keep) }, StateReported},
		{"an older copy that is not idle for as long as its rule asks", func(_ *world, v *policy.Verdict) {
			wrong(v, graph.FindingDuplicate, policy.Keep).Threshold = &policy.Threshold{Rule: "duplicates", Key: "idle_for"}
		}, StateKept},
		{"found wrong, and protected by the policy", func(_ *world, v *policy.Verdict) {
			wrong(v, graph.FindingOrphaned, policy.Keep).Protected = &policy.Protect{Name: "ours"}
		}, StateKept},
		{"not proven for long enough", func(_ *world, v *policy.Verdict) { wrong(v, graph.FindingOrphaned, policy.Pending) }, StatePending},
		{"proven", func(_ *world, v *policy.Verdict) { wrong(v, graph.FindingOrphaned, policy.Reap) }, StateDue},
		{"its act has begun", func(w *world, v *policy.Verdict) {
			wrong(v, graph.FindingOrphaned, policy.Reap)
			w.Acting = map[string]bool{v.Target.ID: true}
		}, StateReaping},
		{"it is what is left of a tree whose act has begun", func(_ *world, v *policy.Verdict) {
			wrong(v, graph.FindingOrphaned, policy.Reap).UnderWay = true
		}, StateReaping},
		{"it is watched a last time, and a pin keeps it", func(_ *world, v *policy.Verdict) {
			wrong(v, graph.FindingOrphaned, policy.Reap).UnderWay, v.Imminent = true, true
		}, StateDue},
		{"it ends with its container", func(_ *world, v *policy.Verdict) {
			wrong(v, graph.FindingOrphaned, policy.Keep).EndsWith = "c0ffee"
		}, StateKept},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			v := w.server("fetch", 10, w.session("codex", 50))
			c.change(w, v)
			tree := Make(w.Input)
			if node := tree.Find("server:10:100"); node == nil || node.State != c.want {
				t.Errorf("%+v, want %s", node, c.want)
			}
		})
	}
}

func TestWhatASessionHolds(t *testing.T) {
	w := newWorld()
	owner := w.session("codex", 50) // 50,000 bytes of its own
	runner := w.server("github", 30, owner)
	w.container("github", 1, owner).Target.Runner = runner.Target.ID
	wrong(w.server("fetch", 10, owner), graph.FindingDisconnected, policy.Pending)
	tree := Make(w.Input)
	node := tree.Find("session:50:500")
	want := Totals{
		Sessions: 1, Servers: 2, Containers: 1, Processes: 3, MemoryBytes: 90_007, MemoryKind: "rss", Pending: 1, GoingBytes: 10_000,
	}
	if node.Totals != want || tree.Totals != want || node.MemoryBytes != 50_000 {
		t.Errorf("%+v\ntree %+v\nwant %+v", node.Totals, tree.Totals, want)
	}
}

func TestTheKeyOfAThingStaysWhatItIs(t *testing.T) {
	w := newWorld()
	v := w.server("docker-mcp", 10, w.session("codex", 50))
	before := Make(w.Input)
	v.Target.Kind = graph.KindGateway
	wrong(v, graph.FindingZombies, policy.Reap)
	w.snapshot.TakenAt = noon.Add(time.Hour)
	after := Make(w.Input)
	if key := before.Branches[0].Nodes[0].Children[0].Key; after.Find(key) == nil {
		t.Errorf("%s is not there an hour later", key)
	}
}

func TestTheProcessorOfASession(t *testing.T) {
	w := newWorld()
	w.session("codex", 50)
	p := w.Graph.Sessions[0].Process
	earlier := *p
	earlier.CPUSeconds, p.CPUSeconds = inventory.Known(10.0), inventory.Known(16.0)
	w.before.Processes = []inventory.Process{earlier}
	for _, c := range []struct {
		name  string
		first *graph.Graph
		want  inventory.Fact[float64]
	}{
		{"six seconds in a minute", w.First, inventory.Known(10.0)},
		{"one look tells nothing", nil, inventory.Fact[float64]{}},
	} {
		w.First = c.first
		tree := Make(w.Input)
		if got := tree.Find("session:50:500").CPUPercent; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestABusySessionIsNeverToldToUseNextToNothing: looks follow each other at once where a pin, or what was
// reaped, makes the daemon look.
func TestABusySessionIsNeverToldToUseNextToNothing(t *testing.T) {
	for _, row := range []struct {
		name  string
		apart time.Duration
		last  inventory.Fact[float64] // what looks before have measured
		born  time.Duration           // after the look before, of a second process; zero: there is none
		want  inventory.Fact[float64]
	}{
		{"looks a minute apart", time.Minute, inventory.Known(7.0), 0, inventory.Known(10.0 + 0.1)},
		{"looks 0.3 s apart: what was measured before", 300 * time.Millisecond, inventory.Known(7.0), 0, inventory.Known(7.0 + 0.1)},
		{"looks 0.3 s apart, and nothing was measured before", 300 * time.Millisecond, inventory.Fact[float64]{}, 0, inventory.Fact[float64]{}},
		{"a tool of it has started since", time.Minute, inventory.Fact[float64]{}, time.Second, inventory.Known(15.0 + 0.1)},
		{"a process of it was not read before", time.Minute, inventory.Fact[float64]{}, -time.Second, inventory.Fact[float64]{}},
	} {
		w := newWorld()
		owner := w.session("codex", 50)
		session := &w.Graph.Sessions[0]
		earlier := *session.Process
		earlier.CPUSeconds, session.Process.CPUSeconds = inventory.Known(10.0), inventory.Known(16.0)
		w.before.Processes, w.before.TakenAt = []inventory.Process{earlier}, ago(row.apart)
		if row.born != 0 {
			tool := process(60, "make")
			tool.StartedAt, tool.CPUSeconds = w.before.TakenAt.Add(row.born), inventory.Known(3.0)
			session.Members = append(session.Members, tool)
		}
		w.Verdicts = make([]policy.Verdict, 0, 2)
		w.server("git", 51, owner).Target.CPUPercent = inventory.Known(0.1)
		w.Verdicts = append(w.Verdicts, policy.Verdict{Target: &graph.Target{
			ID: session.Process.ID().String(), Kind: graph.KindSession, Root: session.Process, Incidental: true, CPUPercent: row.last,
		}})
		tree := Make(w.Input)
		percent, known := tree.Find("session:50:500").CPU()
		if known != row.want.IsKnown() || math.Abs(percent-row.want.Or(0)) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", row.name, percent, known, row.want)
		}
	}
}

func TestWhatIsKeptFromARuleIsARefusal(t *testing.T) {
	w := newWorld()
	listening := wrong(w.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Keep)
	listening.Vetoes = []graph.Veto{{Guard: graph.GuardInUse, Text: "it has 2 clients"}}
	escaped := wrong(w.server("git", 11, gone("codex", 50)), graph.FindingOrphaned, policy.Reap)
	w.Outcomes = map[string]Tried{escaped.Target.ID: {At: ago(time.Second), Result: "a child outlived it"}}
	w.server("time", 12, w.session("codex", 51)).Target.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "pinned"}}
	again := wrong(w.server("jira", 13, gone("codex", 50)), graph.FindingOrphaned, policy.Keep)
	again.Vetoes = []graph.Veto{{Guard: graph.GuardInUse, Text: "it has 1 client"}}
	w.Held = map[Hold]time.Time{{Target: again.Target.ID, Guard: graph.GuardInUse}: ago(time.Hour)}
	want := []Refusal{
		{Key: "server:10:100", Name: "fetch", Rule: "orphaned-servers", At: noon, Guard: graph.GuardInUse, Text: "it has 2 clients"},
		{Key: "server:13:130", Name: "jira", Rule: "orphaned-servers", At: ago(time.Hour), Guard: graph.GuardInUse, Text: "it has 1 client"},
		{Key: "server:11:110", Name: "git", Rule: "orphaned-servers", At: ago(time.Second), Text: "a child outlived it"},
	}
	if got := Make(w.Input).Refusals; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestSinceWhenASessionIsIdle(t *testing.T) {
	w := newWorld()
	owner := w.session("claude-code", 44)
	for pid, idle := range map[int]time.Duration{10: 5 * time.Hour, 11: 3 * time.Hour} {
		t := w.server("fetch", pid, owner).Target
		t.Idle, t.IdleAtLeast = inventory.Known(idle), true
		t.Root.StartedAt = ago(5*time.Hour + time.Second) // the first since its start
	}
	rest := usage.Tree{Processes: w.Graph.Sessions[0].Members}
	rest.Processes[0].CPUSeconds, rest.Processes[0].IOChars = inventory.Known(1.0), inventory.Known(uint64(1))
	activity := usage.Activity{}
	for _, since := range []time.Duration{2 * time.Hour, time.Hour, 0} {
		activity = activity.Next(rest, inventory.Moment{At: ago(since)})
	}
	w.Graph.Sessions[0].Activity = activity
	tree := Make(w.Input)
	node := tree.Find("session:44:440")
	if !node.IdleSince.Equal(ago(2*time.Hour)) || !node.IdleAtLeast || !node.ServersIdleSince.Equal(ago(3*time.Hour)) {
		t.Errorf("idle since %s (at least: %v), its servers since %s", node.IdleSince, node.IdleAtLeast, node.ServersIdleSince)
	}
	for key, want := range map[string]bool{"server:10:100": false, "server:11:110": true} {
		if got := tree.Find(key).IdleAtLeast; got != want {
			t.Errorf("%s: at least %v", key, got)
		}
	}
}

func TestASessionThatHasEndedIsWhereItsServersAre(t *testing.T) {
	w := newWorld()
	here := wrong(w.server("fetch", 10, gone("codex", 50)), graph.FindingOrphaned, policy.Pending)
	here.Target.Root.Cwd, here.Target.Root.User = "/home/dev/src", "dev"
	wrong(w.container("github", 1, gone("codex", 50)), graph.FindingOrphaned, policy.Pending)
	folder := func() string { return Make(w.Input).Branches[2].Nodes[0].Cwd }
	if got := folder(); got != "/home/dev/src" {
		t.Errorf("it is in %q", got)
	}
	there := wrong(w.server("git", 12, gone("codex", 50)), graph.FindingOrphaned, policy.Pending)
	there.Target.Root.Cwd = "/home/dev/other"
	if got := folder(); got != "" {
		t.Errorf("of two folders it tells %q", got)
	}
}

func TestGapsAreSourcesThatCouldNotBeReadFully(t *testing.T) {
	w := newWorld()
	w.snapshot.Sources = []inventory.Source{
		{Name: "processes", Status: inventory.StatusPartial, Reason: "hidepid"},
		{Name: "docker", Status: inventory.StatusAbsent},
		{Name: "docker", Status: inventory.StatusError, Reason: "does not answer"},
	}
	tree := Make(w.Input)
	if gaps := tree.Gaps(); len(gaps) != 2 || gaps[0].Reason != "hidepid" || gaps[1].Reason != "does not answer" || tree.Complete {
		t.Errorf("%+v, complete %v", gaps, tree.Complete)
	}
}

func TestSecretsAreInNoTree(t *testing.T) {
	w := newWorld()
	v := w.server("fetch", 10, w.session("codex", 50))
	v.Target.Root.Argv = []string{"node", "fetch.js", "--api-key", "hunter2secret"}
	v.Target.Root.Cwd = "/home/dev/token=hunter2secret"
	document, err := json.Marshal(Make(w.Input))
	if err != nil || strings.Contains(string(document), "hunter2secret") {
		t.Errorf("%s, %v", document, err)
	}
}

func TestATreeIsTheSameAfterItWasReadBack(t *testing.T) {
	w := newWorld()
	owner := w.session("codex", 50)
	v := wrong(w.server("fetch", 10, owner), graph.FindingDisconnected, policy.Pending)
	v.Target.Evidence = []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysOrphaned, Proof: true, Text: "its stdin is closed", Since: ago(time.Minute)}}
	v.Target.CPUPercent = inventory.Known(1.5)
	v.Target.Samples = []usage.Sample{{}}
	w.container("github", 1, owner)
	w.Ended = []Ended{{At: ago(time.Hour), Key: "server:9:90", Name: "git", Outcome: "exited"}}
	w.Day = new(Day).Steps(noon)
	tree := Make(w.Input)
	document, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	var read Tree
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, tree) {
		t.Errorf("read back\n%+v\nwas\n%+v", read, tree)
	}
}
