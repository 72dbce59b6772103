package policy_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// change is what a row changes about a target.
type change func(*graph.Target)

// target is an orphan of any kind that every shipped rule for orphans reaps:
// proven for an hour, by many looks.
func target(kind graph.Kind, pid int, changes ...change) *graph.Target {
	t := &graph.Target{
		Kind: kind, Name: "fetch", Finding: graph.FindingOrphaned, Held: time.Hour, Looks: 9, Age: 2 * time.Hour,
		Listening: inventory.Known(false), Owner: graph.Owner{Name: "claude-code", Kind: graph.OwnerSession, Liveness: graph.LivenessGone, Since: noon.Add(-time.Hour)},
		MemoryBytes: 50 << 20, MemoryKind: "rss", User: "dev", UID: inventory.Known(1000),
	}
	if kind == graph.KindContainer {
		t.ID = strings.Repeat(fmt.Sprintf("%04d", pid), 16)
		t.Listening = inventory.Fact[bool]{}
		t.Container = &inventory.Container{ID: t.ID, Name: "/eager_fermi", Image: "ghcr.io/acme/fetch:1.2@sha256:00", State: "running",
			Labels: map[string]string{"com.example.team": "core"}, Command: []string{"python", "-m", "fetch"}}
	} else {
		t.Root = &inventory.Process{PID: pid, Start: 7, Argv: []string{"npm exec @acme/fetch"}, Exe: "/usr/bin/node"}
		t.Members = []*inventory.Process{t.Root, {PID: pid + 1, Start: 8, Argv: []string{"node", "/x/fetch", "--stdio"}}}
		t.ID = t.Root.ID().String()
	}
	for _, change := range changes {
		change(t)
	}
	return t
}

func finding(f graph.Finding) change { return func(t *graph.Target) { t.Finding = f } }
func held(d time.Duration, looks int) change {
	return func(t *graph.Target) { t.Held, t.Looks = d, looks }
}
func aged(d time.Duration) change { return func(t *graph.Target) { t.Age = d } }
func vetoed(guard graph.Guard) change {
	return func(t *graph.Target) {
		t.Vetoes = append(t.Vetoes, graph.Veto{Guard: guard, Text: "a guard applies"})
	}
}
func below(ids ...string) change { return func(t *graph.Target) { t.Below = ids } }
func listening(f inventory.Fact[bool]) change {
	return func(t *graph.Target) { t.Listening = f }
}
func runnerOf(container *graph.Target) change {
	return func(t *graph.Target) { t.Containers, container.Runner = []string{container.ID}, t.ID }
}

// live puts a target below a live session with that finding.
func live(f graph.Finding) change {
	return func(t *graph.Target) {
		t.Finding = f
		t.Owner = graph.Owner{Name: "claude-code", Kind: graph.OwnerSession, ID: inventory.ID{PID: 44, Start: 1}, Liveness: graph.LivenessLive}
	}
}

func copyOf(generation int, idle inventory.Fact[time.Duration]) change {
	return func(t *graph.Target) {
		live(graph.FindingDuplicate)(t)
		t.Generation, t.Idle = generation, idle
	}
}

func judgeAll(p *policy.Policy, options policy.JudgeOptions, targets ...*graph.Target) []policy.Verdict {
	return policy.Judge(&graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: noon}, Targets: targets}, p, options)
}

func judgeOne(p *policy.Policy, t *graph.Target) policy.Verdict {
	return judgeAll(p, policy.JudgeOptions{}, t)[0]
}

func TestTheShippedPolicyOnEachFinding(t *testing.T) {
	p := shipped(t)
	unknown, unread := inventory.Fact[bool]{}, inventory.Unreadable[bool]()
	idle := inventory.Known(time.Hour)
	for _, row := range []struct {
		world  string
		target *graph.Target
		want   policy.Decision
		rule   string
	}{
		{"a server that nobody owns", target(graph.KindServer, 100), policy.Reap, "orphaned-servers"},
		{"one whose listening was never recorded", target(graph.KindServer, 100, listening(unknown)), policy.Reap, "orphaned-servers"},
		{"one that listens", target(graph.KindServer, 100, listening(inventory.Known(true))), policy.Keep, "listening-orphans"},
		{"one whose sockets could not be read", target(graph.KindServer, 100, listening(unread)), policy.Keep, ""},
		{"one seen for ten seconds", target(graph.KindServer, 100, held(10*time.Second, 3)), policy.Pending, "orphaned-servers"},
		{"one seen once, however long it is there", target(graph.KindServer, 100, held(time.Hour, 1)), policy.Pending, "orphaned-servers"},
		{"a server in use", target(graph.KindServer, 100, live(graph.FindingNone)), policy.Keep, ""},
		{"a server of which nothing is known", &graph.Target{ID: "1:1", Kind: graph.KindServer}, policy.Keep, ""},
		{"a gateway that nobody owns", target(graph.KindGateway, 100), policy.Reap, "orphaned-gateways"},
		{"a container that nobody owns", target(graph.KindContainer, 100), policy.Reap, "orphaned-containers"},
		{"a container that may be somebody's", target(graph.KindContainer, 100, finding(graph.FindingAmbiguous)), policy.Keep, ""},
		{"a container that ended an hour ago", target(graph.KindContainer, 100, finding(graph.FindingExited)), policy.Reap, "exited-leftovers"},
		{"a container that ended just now", target(graph.KindContainer, 100, finding(graph.FindingExited), held(time.Minute, 3)), policy.Pending, "exited-leftovers"},
		{"a session without a terminal", target(graph.KindSession, 100), policy.Keep, "orphaned-sessions"},
		{"a server whose client hung up on it", target(graph.KindServer, 100, live(graph.FindingDisconnected)), policy.Reap, "disconnected-servers"},
		{"one that a person's shell hung up on", target(graph.KindServer, 100, live(graph.FindingDisconnected), func(t *graph.Target) { t.Owner.Kind = graph.OwnerProcess }), policy.Keep, ""},
		{"an older copy that does nothing", target(graph.KindServer, 100, copyOf(2, idle)), policy.Keep, "duplicates"},
		{"a gateway with 526 zombies", target(graph.KindGateway, 100, live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 526 }), policy.Reap, "zombie-gateways"},
		{"a gateway with 526 zombies for one minute", target(graph.KindGateway, 100, live(graph.FindingZombies), held(time.Minute, 3), func(t *graph.Target) { t.Zombies = 526 }), policy.Pending, "zombie-gateways"},
		{"a gateway with few zombies", target(graph.KindGateway, 100, live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 99 }), policy.Keep, ""},
		{"a server with zombies, which is no gateway", target(graph.KindServer, 100, live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 526 }), policy.Keep, ""},
		{"a gateway that starts everything again", target(graph.KindGateway, 100, live(graph.FindingRespawning), func(t *graph.Target) { t.Respawns = 20 }), policy.Reap, "respawning-gateways"},
	} {
		got := judgeOne(p, row.target)
		if got.Decision != row.want || got.Rule != row.rule {
			t.Errorf("%s: %s by %q, want %s by %q", row.world, got.Decision, got.Rule, row.want, row.rule)
		}
		if got.Reason == "" || strings.HasSuffix(got.Reason, ".") {
			t.Errorf("%s: reason %q", row.world, got.Reason)
		}
		if (got.Decision == policy.Pending) != !got.DueAt.IsZero() {
			t.Errorf("%s: due at %v", row.world, got.DueAt)
		}
	}
}

func TestEachGuardKeepsWhatARuleWouldReapAndTheRuleStaysNamed(t *testing.T) {
	p := shipped(t)
	for _, guard := range []graph.Guard{
		graph.GuardSystem, graph.GuardFirst, graph.GuardSelf, graph.GuardForeign, graph.GuardSession, graph.GuardService, graph.GuardInUse,
		graph.GuardPinned, graph.GuardUnproven, graph.GuardEngine, graph.GuardIncomplete, graph.GuardShapeOnly,
	} {
		for _, looks := range []int{9, 1} {
			got := judgeOne(p, target(graph.KindServer, 100, vetoed(guard), held(time.Hour, looks)))
			if got.Decision != policy.Keep || got.Rule != "orphaned-servers" || len(got.Vetoes) != 1 || got.Vetoes[0].Guard != guard || !got.DueAt.IsZero() {
				t.Errorf("%s: %+v", guard, got)
			}
		}
	}
}

