package serve

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestTheContainerOfAServerIsLeftWithIt(t *testing.T) {
	gone := &overview.Node{Children: []overview.Node{
		{Target: "46:1", Kind: overview.KindServer, Handle: "46", Children: []overview.Node{
			{Kind: "process", Handle: "47"}, {Target: "0123", Kind: overview.KindContainer, Handle: "eager_fermi"},
		}},
		{Target: "50:1", Kind: overview.KindServer, Handle: "50"},
	}}
	var handles []string
	for _, left := range leftBelow(gone) {
		handles = append(handles, left.Handle)
	}
	if want := []string{"46", "eager_fermi", "50"}; !slices.Equal(handles, want) {
		t.Errorf("got %q, want %q", handles, want)
	}
}

func TestTheStateTellsWhoLeftWhat(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(graph.Owner{}, graph.FindingNone, policy.Keep)
	m := published(t, w.update())
	server := New(Options{Metrics: m})
	leavers := server.state().Leavers
	if len(leavers) != 1 || leavers[0].Name != "codex" || len(leavers[0].Left) != 2 || leavers[0].Left[0].ID != w.verdicts[0].Target.ID || leavers[0].Left[0].Handle == "" {
		t.Errorf("%+v", leavers)
	}
	fresh, _ := newTestMetrics()
	if leavers := New(Options{Metrics: fresh}).state().Leavers; leavers == nil || len(leavers) > 0 {
		t.Errorf("before the first look: %v", leavers)
	}
}

func TestWhatIsInUseIsCounted(t *testing.T) {
	live := graph.Owner{Name: "codex", Liveness: graph.LivenessLive}
	w := &world{}
	w.judged(live, graph.FindingNone, policy.Keep)
	w.judged(live, graph.FindingDuplicate, policy.Keep)
	w.judged(live, graph.FindingDisconnected, policy.Pending)
	w.judged(graph.Owner{}, graph.FindingNone, policy.Keep) // nobody knows whose
	w.judged(live, graph.FindingNone, policy.Keep)
	rests := w.judged(live, graph.FindingDuplicate, policy.Keep)
	rests.Rule, rests.Threshold = "", &policy.Threshold{Rule: "duplicates", Key: "idle_for"}
	state := New(Options{Metrics: published(t, w.update())}).state()
	if state.TargetsInUse != 3 {
		t.Errorf("%d in use, want 3", state.TargetsInUse)
	}
	if slices.ContainsFunc(state.Stays, func(s Stay) bool { return s.ID == rests.Target.ID }) {
		t.Error("an older copy that is not idle for as long as its rule asks is told to be left")
	}
	for _, count := range state.Findings {
		if count.Finding == graph.FindingDuplicate && count.Number != 1 {
			t.Errorf("%d older copies, want 1", count.Number)
		}
	}
}

func TestWhatIsInUseIsToldFromWhatMayBeAndFromWhatRulesStop(t *testing.T) {
	w := &world{}
	session := w.session("codex")
	below := func(t *graph.Target) graph.Owner {
		return graph.Owner{Name: "docker-mcp-gateway", Kind: graph.OwnerGateway, ID: t.Root.ID(), Liveness: graph.LivenessLive}
	}
	w.judged(session, graph.FindingNone, policy.Keep)
	w.judged(session, graph.FindingNone, policy.Pending)
	w.judged(session, graph.FindingNone, policy.Reap)
	w.judged(session, graph.FindingNone, policy.Keep).EndsWith = "0a"
	failing := w.judged(session, graph.FindingZombies, policy.Pending).Target
	failing.Kind = graph.KindGateway
	w.judged(below(failing), graph.FindingNone, policy.Pending)
	w.judged(graph.Owner{Liveness: graph.LivenessLive}, graph.FindingNone, policy.Keep) // by whom cannot be seen
	w.judged(below(w.target(graph.KindGateway, graph.Owner{})), graph.FindingNone, policy.Keep)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(session, graph.FindingNone, policy.Keep).Target.Kind = graph.KindContainer
	w.judged(session, graph.FindingOrphaned, policy.Keep).Target.Kind = graph.KindContainer
	state := published(t, w.update()).current()
	if containers := *state.ContainersInUse; containers != 1 {
		t.Errorf("%d containers in use, want 1", containers)
	}
	if state.TargetsInUse != 6 || state.TargetsInUseGoing != 4 || state.TargetsMaybeInUse != 2 {
		t.Errorf("%d in use, %d of which go, %d may be; want 6, 4 and 2", state.TargetsInUse, state.TargetsInUseGoing, state.TargetsMaybeInUse)
	}
}

