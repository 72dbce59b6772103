package overview

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestWhatBecomesOfANodeInWords(t *testing.T) {
	server := func(state State) Node { return Node{Kind: KindServer, Name: "fetch", State: state} }
	due := server(StatePending)
	due.Next.DueAt = noon.Add(18 * time.Second)
	over := server(StatePending)
	over.Next.DueAt = ago(time.Second)
	later := due
	later.Next.Beyond = 500
	removed := server(StateDue)
	removed.Next.Action = policy.ActionRemove
	refused := server(StateDue)
	refused.Outcome = "refused: its owner came back"
	reported := server(StateReported)
	reported.Finding = graph.FindingDuplicate
	guarded := reported
	guarded.Next, guarded.Guards = Next{Rule: "r", Action: policy.ActionTerminate}, []graph.Veto{{Guard: graph.GuardInUse}}
	failing := server(StateReported)
	failing.Finding, failing.Zombies = graph.FindingZombies, 12
	idle := Node{Kind: KindSession, State: StateIdle, IdleSince: ago(5 * time.Hour)}
	never := idle
	never.IdleAtLeast = true
	ahead := idle
	ahead.Next.AheadAt = noon.Add(time.Minute)
	nearing := Node{Kind: KindSession, State: StateKept, IdleSince: ago(time.Minute), Next: Next{AheadAt: noon.Add(9 * time.Minute)}}
	distant := nearing
	distant.Next.AheadAt = noon.Add(11 * time.Minute)
	kept := server(StatePinned)
	kept.KeptWith = Keeper{Target: "603:1", Title: "gitlab 603"}
	unnamed := kept
	unnamed.KeptWith.Title = ""
	left := Node{Kind: KindGone, Name: "codex", Owner: Owner{Since: ago(time.Minute)}}
	unknown := left
	unknown.Name = ""
	runner := server(StateKept)
	runner.Next.EndsWith = "container:x"
	resting := server(StateKept)
	resting.Rests, resting.IdleSince = true, ago(218*time.Second)
	along := due
	along.Next.With, along.Next.WithKind = "server:9:90", graph.KindGateway
	dueAlong := along
	dueAlong.State, dueAlong.Next.DueAt = StateDue, time.Time{}
	inRun := along
	inRun.Kind, inRun.Next.WithKind = KindContainer, graph.KindServer
	live := Place{Branch: BranchSessions}
	unseen := server(StateKept)
	unseen.Owner.Liveness = graph.LivenessLive
	shared := unseen
	shared.Kind = KindContainer
	ofRun := shared
	ofRun.RunMayBeUsed = true
	for _, c := range []struct {
		name  string
		node  Node
		place Place
		acts  bool
		want  Words
	}{
		{"a live session that does nothing comes to its rule", nearing, Place{}, true, Words{Text: "live, stops", Due: nearing.Next.AheadAt, Tone: ToneWaits}},
		{"that is far ahead", distant, Place{}, true, Words{Text: "live", Tone: ToneLives}},
		{"nobody acts on a live session", nearing, Place{}, false, Words{Text: "live, would stop", Due: nearing.Next.AheadAt, Tone: ToneWaits}},
		{"what waits counts down", due, Place{}, true, Words{Text: "stops", Due: due.Next.DueAt, Tone: ToneWaits}},
		{"nobody acts", due, Place{}, false, Words{Text: "would stop", Due: due.Next.DueAt, Tone: ToneWaits}},
		{"its time has come, and no look since", over, Place{}, true, Words{Text: "stops now", Tone: ToneWaits}},
		{"no look says when", server(StatePending), Place{}, true, Words{Text: "waits for a look", Tone: ToneWaits}},
		{"a limit leaves it for later", later, Place{}, true, Words{Text: "waits for a sweep", Tone: ToneWaits}},
		{"it goes now", server(StateDue), Place{}, true, Words{Text: "stops now", Tone: ToneGoes}},
		{"a container goes now", removed, Place{}, true, Words{Text: "is removed now", Tone: ToneGoes}},
		{"a container would, if somebody acted", removed, Place{}, false, Words{Text: "would be removed now", Tone: ToneGoes}},
		{"it is due with its gateway, and nobody acts", dueAlong, live, false, Words{Text: "would stop with gateway", Tone: ToneWaits}},
		{"it goes now with its gateway", dueAlong, live, true, Words{Text: "stops now", Tone: ToneGoes}},
		{"an act is under way", server(StateReaping), Place{}, true, Words{Text: "stopping now", Tone: ToneGoes}},
		{"an act was refused", refused, Place{}, true, Words{Text: "not stopped", More: ": refused: its owner came back", Tone: ToneGoes}},
		{"a rule reports", reported, Place{}, true, Words{Text: "an older copy", More: ", only reported", Tone: ToneWaits}},
		{"a guard keeps it", guarded, Place{}, true, Words{Text: "an older copy", More: ", kept: in-use", Tone: ToneWaits}},
		{"a gateway with too few zombies for its rule", failing, Place{}, true, Words{Text: "failing: 12 zombies", More: ", only reported", Tone: ToneWaits}},
		{"pinned", server(StatePinned), live, true, Words{Text: "pinned", Tone: ToneLives}},
		{"kept for the sake of something pinned", kept, live, true, Words{Text: "kept with gitlab 603", Tone: ToneLives}},
		{"that is not in the tree", unnamed, live, true, Words{Text: "kept with what is pinned", Tone: ToneLives}},
		{"pinned with its session", kept, Place{Branch: BranchSessions, Pinned: true}, true, Words{Text: "pinned with session", Tone: ToneLives}},
		{"of a live session", server(StateKept), live, true, Words{Text: "in use", Tone: ToneLives}},
		{"an older copy that is not idle for as long as its rule asks", resting, live, true, Words{Text: "an older copy", More: ", idle for 3m 38s", Tone: ToneWaits}},
		{"of an idle session", server(StateKept), Place{Branch: BranchSessions, Idle: true}, true, Words{Text: "idle with session", Tone: ToneAside}},
		{"of a session that stops", server(StateKept), Place{Branch: BranchSessions, Stops: true}, true, Words{Text: "stops with session", Tone: ToneWaits}},
		{"of one that would, if somebody acted", reported, Place{Branch: BranchSessions, Stops: true}, false, Words{Text: "would stop with session", Tone: ToneWaits}},
		{"of a gateway that stops", along, live, true, Words{Text: "stops with gateway", Tone: ToneWaits}},
		{"of a docker run that stops", inRun, live, true, Words{Text: "stops with docker run", Tone: ToneWaits}},
		{"with a time of its own", over, Place{Branch: BranchSessions, Stops: true}, true, Words{Text: "stops now", Tone: ToneWaits}},
		{"of a session that is kept with another of its servers", server(StateKept), Place{Branch: BranchSessions, KeptWith: Keeper{Target: "9:1", Title: "gitlab 9"}}, true, Words{Text: "kept with gitlab 9", Tone: ToneLives}},
		{"an idle session that a rule stops later", ahead, live, true, Words{Text: "idle 5h, stops", Due: noon.Add(time.Minute), Tone: ToneWaits}},
		{"of nobody known", server(StateKept), Place{Branch: BranchUnclear}, true, Words{Text: "kept", More: ": nothing proves whose", Tone: ToneAside}},
		{"that the policy protects", Node{Kind: KindServer, State: StateKept, Protected: true, Finding: graph.FindingOrphaned}, Place{Branch: BranchLeaked}, true, Words{Text: "kept", Tone: ToneLives}},
		{"of somebody who cannot be seen", unseen, Place{Branch: BranchLeaked}, true, Words{Text: "may be in use", More: ": by whom cannot be seen", Tone: ToneLives}},
		{"the container of a docker run that may be in use", ofRun, Place{Branch: BranchLeaked}, true, Words{Text: "may be in use", More: ": by whom cannot be seen", Tone: ToneLives}},
		{"of one of several that live", shared, Place{Branch: BranchUnclear}, true, Words{Text: "in use by somebody", More: ": whose is not known", Tone: ToneLives}},
		{"the runner of a container that goes", runner, live, true, Words{Text: "ends with container", Tone: ToneAside}},
		{"a live session", Node{Kind: KindSession}, live, true, Words{Text: "live", Tone: ToneLives}},
		{"a session that does nothing", idle, live, true, Words{Text: "idle 5h", Tone: ToneAside}},
		{"a session that was never seen in use", never, live, true, Words{Text: "idle 5h+", Tone: ToneAside}},
		{"a session that has ended", left, Place{Branch: BranchLeaked}, true, Words{Text: "ended", Since: ago(time.Minute), Tone: ToneAside}},
		{"what nobody is known to have started has no session that ended", unknown, Place{Branch: BranchLeaked}, true, Words{Tone: ToneAside}},
	} {
		teller := Teller{IdleUntil: noon, Now: noon, Acts: c.acts}
		if got := teller.Words(&c.node, c.place); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWhereANodeStands(t *testing.T) {
	idle := Node{Key: "session:4:40", Kind: KindSession, State: StateIdle, Children: []Node{{Key: "server:5:50", Kind: KindServer}}}
	tree := Tree{Branches: []Branch{{Name: BranchSessions, Nodes: []Node{{Key: "session:2:20"}, idle}}, {Name: BranchLeaked, Nodes: []Node{{Key: "gone:1:10"}}}}}
	for key, want := range map[string]Place{
		"session:2:20": {Branch: BranchSessions},
		"session:4:40": {Branch: BranchSessions},
		"server:5:50":  {Branch: BranchSessions, Idle: true},
		"gone:1:10":    {Branch: BranchLeaked},
		"server:9:90":  {},
	} {
		if got := tree.PlaceOf(key); got != want {
			t.Errorf("%s stands in %+v, want %+v", key, got, want)
		}
	}
}

func TestOlderCopiesAreCounted(t *testing.T) {
	for _, row := range []struct {
		copies []Node
		want   string
	}{
		{nil, "1 server"},
		{[]Node{{Kind: KindServer, Rests: true}}, "2 servers, 1 an older copy"},
		{[]Node{{Kind: KindServer, Rests: true}, {Kind: KindContainer, State: StateReported, Finding: graph.FindingDuplicate}}, "2 servers and 1 container, 2 older copies"},
	} {
		session := Node{Kind: KindSession, Children: append([]Node{{Kind: KindServer}}, row.copies...)}
		for i := range session.Children {
			session.Children[i].sum()
		}
		if session.sum(); session.Totals.WithCopies() != row.want {
			t.Errorf("%q, want %q", session.Totals.WithCopies(), row.want)
		}
	}
}

func TestAnEngineThatIsGoneIsCalledByItsName(t *testing.T) {
	for _, row := range []struct {
		world   string
		engines []string
		want    string
	}{
		{"one engine", []string{"docker"}, "Docker is gone since noon: its 3 containers cannot be seen"},
		{"another one", []string{"podman"}, "Podman is gone since noon: its 3 containers cannot be seen"},
		{"two", []string{"docker", "podman"}, "Docker and Podman are gone since noon: their 3 containers cannot be seen"},
		{"a daemon that does not say which", nil, "The container engine is gone since noon: its 3 containers cannot be seen"},
	} {
		tree := Tree{Unseen: Unseen{Containers: 3, Engines: row.engines, Since: noon}}
		if got := tree.Faults(func(time.Time) string { return "noon" }, ""); len(got) != 1 || got[0].String() != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

func TestTheDockerRunOfAContainerIsNamed(t *testing.T) {
	container := Node{Key: "container:a", Kind: KindContainer, Name: "gitlab", Handle: "calm_lynx", Target: "a"}
	kept := func(target string) Node {
		return Node{Kind: KindContainer, Key: "container:a", KeptWith: Keeper{Target: target}}
	}
	held := kept("9:1")
	held.Owner.Liveness = graph.LivenessLive
	for name, row := range map[string]struct {
		above     Kind
		container Node
		want      string
	}{
		"it runs below its docker run":           {KindServer, container, "gitlab 57"},
		"it is kept with its docker run":         {KindServer, kept("57:1"), "gitlab 57"},
		"it is kept with its session":            {KindServer, held, "gitlab 57"},
		"it is kept for another docker run":      {KindServer, kept("58:1"), "maybe gitlab 57"},
		"it is kept with the gateway above both": {KindServer, kept("70:1"), "gitlab 57"},
		"it stands below a session":              {KindGone, container, ""},
		"a server below another is no container": {KindServer, Node{Key: "server:60:1", Kind: KindServer}, ""},
		"nothing stands above it":                {"", container, ""},
	} {
		nodes := []Node{{Key: "above", Kind: row.above, Name: "gitlab", Handle: "57", Target: "57:1", Children: []Node{row.container}}}
		if row.above == "" {
			nodes = []Node{row.container}
		}
		if row.container.KeptWith.Target == "70:1" {
			nodes = []Node{{Key: "hub", Kind: KindGateway, Target: "70:1", Children: nodes}}
		}
		nodes = append(nodes, Node{Kind: KindSession, Target: "9:1"}, Node{Kind: KindServer, Target: "58:1"})
		tree := Tree{Branches: []Branch{{Nodes: nodes}}}
		if got := tree.Runner(&row.container); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