func TestWhatIsKnownByItsShapeAloneIsReapedOnlyWhenAbandoned(t *testing.T) {
	shape := func(t *graph.Target) { t.ByShape = true }
	p := mustLoad(t, "version: 1\nrules: [{name: all, match: {finding: any}, action: terminate}]")
	for f, want := range map[graph.Finding]policy.Decision{
		graph.FindingOrphaned: policy.Reap, graph.FindingDisconnected: policy.Reap, graph.FindingZombies: policy.Keep, graph.FindingNone: policy.Keep,
	} {
		got := judgeOne(p, target(graph.KindServer, 100, shape, finding(f), func(t *graph.Target) { t.Zombies = 999 }))
		if got.Decision != want || (want == policy.Keep) != (len(got.Vetoes) == 1 && got.Vetoes[0].Guard == graph.GuardShapeOnly) {
			t.Errorf("%s: %+v", f, got)
		}
	}
}

// TestARuleForAnythingWaitsUntilAnOlderCopyIsKnownForWhatItIs: the first look cannot tell one at work, which the rule
// names, from one that does nothing, which needs its idle time.
func TestARuleForAnythingWaitsUntilAnOlderCopyIsKnownForWhatItIs(t *testing.T) {
	unknown := inventory.Fact[time.Duration]{}
	p := mustLoad(t, "version: 1\nrules: [{name: all, match: {kind: server, finding: any}, for: 40s, action: terminate}]")
	limited := mustLoad(t, "version: 1\nrules: [{name: all, match: {kind: server, finding: any}, for: 40s, max_per_owner: 1, action: terminate}]")
	keepsTwo := mustLoad(t, "version: 1\nrules: [{name: all, match: {kind: server, finding: any}, for: 40s, keep_newest: 2, action: terminate}]")
	for _, row := range []struct {
		world      string
		policy     *policy.Policy
		generation int
		idle       inventory.Fact[time.Duration]
		looks      int
		want       policy.Decision
	}{
		{"the first look, an older copy", p, 2, unknown, 1, policy.Keep},
		{"the first look, the newest copy", p, 1, unknown, 1, policy.Pending},
		{"the first look, no copy at all", p, 0, unknown, 1, policy.Pending},
		{"the second look: it is at work", p, 2, inventory.Known(time.Duration(0)), 1, policy.Pending},
		{"what it does can never be read", p, 2, unknown, 2, policy.Pending},
		{"one that the rule keeps as it keeps a duplicate", keepsTwo, 2, unknown, 1, policy.Pending},
	} {
		got := judgeOne(row.policy, target(graph.KindServer, 100, copyOf(row.generation, row.idle), finding(graph.FindingNone), held(0, row.looks)))
		if got.Decision != row.want {
			t.Errorf("%s: %s: %s", row.world, got.Decision, got.Reason)
		}
	}
	older := target(graph.KindServer, 100, copyOf(2, unknown), finding(graph.FindingNone), held(0, 1))
	newest := target(graph.KindServer, 200, copyOf(1, unknown), finding(graph.FindingNone), held(0, 1))
	if got := judgeAll(limited, policy.JudgeOptions{}, older, newest)[0]; got.Decision != policy.Pending {
		t.Errorf("a hard limit reaches copies at work too: %s", got.Reason)
	}
}

// TestARuleThatCannotBeReadToMatchIsNamed: to say that no rule acts on it would be false.
func TestARuleThatCannotBeReadToMatchIsNamed(t *testing.T) {
	failing := func(listens inventory.Fact[bool]) *graph.Target {
		gateway := target(graph.KindGateway, 100, listening(listens))
		gateway.Finding, gateway.Zombies = graph.FindingZombies, 120
		gateway.Owner = graph.Owner{Name: "gemini", Liveness: graph.LivenessLive}
		return gateway
	}
	for _, row := range []struct {
		world   string
		listens inventory.Fact[bool]
		rule    string
		unread  string
		reason  string
	}{
		{"it does not listen", inventory.Known(false), "zombie-gateways", "", ""},
		{"it listens", inventory.Known(true), "", "", "no rule acts on it: it has 120 dead children that it never waited for"},
		{"that cannot be read", inventory.Unreadable[bool](), "", "zombie-gateways", `rule "zombie-gateways" may name it, and not all that it asks for could be read: it has 120 dead children that it never waited for`},
	} {
		got := judgeOne(shipped(t), failing(row.listens))
		if got.Rule != row.rule || got.Unread != row.unread || row.reason != "" && (got.Reason != row.reason || got.Decision != policy.Keep) {
			t.Errorf("%s: %s by rule %q, unread %q: %s", row.world, got.Decision, got.Rule, got.Unread, got.Reason)
		}
	}
}

func TestProtectKeepsBeforeAnyRule(t *testing.T) {
	unread := inventory.Unreadable[bool]()
	for _, row := range []struct {
		world, match string
		target       *graph.Target
		kept         bool
	}{
		{"by name", `{name: "FETCH"}`, target(graph.KindServer, 100), true},
		{"by session", `{session: claude-code}`, target(graph.KindServer, 100), true},
		{"by argument of any process of the tree", `{argv: ["*/fetch", --stdio]}`, target(graph.KindServer, 100), true},
		{"by label", `{label: {com.example.team: "*"}}`, target(graph.KindContainer, 100), true},
		{"by image, whatever its tag", `{image: ghcr.io/acme/fetch}`, target(graph.KindContainer, 100), true},
		{"by user", `{user: "1000"}`, target(graph.KindServer, 100), true},
		{"whatever its finding", `{kind: server}`, target(graph.KindServer, 100), true},
		{"by what could not be read: in doubt, keep", `{listening: true}`, target(graph.KindServer, 100, listening(unread)), true},
		{"another name", `{name: other}`, target(graph.KindServer, 100), false},
		{"one of two keys", `{name: fetch, user: root}`, target(graph.KindServer, 100), false},
		{"another value of the label", `{label: {com.example.team: x}}`, target(graph.KindContainer, 100), false},
	} {
		p := mustLoad(t, "version: 1\nextends: builtin\nprotect: [{name: ours, match: "+row.match+", reason: the nightly jobs share it.}]\n")
		got := judgeOne(p, row.target)
		if (got.Decision == policy.Keep) != row.kept || (got.Protected != nil) != row.kept {
			t.Errorf("%s: %s, protected %v", row.world, got.Decision, got.Protected)
		}
		if row.kept && got.Reason != `protected by "ours": the nightly jobs share it` {
			t.Errorf("%s: %q", row.world, got.Reason)
		}
	}
}