// TestADockerRunThatEndsWithItsContainerDoesNotStay, and it is no finding if somebody uses it.
func TestADockerRunThatEndsWithItsContainerDoesNotStay(t *testing.T) {
	w := &world{}
	for _, run := range []struct {
		owner   graph.Owner
		finding graph.Finding
	}{{gone("codex"), graph.FindingOrphaned}, {w.session("codex"), graph.FindingNone}} {
		container := w.judged(run.owner, run.finding, policy.Reap).Target
		container.Kind = graph.KindContainer
		w.judged(run.owner, run.finding, policy.Keep).EndsWith = container.ID
	}
	m := published(t, w.update())
	state := New(Options{Metrics: m}).state()
	if len(state.Stays) > 0 {
		t.Errorf("%+v", state.Stays)
	}
	if len(state.Findings) != 4 || slices.ContainsFunc(state.Findings, func(c Count) bool { return !c.IsDue() }) {
		t.Errorf("%+v", state.Findings)
	}
	if all := scrape(t, m); all[`findings{client="codex",decision="keep",finding="none",kind="server"}`] > 0 {
		t.Error("one without a finding is counted among the findings")
	}
}

// TestTheStateTellsWhatOnlyAPolicyOfTheUsersOwnKeeps: root's daemon does not go by that.
func TestTheStateTellsWhatOnlyAPolicyOfTheUsersOwnKeeps(t *testing.T) {
	for _, own := range []bool{true, false} {
		w := &world{}
		left := w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep)
		left.Rule, left.Protected, left.Reason = "", &policy.Protect{Name: "mine"}, `protected by "mine": my notes`
		update := w.update()
		update.OwnPolicy = own
		m := published(t, update)
		if stays := New(Options{Metrics: m}).state().Stays; len(stays) != 1 || stays[0].Why != `protected by "mine"` || stays[0].OwnPolicy != own || m.Tree().OwnPolicy != own {
			t.Errorf("%v: %+v", own, stays)
		}
	}
}

func TestTheStateNamesWhatStays(t *testing.T) {
	w := &world{}
	orphan := w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep)
	orphan.Action, orphan.Reason = policy.ActionReport, `rule "orphaned-servers" only reports it: nobody alive owns it`
	pinned := w.judged(graph.Owner{Name: "codex", Liveness: graph.LivenessLive}, graph.FindingNone, policy.Keep)
	pinned.Rule, pinned.Target.Vetoes = "", []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	w.judged(graph.Owner{Name: "codex", Liveness: graph.LivenessLive}, graph.FindingNone, policy.Keep)
	var why []string
	for _, stay := range New(Options{Metrics: published(t, w.update())}).state().Stays {
		why = append(why, stay.Handle+" "+stay.Why)
	}
	slices.Sort(why)
	want := []string{overview.PIDText(orphan.Target.Root.PID) + ` rule "orphaned-servers" only reports it`, overview.PIDText(pinned.Target.Root.PID) + " reaperd pin keeps it"}
	if slices.Sort(want); !slices.Equal(why, want) {
		t.Errorf("got %q, want %q", why, want)
	}
	fresh, _ := newTestMetrics()
	if stays := New(Options{Metrics: fresh}).state().Stays; stays == nil || len(stays) > 0 {
		t.Errorf("before the first look: %v", stays)
	}
}