func TestMatch(t *testing.T) {
	idle := func(f inventory.Fact[time.Duration]) change { return func(t *graph.Target) { t.Idle = f } }
	cpu := func(f inventory.Fact[float64]) change { return func(t *graph.Target) { t.CPUPercent = f } }
	server, container := target(graph.KindServer, 100), target(graph.KindContainer, 100)
	for _, row := range []struct {
		match  string
		target *graph.Target
		want   bool
	}{
		{`{kind: server}`, server, true}, {`{kind: [gateway, container]}`, server, false},
		{`{recognised: known}`, server, true}, {`{recognised: likely}`, server, false},
		{`{recognised: likely}`, target(graph.KindServer, 100, likelyAtRest(time.Hour)), true},
		{`{finding: orphaned}`, server, true}, {`{finding: [exited, none]}`, server, false},
		{`{server: "F*"}`, server, true}, {`{server: fetch}`, container, true}, {`{server: fetch}`, target(graph.KindSession, 100), false},
		{`{server: "npm*"}`, server, false},
		{`{session: "*"}`, server, true}, {`{session: codex}`, server, false},
		{`{session: "*"}`, target(graph.KindServer, 100, func(t *graph.Target) { t.Owner.Kind = graph.OwnerProcess }), false},
		{`{session: fetch}`, target(graph.KindSession, 100), true},
		{`{name: fetch}`, server, true}, {`{name: eager_fermi}`, container, true}, {`{name: eager_fermi}`, server, false},
		{`{argv: [npm, exec]}`, server, true}, {`{argv: [exec, npm]}`, server, false}, {`{argv: [npm, --stdio]}`, server, false},
		{`{argv: ["-m", fetch]}`, container, true},
		{`{image: "ghcr.io/acme/*"}`, container, true}, {`{image: "ghcr.io/acme/fetch:1.2"}`, container, true},
		{`{image: "ghcr.io/acme/fet"}`, container, false}, {`{image: "*"}`, server, false},
		{`{label: {com.example.team: core}}`, container, true}, {`{label: {com.example.team: core, x: "*"}}`, container, false},
		{`{state: running}`, container, true}, {`{state: running}`, server, false},
		{`{user: dev}`, server, true}, {`{user: 1000}`, server, true}, {`{user: root}`, server, false},
		{`{older_than: 2h}`, server, true}, {`{older_than: 2h1s}`, server, false},
		{`{memory_over: 49MiB}`, server, true}, {`{memory_over: 50MiB}`, server, false},
		{`{memory_over: 1}`, target(graph.KindServer, 100, func(t *graph.Target) { t.MemoryBytes = 0 }), false},
		{`{idle_for: 1h}`, target(graph.KindServer, 100, idle(inventory.Known(time.Hour))), true},
		{`{idle_for: 1h}`, target(graph.KindServer, 100, idle(inventory.Known(time.Minute))), false},
		{`{idle_for: 1h}`, server, false},
		{`{idle_for: 1h}`, target(graph.KindServer, 100, idle(inventory.Unreadable[time.Duration]())), false},
		{`{cpu_over: 50}`, target(graph.KindServer, 100, cpu(inventory.Known(50.5))), true},
		{`{cpu_over: 50}`, target(graph.KindServer, 100, cpu(inventory.Known(50.0))), false}, {`{cpu_over: 50}`, server, false},
		{`{zombies_over: 3}`, target(graph.KindServer, 100, func(t *graph.Target) { t.Zombies = 3 }), true}, {`{zombies_over: 3}`, server, false},
		{`{respawns_over: 3}`, target(graph.KindServer, 100, func(t *graph.Target) { t.Respawns = 3 }), true}, {`{respawns_over: 3}`, server, false},
		{`{listening: false}`, server, true}, {`{listening: false}`, container, true}, {`{listening: true}`, container, false},
		{`{listening: true}`, target(graph.KindServer, 100, listening(inventory.Known(true))), true},
		{`{listening: true}`, target(graph.KindServer, 100, listening(inventory.Unreadable[bool]())), false},
		{`{listening: false}`, target(graph.KindServer, 100, listening(inventory.Unreadable[bool]())), false},
	} {
		p := mustLoad(t, "version: 1\nrules: [{name: x, match: "+row.match+", action: terminate}]\n")
		if got := judgeOne(p, row.target); (got.Rule == "x") != row.want {
			t.Errorf("%s on %s: %v", row.match, row.target.Kind, got.Rule)
		}
	}
}

func TestWhichFindingsARuleIsAbout(t *testing.T) {
	incidental := func(t *graph.Target) { t.Incidental, t.Finding = true, graph.FindingNone }
	none := finding(graph.FindingNone)
	for _, row := range []struct {
		world, match string
		target       *graph.Target
		want         bool
	}{
		{"no finding said: whatever has one", `{kind: server}`, target(graph.KindServer, 100), true},
		{"no finding said: not what has none", `{kind: server, name: fetch}`, target(graph.KindServer, 100, none), false},
		{"any: none too", `{kind: server, finding: any}`, target(graph.KindServer, 100, none), true},
		{"none", `{kind: server, finding: none}`, target(graph.KindServer, 100, none), true},
		{"a container rule with an image: all", `{kind: container, image: "ghcr.io/acme/*"}`, target(graph.KindContainer, 100, none), true},
		{"a container rule with a label: all", `{kind: container, label: {com.example.team: "*"}}`, target(graph.KindContainer, 100, none), true},
		{"a container rule with a name: all", `{kind: container, name: eager_fermi}`, target(graph.KindContainer, 100, none), true},
		{"a container rule without any of them", `{kind: container, older_than: 1h}`, target(graph.KindContainer, 100, none), false},
		{"a rule for more than containers", `{kind: [container, server], name: eager_fermi}`, target(graph.KindContainer, 100, none), false},
		{"no MCP server, and named", `{kind: container, name: eager_fermi}`, target(graph.KindContainer, 100, incidental), true},
		{"no MCP server, and only any", `{kind: container, finding: any}`, target(graph.KindContainer, 100, incidental), false},
		{"no MCP server, and a name meant for anything", `{name: eager_fermi, finding: any}`, target(graph.KindContainer, 100, incidental), false},
	} {
		p := mustLoad(t, "version: 1\nrules: [{name: x, match: "+row.match+", action: terminate}]\n")
		if got := judgeOne(p, row.target); (got.Rule == "x") != row.want {
			t.Errorf("%s: rule %q", row.world, got.Rule)
		}
	}
}

func TestExcludeMeansTryTheNextRule(t *testing.T) {
	p := mustLoad(t, `version: 1
rules:
  - {name: first, match: {kind: server}, exclude: {name: "fet*", listening: true}, action: terminate}
  - {name: second, match: {kind: server}}
  - {name: third, match: {kind: server}, action: terminate}
`)
	for _, row := range []struct {
		world     string
		listening inventory.Fact[bool]
		want      string
	}{
		{"it does not hold", inventory.Known(false), "first"},
		{"it holds", inventory.Known(true), "second"},
		{"it cannot be told: in doubt it holds", inventory.Unreadable[bool](), "second"},
		{"it was not recorded", inventory.Fact[bool]{}, "first"},
	} {
		if got := judgeOne(p, target(graph.KindServer, 100, listening(row.listening))); got.Rule != row.want {
			t.Errorf("%s: %q", row.world, got.Rule)
		}
	}
}

func TestALabelOfItsContainerExcludesARunner(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-servers, exclude: {label: {com.example.team: core}}}]\n")
	container := target(graph.KindContainer, 200)
	got := judgeAll(p, policy.JudgeOptions{}, container, target(graph.KindServer, 100, runnerOf(container)))
	if got[0].Decision != policy.Reap || got[1].Decision != policy.Keep || got[1].Head != container.ID {
		t.Errorf("container %s, runner %s", got[0].Decision, got[1].Decision)
	}
}

func TestForNeedsTimeAndTwoLooks(t *testing.T) {
	p := shipped(t)
	for _, row := range []struct {
		world   string
		target  *graph.Target
		oneShot bool
		want    policy.Decision
		needs   time.Duration
		due     time.Duration // from now
	}{
		{"held for long enough", target(graph.KindServer, 100, held(30*time.Second, 2)), false, policy.Reap, 0, 0},
		{"held for less", target(graph.KindServer, 100, held(29*time.Second, 2)), false, policy.Pending, 30 * time.Second, time.Second},
		{"one look", target(graph.KindServer, 100, held(time.Hour, 1)), false, policy.Pending, 0, 0},
		{"a daemon does not count age", target(graph.KindServer, 100, held(0, 2), aged(24*time.Hour)), false, policy.Pending, 30 * time.Second, 30 * time.Second},
		{"a one-shot counts the age of an orphan", target(graph.KindServer, 100, held(0, 2), aged(time.Minute)), true, policy.Reap, 0, 0},
		{"a one-shot does not wait for what nobody owns, however young", target(graph.KindServer, 100, held(time.Second, 2), aged(10*time.Second)), true, policy.Reap, 0, 0},
		{"a one-shot with one look", target(graph.KindServer, 100, held(0, 1)), true, policy.Pending, 0, 0},
		{"a one-shot, and it is a container", target(graph.KindContainer, 100, held(0, 2)), true, policy.Reap, 0, 0},
		{"a one-shot, and a container ended long ago", target(graph.KindContainer, 100, held(0, 2), finding(graph.FindingExited)), true, policy.Reap, 0, 0},
		{"a one-shot does not count age below a live owner", target(graph.KindServer, 100, held(time.Second, 2), live(graph.FindingDisconnected)), true, policy.Pending, 30 * time.Second, 29 * time.Second},
		{"a one-shot under a live owner, settled for long enough", target(graph.KindServer, 100, held(30*time.Second, 2), live(graph.FindingDisconnected)), true, policy.Reap, 0, 0},
		{"a one-shot where nobody recorded who listens", target(graph.KindGateway, 100, held(0, 2), listening(inventory.Fact[bool]{})), true, policy.Reap, 0, 0},
		{"a one-shot on zombies", target(graph.KindGateway, 100, held(time.Second, 2), live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 200 }), true, policy.Pending, 2 * time.Minute, 119 * time.Second},
	} {
		got := judgeAll(p, policy.JudgeOptions{OneShot: row.oneShot}, row.target)[0]
		if got.Decision != row.want || got.Needs != row.needs || got.NeedsLook != (row.target.Looks < 2) {
			t.Errorf("%s: %s, needs %s, look %v", row.world, got.Decision, got.Needs, got.NeedsLook)
		}
		if got.Decision == policy.Pending && !got.DueAt.Equal(noon.Add(row.due)) {
			t.Errorf("%s: due in %s", row.world, got.DueAt.Sub(noon))
		}
	}
}

func TestAPersonNeedNotWaitForWhatNobodyOwns(t *testing.T) {
	young := []change{held(time.Second, 2), aged(2 * time.Second)}
	with := func(kind graph.Kind, more ...change) *graph.Target {
		return target(kind, 100, append(slices.Clone(young), more...)...)
	}
	pinned := func(t *graph.Target) { t.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "it is pinned"}} }
	likely := func(t *graph.Target) {
		t.Job, t.Idle = human.Say("it is only likely to be an MCP server"), inventory.Known(time.Second)
	}
	for _, row := range []struct {
		world          string
		target         *graph.Target
		daemon, person policy.Decision
	}{
		{"an orphan", with(graph.KindServer), policy.Pending, policy.Reap},
		{"an orphaned container", with(graph.KindContainer), policy.Pending, policy.Reap},
		{"a container that has exited", with(graph.KindContainer, finding(graph.FindingExited)), policy.Pending, policy.Pending},
		{"an orphan that one look has seen", with(graph.KindServer, held(0, 1)), policy.Pending, policy.Pending},
		{"an orphan that is only likely to be a server", with(graph.KindServer, likely), policy.Pending, policy.Pending},
		{"an orphan that is pinned", with(graph.KindServer, pinned), policy.Keep, policy.Keep},
		{"an orphan that listens", with(graph.KindServer, listening(inventory.Known(true))), policy.Keep, policy.Keep},
		{"disconnected, and its owner lives", with(graph.KindServer, live(graph.FindingDisconnected)), policy.Pending, policy.Pending},
		{"an orphaned container whose owner lives", with(graph.KindContainer, live(graph.FindingOrphaned)), policy.Pending, policy.Pending},
		{"a gateway with zombies below a live owner", with(graph.KindGateway, live(graph.FindingZombies), func(t *graph.Target) { t.Zombies = 200 }), policy.Pending, policy.Pending},
		{"in use", with(graph.KindServer, live(graph.FindingNone)), policy.Keep, policy.Keep},
	} {
		for oneShot, want := range map[bool]policy.Decision{false: row.daemon, true: row.person} {
			if got := judgeAll(shipped(t), policy.JudgeOptions{OneShot: oneShot}, row.target)[0]; got.Decision != want {
				t.Errorf("%s, a person asks: %v: %s, want %s", row.world, oneShot, got.Decision, want)
			}
		}
	}
}

// TestLooksAndTimeThatAPersonAsksFor: a plan may be shown after one look, and an act may want more than two looks.
func TestLooksAndTimeThatAPersonAsksFor(t *testing.T) {
	for _, row := range []struct {
		world   string
		orphan  *graph.Target
		options policy.JudgeOptions
		want    policy.Decision
	}{
		{"one look is enough for a plan", target(graph.KindServer, 100, held(0, 1)), policy.JudgeOptions{OneShot: true, Looks: 1}, policy.Reap},
		{"one look is not enough by itself", target(graph.KindServer, 100, held(0, 1)), policy.JudgeOptions{OneShot: true}, policy.Pending},
		{"two looks that were too close", target(graph.KindServer, 100, held(time.Second, 2)), policy.JudgeOptions{OneShot: true, Settle: 10 * time.Second}, policy.Pending},
		{"two looks as far apart as was asked", target(graph.KindServer, 100, held(10*time.Second, 2)), policy.JudgeOptions{OneShot: true, Settle: 10 * time.Second}, policy.Reap},
		{"below a live owner the rule's time is part of the proof", target(graph.KindServer, 100, live(graph.FindingDisconnected), held(0, 1)), policy.JudgeOptions{OneShot: true, Looks: 1}, policy.Pending},
	} {
		if got := judgeAll(shipped(t), row.options, row.orphan)[0]; got.Decision != row.want {
			t.Errorf("%s: %s (%s)", row.world, got.Decision, got.Reason)
		}
	}
}

func TestAVerdictNamesTheSwitchWithoutWhichItWouldNotBe(t *testing.T) {
	copied := func() *graph.Target {
		return target(graph.KindServer, 100, copyOf(2, inventory.Known(time.Hour)))
	}
	const acts = "version: 1\nrules: [{name: old, match: {kind: server, finding: duplicate, idle_for: 5m}, action: terminate, keep_newest: 1}]\n"
	for _, row := range []struct {
		world    string
		policy   *policy.Policy
		switches policy.Switches
		target   *graph.Target
		want     string
	}{
		{"a rule that acts by itself", mustLoad(t, acts), policy.Switches{Duplicates: true}, copied(), ""},
		{"a rule that only reports", shipped(t), policy.Switches{Duplicates: true}, copied(), "--duplicates"},
		{"an orphan for which the daemon would wait", shipped(t), policy.Switches{}, target(graph.KindServer, 100, held(time.Second, 2), aged(time.Second)), ""},
	} {
		p, _ := row.policy.Switched(row.switches)
		got := judgeAll(p, policy.JudgeOptions{OneShot: true}, row.target)[0]
		if got.Decision != policy.Reap || got.Switch != row.want {
			t.Errorf("%s: %s by %q (%s), want by %q", row.world, got.Decision, got.Switch, got.Reason, row.want)
		}
	}
}

// TestWhoNamesAnOrphanedSessionEndsItWithWhatItHolds: naming says nothing of what has another finding.
func TestWhoNamesAnOrphanedSessionEndsItWithWhatItHolds(t *testing.T) {
	for _, row := range []struct {
		world   string
		session change
		server  change
		named   bool
		want    policy.Decision
		with    policy.Decision
	}{
		{"an orphaned one that is named, and its server", finding(graph.FindingOrphaned), live(graph.FindingNone), true, policy.Reap, policy.Reap},
		{"one that nobody names", finding(graph.FindingOrphaned), live(graph.FindingNone), false, policy.Keep, policy.Keep},
		{"one with a live parent", vetoed(graph.GuardUnproven), live(graph.FindingNone), true, policy.Keep, policy.Keep},
		{"one whose server is pinned", finding(graph.FindingOrphaned), func(t *graph.Target) { live(graph.FindingNone)(t); vetoed(graph.GuardPinned)(t) }, true, policy.Keep, policy.Keep},
		{"an idle one", finding(graph.FindingIdle), live(graph.FindingNone), true, policy.Keep, policy.Keep},
		{"one in use", live(graph.FindingNone), live(graph.FindingNone), true, policy.Keep, policy.Keep},
	} {
		session, server := target(graph.KindSession, 100, row.session), target(graph.KindServer, 200, row.server)
		session.Below = []string{server.ID}
		p, _ := shipped(t).Switched(policy.Switches{Named: row.named})
		got := judgeAll(p, policy.JudgeOptions{OneShot: true}, session, server)
		if got[0].Decision != row.want || got[1].Decision != row.with {
			t.Errorf("%s: %s and %s, want %s and %s", row.world, got[0].Decision, got[1].Decision, row.want, row.with)
		}
	}
}

// A rule for containers whoever owns them says with for: how old they must be. That nobody
// is known to own one does not say that nobody uses it.
func TestContainersThatAreNobodysLeftoversHaveTheirTime(t *testing.T) {
	const text = "version: 1\nrules: [{name: ci, match: {kind: container, label: {ci.job: '*'}}, for: 2h, action: remove}]\n"
	labelled := func(t *graph.Target) {
		t.Container = &inventory.Container{ID: t.ID, State: "running", Labels: map[string]string{"ci.job": "17"}}
	}
	nobody := func(t *graph.Target) { t.Owner = graph.Owner{} }
	strange := func(t *graph.Target) { t.Incidental = true }
	for _, row := range []struct {
		world string
		kind  []change
		now   policy.Decision
	}{
		{"no MCP server, of which nothing is known", []change{finding(graph.FindingNone), nobody, strange}, policy.Pending},
		{"an MCP server whose owner cannot be told", []change{finding(graph.FindingNone), nobody}, policy.Pending},
		{"one that could be several runners'", []change{finding(graph.FindingAmbiguous), nobody}, policy.Pending},
		{"one that a live session has", []change{live(graph.FindingNone)}, policy.Pending},
		{"an orphan", nil, policy.Reap},
		{"one that has exited", []change{finding(graph.FindingExited), nobody}, policy.Pending},
	} {
		young := target(graph.KindContainer, 100, append([]change{labelled, held(10*time.Second, 2), aged(20 * time.Second)}, row.kind...)...)
		old := target(graph.KindContainer, 101, append([]change{labelled, held(10*time.Second, 2), aged(3 * time.Hour)}, row.kind...)...)
		got := judgeAll(mustLoad(t, text), policy.JudgeOptions{OneShot: true}, young, old)
		if got[0].Decision != row.now {
			t.Errorf("%s: %s, want %s", row.world, got[0].Decision, row.now)
		}
		if got[1].Decision != policy.Reap {
			t.Errorf("%s, and as old as the rule wants: %s", row.world, got[1].Decision)
		}
	}
}

func TestAVerdictSaysWhatItsRuleAskedForAndCounted(t *testing.T) {
	orphan := func() *graph.Target { return target(graph.KindServer, 100, held(time.Second, 2), aged(time.Minute)) }
	for _, row := range []struct {
		world   string
		oneShot bool
		held    time.Duration
	}{
		{"a daemon counts what it saw", false, time.Second},
		{"a one-shot counts the age", true, time.Minute},
	} {
		got := judgeAll(shipped(t), policy.JudgeOptions{OneShot: row.oneShot}, orphan())[0]
		if got.For != 30*time.Second || got.Held != row.held {
			t.Errorf("%s: for %s, held %s", row.world, got.For, got.Held)
		}
	}
}

func TestAOneShotDoesNotCountTheAgeOfWhatListens(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: x, match: {finding: orphaned}, action: terminate}]\n")
	for what, f := range map[string]inventory.Fact[bool]{"listens": inventory.Known(true), "may listen": inventory.Unreadable[bool]()} {
		got := judgeAll(p, policy.JudgeOptions{OneShot: true}, target(graph.KindServer, 100, held(time.Second, 2), listening(f)))[0]
		if got.Decision != policy.Pending {
			t.Errorf("it %s: %s", what, got.Decision)
		}
	}
}

func TestAOneShotCountsTheAgeOfAContainerThatARuleNames(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: x, match: {kind: container, image: \"ghcr.io/acme/*\"}, action: remove}]\n")
	container := target(graph.KindContainer, 100, live(graph.FindingNone), held(time.Second, 2))
	if got := judgeAll(p, policy.JudgeOptions{OneShot: true}, container)[0]; got.Decision != policy.Reap {
		t.Errorf("named: %s", got.Decision)
	}
	if got := judgeAll(p, policy.JudgeOptions{}, container)[0]; got.Decision != policy.Pending {
		t.Errorf("by the daemon: %s", got.Decision)
	}
}

func TestDisconnectedWaitsForAGracefulCloseWhateverTheRuleSays(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: x, match: {finding: disconnected}, for: 0s, action: terminate}]\n")
	for h, want := range map[time.Duration]policy.Decision{
		0: policy.Pending, 10 * time.Second: policy.Pending, 10*time.Second + time.Millisecond: policy.Reap, time.Minute: policy.Reap,
	} {
		got := judgeOne(p, target(graph.KindServer, 100, live(graph.FindingDisconnected), held(h, 5)))
		if got.Decision != want {
			t.Errorf("held %s: %s", h, got.Decision)
		}
		if want == policy.Pending && (got.Needs != 11*time.Second || !strings.Contains(got.Reason, "wants it to hold for 11s")) {
			t.Errorf("held %s: needs %s: %s", h, got.Needs, got.Reason)
		}
	}
}

// likelyAtRest is what only its name makes a server, and how long it has done nothing.
func likelyAtRest(idle time.Duration) change {
	return func(t *graph.Target) { onlyLikely(t); t.Idle = inventory.Known(idle) }
}

// onlyLikely is what only its name makes a server.
func onlyLikely(t *graph.Target) {
	t.Likely, t.Job = true, human.Say("it is only likely to be an MCP server")
}

func TestWhatIsOnlyLikelyToBeAServerGoesAfterTenMinutesAtRest(t *testing.T) {
	p := shipped(t)
	working := onlyLikely
	for _, row := range []struct {
		world   string
		target  *graph.Target
		oneShot bool
		want    policy.Decision
	}{
		{"at rest for ten minutes since its stdio closed", target(graph.KindServer, 100, likelyAtRest(10*time.Minute)), false, policy.Reap},
		{"at rest for less", target(graph.KindServer, 100, likelyAtRest(10*time.Minute-time.Second)), false, policy.Pending},
		{"at work", target(graph.KindServer, 100, working), false, policy.Pending},
		{"at rest for an hour, of which its stdio was closed for a minute", target(graph.KindServer, 100, likelyAtRest(time.Hour), held(time.Minute, 9)), false, policy.Pending},
		{"of a great age, seen by one command", target(graph.KindServer, 100, likelyAtRest(time.Second), held(time.Second, 2), aged(24*time.Hour)), true, policy.Pending},
		{"below a live owner, at work", target(graph.KindServer, 100, live(graph.FindingDisconnected), working), false, policy.Pending},
	} {
		got := judgeAll(p, policy.JudgeOptions{OneShot: row.oneShot}, row.target)[0]
		if got.Decision != row.want || got.Decision == policy.Pending && !strings.Contains(got.Reason, "it is only likely to be an MCP server") {
			t.Errorf("%s: %s: %s", row.world, got.Decision, got.Reason)
		}
	}
}

// TestWhatStandsBehindAnotherGoesNoSooner: a leaked gateway that listens may still be called and
// call the server that it has.
func TestWhatStandsBehindAnotherGoesNoSooner(t *testing.T) {
	p := shipped(t)
	inUse := func(t *graph.Target) {
		t.Vetoes = []graph.Veto{{Guard: graph.GuardInUse, Text: "it listens and is in use"}}
	}
	busy := func(t *graph.Target) { onlyLikely(t); t.Idle = inventory.Known(time.Duration(0)) }
	for _, row := range []struct {
		world string
		first *graph.Target
		want  policy.Decision
		guard graph.Guard
	}{
		{"which goes", target(graph.KindServer, 10), policy.Reap, ""},
		{"which may be a job at work", target(graph.KindServer, 10, busy), policy.Pending, ""},
		{"which is in use", target(graph.KindServer, 10, inUse), policy.Keep, graph.GuardInUse},
		{"which no rule names", target(graph.KindServer, 10, func(t *graph.Target) { t.Finding = graph.FindingNone }), policy.Keep, graph.GuardInUse},
	} {
		behind := target(graph.KindServer, 11, func(t *graph.Target) { t.Behind = []string{row.first.ID} })
		verdicts := judgeAll(p, policy.JudgeOptions{}, row.first, behind)
		first, got := verdicts[0], verdicts[1]
		if got.Decision != row.want || row.want == policy.Pending && (!got.DueAt.Equal(first.DueAt) || got.WaitsFor != row.first.ID) {
			t.Errorf("behind one %s: %s, due %s, waits for %q: %s", row.world, got.Decision, got.DueAt, got.WaitsFor, got.Reason)
		}
		if row.guard != "" && (len(got.Vetoes) == 0 || got.Vetoes[0].Guard != row.guard) {
			t.Errorf("behind one %s: guards %v", row.world, got.Vetoes)
		}
	}
}

// TestWhatAProtectedTargetHoldsStays, and what that holds. The same without an end in its hands goes.
func TestWhatAProtectedTargetHoldsStays(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: x, match: {finding: orphaned}, for: 1s, action: terminate}]\nprotect: [{name: ours, match: {name: hub}}]\n")
	hub := target(graph.KindServer, 10, func(t *graph.Target) { t.Name = "hub" })
	held := target(graph.KindServer, 11, func(t *graph.Target) { t.Holders = []string{hub.ID} })
	below := target(graph.KindServer, 12, func(t *graph.Target) { t.Holders = []string{held.ID} })
	other := target(graph.KindServer, 13)
	for i, v := range judgeAll(p, policy.JudgeOptions{}, below, held, hub, other) {
		if got, want := v.Decision == policy.Keep, i < 3; got != want {
			t.Errorf("%s: %s, because %s", v.Target.ID, v.Decision, v.Reason)
		}
	}
}

func TestDuplicatesGoOnlyWhenTheyAreOldAndKnownToBeIdle(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: x, match: {finding: [duplicate, zombies]}, keep_newest: 2, action: terminate}]\n")
	for _, row := range []struct {
		world      string
		generation int
		idle       inventory.Fact[time.Duration]
		want       string
	}{
		{"third from the newest, idle for long", 3, inventory.Known(30 * time.Minute), "x"},
		{"one of the two newest", 2, inventory.Known(time.Hour), ""},
		{"at work right now", 3, inventory.Known(time.Duration(0)), ""},
		{"nobody knows whether it is idle", 3, inventory.Fact[time.Duration]{}, ""},
		{"its use could not be read", 3, inventory.Unreadable[time.Duration](), ""},
		{"no copy of anything", 0, inventory.Known(time.Hour), ""},
	} {
		if got := judgeOne(p, target(graph.KindServer, 100, copyOf(row.generation, row.idle))); got.Rule != row.want {
			t.Errorf("%s: %q", row.world, got.Rule)
		}
	}
}

func TestMaxPerOwnerEndsTheLongestIdleBeyondTheLimit(t *testing.T) {
	p := mustLoad(t, "version: 1\nrules: [{name: cap, match: {kind: server, finding: any}, max_per_owner: 2, action: terminate}]\n")
	idle := func(d time.Duration) change { return func(t *graph.Target) { t.Idle = inventory.Known(d) } }
	owned := func(pid int) change {
		return func(t *graph.Target) { live(graph.FindingNone)(t); t.Owner.ID.PID = pid }
	}
	targets := []*graph.Target{
		target(graph.KindServer, 100, owned(44), idle(time.Minute)),
		target(graph.KindServer, 110, owned(44), idle(time.Hour), vetoed(graph.GuardInUse)),
		target(graph.KindServer, 120, owned(44), idle(time.Hour)),
		target(graph.KindServer, 130, owned(44), aged(3*time.Hour)), // at work, and older
		target(graph.KindServer, 140, owned(55), idle(time.Hour)),
		target(graph.KindServer, 150, owned(55), idle(time.Hour)),
		target(graph.KindServer, 160, owned(44), aged(time.Hour)),
		target(graph.KindServer, 170, func(t *graph.Target) { t.Owner = graph.Owner{} }),
	}
	var reaped []int
	for _, v := range judgeAll(p, policy.JudgeOptions{}, targets...) {
		if v.Decision == policy.Reap {
			reaped = append(reaped, v.Target.Root.PID)
		}
	}
	if !slices.Equal(reaped, []int{100, 120, 130}) {
		t.Errorf("reaped %v", reaped)
	}
}

func TestThresholdsAreTheLeastThatAnyRuleAsksFor(t *testing.T) {
	if z, r := shipped(t).Thresholds(); z != 100 || r != 10 {
		t.Errorf("shipped: %d, %d", z, r)
	}
	p := mustLoad(t, `version: 1
rules:
  - {name: a, match: {finding: zombies, zombies_over: 20}}
  - {name: b, match: {finding: zombies}}
  - {name: c, match: {finding: orphaned, zombies_over: 1}}
  - {name: d, match: {respawns_over: 3}}
`)
	if z, r := p.Thresholds(); z != 20 || r != 3 {
		t.Errorf("%d, %d", z, r)
	}
}

// A gateway's server and container: 300 is its server, 400 that one's container.
func gatewayWorld(changes map[int]change) []*graph.Target {
	with := func(pid int) change {
		if change, ok := changes[pid]; ok {
			return change
		}
		return func(*graph.Target) {}
	}
	container := target(graph.KindContainer, 400, finding(graph.FindingNone))
	server := target(graph.KindServer, 300, finding(graph.FindingNone), runnerOf(container))
	gateway := target(graph.KindGateway, 200, live(graph.FindingZombies), below(server.ID), func(t *graph.Target) { t.Zombies = 526 })
	for i, t := range []*graph.Target{gateway, server, container} {
		with(200 + 100*i)(t)
	}
	return []*graph.Target{gateway, server, container}
}

func decisions(verdicts []policy.Verdict) string {
	var all []string
	for _, v := range verdicts {
		all = append(all, v.Decision.String())
	}
	return strings.Join(all, " ")
}

func TestWhatHangsOnAGatewayGoesWithItOrKeepsIt(t *testing.T) {
	none := func(*graph.Target) {}
	for _, row := range []struct {
		world   string
		changes map[int]change
		want    string // of the gateway, its server, that one's container
	}{
		{"all three go", nil, "reap reap reap"},
		{"nothing is wrong with the gateway", map[int]change{200: live(graph.FindingNone)}, "keep keep keep"},
		{"the gateway is not proven for long enough", map[int]change{200: held(time.Minute, 4)}, "pending pending pending"},
		{"a pinned server keeps the gateway", map[int]change{300: vetoed(graph.GuardPinned)}, "keep keep keep"},
		{"a server in use keeps the gateway", map[int]change{300: vetoed(graph.GuardInUse)}, "keep keep keep"},
		{"a pinned container keeps the gateway", map[int]change{400: vetoed(graph.GuardPinned)}, "keep keep keep"},
		{"what is unproven about the server does not matter", map[int]change{300: vetoed(graph.GuardUnproven)}, "reap reap reap"},
		{"a container that may be another's stays", map[int]change{400: vetoed(graph.GuardUnproven)}, "reap reap keep"},
		{"the gateway is pinned", map[int]change{200: vetoed(graph.GuardPinned)}, "keep keep keep"},
		{"the container goes by its own rule", map[int]change{400: finding(graph.FindingOrphaned)}, "reap reap reap"},
		{"nothing changed", map[int]change{200: none}, "reap reap reap"},
	} {
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, gatewayWorld(row.changes)...)
		if got := decisions(verdicts); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
		if row.want == "keep keep keep" && row.world != "nothing is wrong with the gateway" {
			if verdicts[0].Rule != "zombie-gateways" || len(verdicts[0].Vetoes) != 1 {
				t.Errorf("%s: rule %q, vetoes %v", row.world, verdicts[0].Rule, verdicts[0].Vetoes)
			}
		}
	}
	verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, gatewayWorld(nil)...)
	for _, v := range verdicts[1:] {
		if v.Rule != "zombie-gateways" || v.Head != verdicts[0].Target.ID || v.Action != policy.ActionTerminate {
			t.Errorf("%s: rule %q, with %q", v.Target.Kind, v.Rule, v.Head)
		}
	}
	own := judgeAll(shipped(t), policy.JudgeOptions{}, gatewayWorld(map[int]change{400: finding(graph.FindingOrphaned)})...)[2]
	if own.Rule != "orphaned-containers" || own.Action != policy.ActionRemove {
		t.Errorf("the container: %q, %s", own.Rule, own.Action)
	}
}

// TestWhatHangsOnAPendingGatewayWaitsWithIt and has its time, unless a rule of its own has it go sooner, or it stays
// when the gateway goes.
func TestWhatHangsOnAPendingGatewayWaitsWithIt(t *testing.T) {
	waits := held(110*time.Second, 9) // of the 2m that its rule wants
	orphanedFor := func(d time.Duration) change {
		return func(t *graph.Target) { finding(graph.FindingOrphaned)(t); held(d, 9)(t) } // of 30s
	}
	for _, row := range []struct {
		world   string
		changes map[int]change
		want    string // of the gateway, its server, that one's container
		with    string // which of them go with the gateway
	}{
		{"all three wait", nil, "pending pending pending", "with it, with it"},
		{"a container that may be another's stays", map[int]change{400: vetoed(graph.GuardUnproven)}, "pending pending keep", "with it, alone"},
		{"a server that listens is not meant by the rule, and ends with its container", map[int]change{300: func(t *graph.Target) { t.Listening = inventory.Known(true) }}, "pending pending pending", "alone, with it"},
		{"the container is due by its own rule, and its docker run ends with it", map[int]change{400: finding(graph.FindingOrphaned)}, "pending keep reap", "alone, alone"},
		{"the container waits for longer", map[int]change{400: orphanedFor(time.Second)}, "pending pending pending", "with it, with it"},
		{"the container waits for less, and its docker run ends with it", map[int]change{400: orphanedFor(25 * time.Second)}, "pending pending pending", "alone, alone"},
	} {
		changes := map[int]change{200: waits}
		maps.Copy(changes, row.changes)
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, gatewayWorld(changes)...)
		if got := decisions(verdicts); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
		var with []string
		for _, v := range verdicts[1:] {
			isWith := v.Head == verdicts[0].Target.ID
			with = append(with, map[bool]string{true: "with it", false: "alone"}[isWith])
			if isWith && (!v.DueAt.Equal(verdicts[0].DueAt) || v.Rule != "zombie-gateways" || v.Action != policy.ActionTerminate) {
				t.Errorf("%s: the %s is due at %v by rule %q", row.world, v.Target.Kind, v.DueAt, v.Rule)
			}
		}
		if got := strings.Join(with, ", "); got != row.with {
			t.Errorf("%s: %s, want %s", row.world, got, row.with)
		}
		if plan := policy.MakePlan(verdicts, shipped(t), at(0)); len(plan.Acts) != strings.Count(row.want, "reap") {
			t.Errorf("%s: %d acts", row.world, len(plan.Acts))
		}
	}
}

// TestWhatHangsOnAGatewayBelowAnotherWaitsWithTheOutermost in whatever order the graph has them, unless the inner one
// goes sooner.
func TestWhatHangsOnAGatewayBelowAnotherWaitsWithTheOutermost(t *testing.T) {
	waits := func(d time.Duration) change {
		return func(t *graph.Target) { live(graph.FindingZombies)(t); held(d, 9)(t); t.Zombies = 526 }
	}
	for inner, want := range map[time.Duration]string{10 * time.Second: "300 with 200, 400 with 200", 90 * time.Second: "300 alone, 400 with 300"} {
		server := target(graph.KindServer, 400, finding(graph.FindingNone))
		below := target(graph.KindGateway, 300, waits(inner), below(server.ID))
		above := target(graph.KindGateway, 200, waits(time.Minute), func(t *graph.Target) { t.Below = []string{below.ID} })
		for _, targets := range [][]*graph.Target{{above, below, server}, {server, below, above}} {
			with := map[string]string{}
			for _, v := range judgeAll(shipped(t), policy.JudgeOptions{}, targets...) {
				with[v.Target.ID] = v.Head
			}
			named := map[string]string{"": "alone", above.ID: "with 200", below.ID: "with 300"}
			if got := "300 " + named[with[below.ID]] + ", 400 " + named[with[server.ID]]; got != want {
				t.Errorf("the inner one has waited for %s: %s, want %s", inner, got, want)
			}
		}
	}
}

func TestAProtectedServerKeepsItsGateway(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nprotect: [{name: ours, match: {kind: server, argv: [npm]}}]\n")
	verdicts := judgeAll(p, policy.JudgeOptions{}, gatewayWorld(nil)...)
	if got := decisions(verdicts); got != "keep keep keep" {
		t.Errorf("%s", got)
	}
	if !strings.Contains(verdicts[0].Reason, `protected by "ours"`) {
		t.Errorf("reason %q", verdicts[0].Reason)
	}
}

func TestAContainerAndItsRunner(t *testing.T) {
	none, orphaned := finding(graph.FindingNone), finding(graph.FindingOrphaned)
	for _, row := range []struct {
		world             string
		container, runner change
		want              string // of the container, then of the runner
		endsWith          bool
	}{
		{"both are orphaned", orphaned, orphaned, "reap reap", false},
		{"only the container is", orphaned, none, "reap keep", true},
		{"only the runner is, and takes it along", none, orphaned, "reap reap", false},
		{"the container is pinned, which keeps its runner", vetoed(graph.GuardPinned), orphaned, "keep keep", false},
		{"the runner is pinned, which keeps its container", orphaned, vetoed(graph.GuardPinned), "keep keep", false},
		{"whose container it is cannot be told", vetoed(graph.GuardUnproven), orphaned, "keep keep", false},
		{"the engine did not answer, so the runner stays", none, vetoed(graph.GuardEngine), "keep keep", false},
		{"whose container it is cannot be told, and the runner is not proven", vetoed(graph.GuardUnproven), held(10*time.Second, 2), "keep keep", false},
		{"the container is proven later", held(time.Second, 2), orphaned, "pending pending", false},
		{"neither is proven, the container later", held(time.Second, 2), held(10*time.Second, 2), "pending pending", false},
		{"neither is proven, the runner later", held(10*time.Second, 2), held(time.Second, 2), "pending pending", false},
		{"neither is proven, the runner in the same moment", held(10*time.Second, 2), held(9*time.Second, 2), "pending pending", false},
		{"the runner is proven later", orphaned, held(time.Second, 2), "reap keep", true},
	} {
		container := target(graph.KindContainer, 400, row.container)
		runner := target(graph.KindServer, 300, runnerOf(container), row.runner)
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, container, runner)
		if got := decisions(verdicts); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
		if runs := verdicts[1]; runs.Decision == policy.Pending && runs.DueAt.Before(verdicts[0].DueAt) {
			t.Errorf("%s: the runner is due %s before its container", row.world, verdicts[0].DueAt.Sub(runs.DueAt))
		}
		if got := verdicts[1].Head == container.ID && verdicts[1].Decision == policy.Keep; got != row.endsWith {
			t.Errorf("%s: ends with %q", row.world, verdicts[1].Head)
		}
	}
}

// TestARunnerThatWaitsForLongerThanItsContainerEndsWithIt, and has its time; by its name both are selected.
func TestARunnerThatWaitsForLongerThanItsContainerEndsWithIt(t *testing.T) {
	container := target(graph.KindContainer, 400, held(10*time.Second, 2))
	runner := target(graph.KindServer, 300, runnerOf(container), held(time.Second, 2))
	verdicts := judgeAll(mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-servers, for: 5m}]\n"), policy.JudgeOptions{}, container, runner)
	if v := verdicts[1]; v.Head != container.ID || !v.DueAt.Equal(verdicts[0].DueAt) || v.Rule != "orphaned-containers" || v.Action != policy.ActionTerminate {
		t.Errorf("with %q at %v by rule %q, %s", v.Head, v.DueAt, v.Rule, v.Action)
	}
	for _, wanted := range []*graph.Target{container, runner} {
		if selected := policy.Select(verdicts, func(t *graph.Target) bool { return t == wanted }); decisions(selected) != "pending pending" {
			t.Errorf("%s: selected %s", wanted.Kind, decisions(selected))
		}
	}
}

// TestASweepOfADockerRunGoesByWayOfItsContainer, which is due before, also below a gateway that waits.
func TestASweepOfADockerRunGoesByWayOfItsContainer(t *testing.T) {
	container := target(graph.KindContainer, 400)
	runner := target(graph.KindServer, 300, runnerOf(container), held(time.Second, 2))
	gateway := target(graph.KindGateway, 200, below(runner.ID), held(time.Second, 2))
	for _, targets := range [][]*graph.Target{{container, runner}, {gateway, runner, container}} {
		verdicts := judgeAll(mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-servers, for: 5m}]\n"), policy.JudgeOptions{}, targets...)
		selected := policy.Select(verdicts, func(t *graph.Target) bool { return t == runner })
		plan := policy.MakePlan(selected, shipped(t), at(0))
		if len(selected) != 2 || len(plan.Acts) != 1 || plan.Acts[0].TargetID != container.ID || plan.Acts[0].Runner.PID != 300 {
			t.Errorf("of %d targets %s are selected, and the acts are %+v", len(targets), decisions(selected), plan.Acts)
		}
	}
}

// TestARunnerThatWaitsSaysForWhat: its own rule's time would be a false promise, however its
// containers are ordered.
func TestARunnerThatWaitsSaysForWhat(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-containers, for: 3m}]\n")
	late := target(graph.KindContainer, 400, func(t *graph.Target) { t.Held, t.Looks = 6*time.Second, 2 })
	for _, row := range []struct {
		world    string
		held     time.Duration // of the runner
		others   []*graph.Target
		want     policy.Decision
		waitsFor string
	}{
		{"the runner's time is not over", 6 * time.Second, nil, policy.Pending, late.ID},
		{"the runner's time is over", time.Minute, nil, policy.Pending, late.ID},
		{"another container stays", time.Minute, []*graph.Target{target(graph.KindContainer, 500, vetoed(graph.GuardUnproven))}, policy.Keep, ""},
	} {
		runner := target(graph.KindServer, 300, func(t *graph.Target) { t.Held, t.Looks = row.held, 2 })
		for _, containers := range [][]*graph.Target{append([]*graph.Target{late}, row.others...), append(slices.Clone(row.others), late)} {
			runner.Containers = nil
			for _, c := range containers {
				runner.Containers = append(runner.Containers, c.ID)
			}
			verdicts := judgeAll(p, policy.JudgeOptions{}, append(containers, runner)...)
			got := verdicts[len(containers)]
			if got.Decision != row.want || got.WaitsFor != row.waitsFor {
				t.Errorf("%s: %s, waits for %q: %s", row.world, got.Decision, got.WaitsFor, got.Reason)
			}
			if container := judgeAll(p, policy.JudgeOptions{}, late)[0]; got.WaitsFor != "" && !got.DueAt.Equal(container.DueAt) {
				t.Errorf("%s: due %s, its container %s", row.world, got.DueAt, container.DueAt)
			}
		}
	}
}

// TestADockerRunThatBeganAMomentBeforeItsContainerWaitsForNobody: both have one time.
func TestADockerRunThatBeganAMomentBeforeItsContainerWaitsForNobody(t *testing.T) {
	container := target(graph.KindContainer, 400, func(t *graph.Target) { t.Held, t.Looks = 6*time.Second, 2 })
	runner := target(graph.KindServer, 300, runnerOf(container), func(t *graph.Target) { t.Held, t.Looks = 7*time.Second, 2 })
	verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, container, runner)
	if got := verdicts[1]; got.WaitsFor != "" || !got.DueAt.Equal(verdicts[0].DueAt) || got.Decision != policy.Pending || strings.Contains(got.Reason, "waits for") {
		t.Errorf("%s, due %s, waits for %q: %s; its container is due %s", got.Decision, got.DueAt, got.WaitsFor, got.Reason, verdicts[0].DueAt)
	}
}

// Who reads why a docker run stays must find the container, and the pin that keeps it.
func TestARunnerOfAPinnedContainerNamesIt(t *testing.T) {
	for _, row := range []struct {
		world string
		veto  graph.Veto
		want  string // whose pin it is
	}{
		{"the container is pinned", graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}, ""},
		{"it is kept for another", graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it", For: "51:1"}, "51:1"},
		{"its label keeps it", graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it", Marked: true}, ""},
	} {
		container := target(graph.KindContainer, 400, func(t *graph.Target) { t.Vetoes = []graph.Veto{row.veto} })
		container.Container = &inventory.Container{ID: container.ID, Name: "/keepme"}
		verdicts := judgeAll(shipped(t), policy.JudgeOptions{}, container, target(graph.KindServer, 300, runnerOf(container)))
		kept := append(verdicts[1].Vetoes, graph.Veto{})[0]
		if text := container.Name + " keepme would end with it: reaperd pin keeps it"; kept.Text != text || kept.For != cmp.Or(row.want, container.ID) || kept.Marked != row.veto.Marked {
			t.Errorf("%s: %+v, want %q", row.world, kept, text)
		}
	}
}

func TestARunnerStaysWithAContainerThatARuleOnlyReports(t *testing.T) {
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-containers, action: report}]\n")
	container := target(graph.KindContainer, 400)
	verdicts := judgeAll(p, policy.JudgeOptions{}, container, target(graph.KindServer, 300, runnerOf(container)))
	if got := decisions(verdicts); got != "keep keep" || len(verdicts[1].Vetoes) != 1 || verdicts[1].Rule != "orphaned-servers" {
		t.Errorf("%s, rule %q, vetoes %v", got, verdicts[1].Rule, verdicts[1].Vetoes)
	}
}

func TestTheZeroPolicyKeepsEverything(t *testing.T) {
	for _, p := range []*policy.Policy{{}, {Rules: []policy.Rule{{Name: "zero"}}}, mustLoad(t, "version: 1")} {
		for _, v := range judgeAll(p, policy.JudgeOptions{OneShot: true}, append(gatewayWorld(nil), target(graph.KindServer, 900))...) {
			if v.Decision != policy.Keep {
				t.Errorf("%s is %s by %q", v.Target.ID, v.Decision, v.Rule)
			}
		}
	}
}

func TestARunawayMustRunAwayForAllThatTime(t *testing.T) {
	p := mustLoad(t, `
version: 1
rules:
  - name: runaways
    match: {kind: server, finding: any, cpu_over: 80}
    for: 5m
    action: terminate
`)
	at := func(minute int) inventory.Moment {
		return inventory.Moment{At: noon.Add(time.Duration(minute) * time.Minute)}
	}
	for _, row := range []struct {
		world string
		cpu   []float64
		want  policy.Decision
	}{
		{"for ten minutes", []float64{90, 90, 90}, policy.Reap},
		{"for the five minutes between the last two looks", []float64{90, 10, 90}, policy.Reap},
		{"for less than five minutes", []float64{90, 10}, policy.Keep},
		{"not any more", []float64{90, 90, 10}, policy.Keep},
	} {
		runaway := target(graph.KindServer, 500, finding(graph.FindingNone), func(t *graph.Target) {
			t.Held, t.Looks, t.Age = time.Hour, 100, time.Hour
			for i, cpu := range row.cpu {
				t.Samples = t.Samples.With(graph.Sample{From: at(5*i - 5), At: at(5 * i), CPUPercent: cpu})
			}
			t.CPUPercent = inventory.Known(row.cpu[len(row.cpu)-1])
		})
		if got := judgeAll(p, policy.JudgeOptions{}, runaway)[0].Decision; got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
}

func TestAContainerGetsTheTimeOfItsRunnersGracefulClose(t *testing.T) {
	live := func(t *graph.Target) { t.Owner.Liveness = graph.LivenessLive }
	p := mustLoad(t, "version: 1\nextends: builtin\nrules: [{name: orphaned-containers, for: 1s}]\n")
	for _, row := range []struct {
		world  string
		target *graph.Target
		want   policy.Decision
	}{
		{"its runner's owner lives and has let go of it a moment ago", target(graph.KindContainer, 400, live, held(2*time.Second, 2)), policy.Pending},
		{"and a while ago", target(graph.KindContainer, 400, live, held(11*time.Second, 2)), policy.Reap},
		{"its owner is gone", target(graph.KindContainer, 400, held(2*time.Second, 2)), policy.Reap},
	} {
		if got := judgeAll(p, policy.JudgeOptions{OneShot: true}, row.target)[0].Decision; got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
}

func TestAContainerThatIsNoServerIsReportedWhereThePolicyNamesIt(t *testing.T) {
	server, stranger := target(graph.KindContainer, 100), target(graph.KindContainer, 110)
	stranger.Incidental = true
	for _, row := range []struct {
		world   string
		verdict policy.Verdict
		want    bool
	}{
		{"an MCP server", policy.Verdict{Target: server}, true},
		{"a stranger", policy.Verdict{Target: stranger}, false},
		{"one that a rule names", policy.Verdict{Target: stranger, Rule: "ours"}, true},
		{"one that is protected", policy.Verdict{Target: stranger, Protected: &policy.Protect{}}, true},
	} {
		if got := row.verdict.Reported(); got != row.want {
			t.Errorf("%s: %v", row.world, got)
		}
	}
}

// TestNoRuleGoesByAnOwnerThatOnlyFollows: a rule for a session's containers, and one that
// limits how many an owner may have, leave those alone whose owner was deduced.
func TestNoRuleGoesByAnOwnerThatOnlyFollows(t *testing.T) {
	for _, rule := range []string{
		"{name: theirs, match: {kind: container, image: '*', finding: any, session: claude-code}, action: terminate}",
		"{name: cap, match: {kind: container, image: '*', finding: any}, max_per_owner: 1, action: terminate}",
	} {
		p := mustLoad(t, "version: 1\nrules: ["+rule+"]\n")
		for _, deduced := range []bool{false, true} {
			follows := func(t *graph.Target) { t.Deduced = deduced }
			verdicts := judgeAll(p, policy.JudgeOptions{}, target(graph.KindContainer, 100, live(graph.FindingNone), follows), target(graph.KindContainer, 110, live(graph.FindingNone), follows))
			reaped := slices.ContainsFunc(verdicts, func(v policy.Verdict) bool { return v.Decision == policy.Reap })
			if reaped == deduced {
				t.Errorf("%s: deduced %v, and something is reaped: %v", rule, deduced, reaped)
			}
		}
	}
}
