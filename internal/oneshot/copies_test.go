package oneshot

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/usage"
)

func TestANamedOlderCopyIsKeptForAReason(t *testing.T) {
	asks := &policy.Threshold{Rule: "duplicates", Action: policy.ActionReport, Wants: "an idle time of 30m"}
	older := func(pid int, action policy.Action) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		t := &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Finding: graph.FindingDuplicate, Root: p, Members: []*inventory.Process{p}}
		threshold := *asks
		threshold.Action = action
		return policy.Verdict{Target: t, Threshold: &threshold}
	}
	ruleless := older(10, "")
	ruleless.Threshold.Rule = ""
	newer := older(12, policy.ActionReport)
	newer.Target.Finding = graph.FindingNone
	reported := []policy.Verdict{older(10, policy.ActionReport), older(11, policy.ActionReport), newer}
	for _, row := range []struct {
		world    string
		verdicts []policy.Verdict
		order    Order
		want     string // empty is no note
	}{
		{"one", reported, Order{Named: []string{"10"}}, "note: fetch 10 is an older copy: a sweep stops it only with --duplicates, and once it has an idle time of 30m"},
		{"both", reported, Order{Named: []string{"fetch"}}, "note: fetch 10 and fetch 11 are older copies: a sweep stops them only with --duplicates, and once they have an idle time of 30m"},
		{"the rule acts by itself", []policy.Verdict{older(10, policy.ActionTerminate)}, Order{Named: []string{"10"}},
			"note: fetch 10 is an older copy: a sweep stops it once it has an idle time of 30m"},
		{"no rule is about it", []policy.Verdict{ruleless}, Order{Named: []string{"10"}}, ""},
		{"it was asked for, and is told by the plan", reported, Order{Named: []string{"10"}, Ends: policy.Switches{Duplicates: true}}, ""},
		{"the newest copy", reported, Order{Named: []string{"12"}}, ""},
		{"nothing is named", reported, Order{}, ""},
	} {
		sight := &Sight{}
		sight.View.Graph, sight.View.Verdicts = &graph.Graph{}, row.verdicts
		var want []string
		if row.want != "" {
			want = []string{row.want}
		}
		if got := (&Sweep{Sight: sight, Order: row.order}).copyNotes(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", row.world, got, want)
		}
	}
}

// TestASessionsNameWithDuplicatesMeansItsOlderCopies: the session and its newest copies stay, and
// so do the copies of others.
func TestASessionsNameWithDuplicatesMeansItsOlderCopies(t *testing.T) {
	codex := graph.Owner{Kind: graph.OwnerSession, Name: "codex", ID: inventory.ID{PID: 9, Start: 1}, Liveness: graph.LivenessLive}
	gemini := codex
	gemini.Name, gemini.ID.PID = "gemini", 8
	of := func(owner graph.Owner, pid int, finding graph.Finding) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		v := policy.Verdict{Target: &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Finding: finding, Owner: owner, Root: p, Members: []*inventory.Process{p}, Idle: inventory.Known(time.Hour)}}
		if finding == graph.FindingDuplicate {
			v.Rule, v.Decision = "duplicates", policy.Reap
		}
		if pid == 11 {
			v.Target.Generation = 1
		}
		return v
	}
	session := policy.Verdict{Rule: "duplicates", Target: &graph.Target{ID: codex.ID.String(), Kind: graph.KindSession, Name: "codex", Root: &inventory.Process{PID: 9, Start: 1}}}
	for _, row := range []struct {
		world    string
		named    []string
		switches policy.Switches
		want     []string // reaped
		nothing  string
	}{
		{"by its name", []string{"codex"}, policy.Switches{Duplicates: true}, []string{"10:1"}, "codex 9 stays."},
		{"by its PID", []string{"9"}, policy.Switches{Duplicates: true}, []string{"10:1"}, "codex 9 stays."},
		{"without the switch", []string{"codex"}, policy.Switches{}, nil, "codex 9 stays."},
		{"another, which has none", []string{"claude-code"}, policy.Switches{Duplicates: true}, nil, "claude-code stays: it neither is an older copy that does nothing, nor has one."},
		{"the newest copy", []string{"11"}, policy.Switches{Duplicates: true}, nil, "fetch 11 stays: it is the newest copy, and --duplicates stops older ones only."},
		{"a server without copies", []string{"13"}, policy.Switches{Duplicates: true}, nil, "fetch 13 stays: it neither is an older copy that does nothing, nor has one."},
		{"two newest copies", []string{"11", "13"}, policy.Switches{Duplicates: true}, nil, "fetch 11 and fetch 13 stay: none of them is an older copy that does nothing, or has one."},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{}, Policy: &policy.Policy{}}
		sight.View.Verdicts = []policy.Verdict{session, of(codex, 10, graph.FindingDuplicate), of(codex, 11, graph.FindingNone), of(gemini, 12, graph.FindingDuplicate), of(gemini, 13, graph.FindingNone)}
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}}
		for i := range sight.View.Verdicts {
			sight.View.Graph.Targets = append(sight.View.Graph.Targets, sight.View.Verdicts[i].Target)
		}
		s := &Sweep{Sight: sight, Order: Order{Named: row.named, Rules: []string{"duplicates"}, Ends: row.switches}}
		var reaped []string
		for _, v := range s.narrowed() {
			if v.Decision == policy.Reap {
				reaped = append(reaped, v.Target.ID)
			}
		}
		if got := s.nothing().Text; !slices.Equal(reaped, row.want) || got != row.nothing {
			t.Errorf("%s: reaped %v, want %v; %q, want %q", row.world, reaped, row.want, got, row.nothing)
		}
	}
}

// TestWhatGoesWithASessionNamesIt: named alone it stays, and the plan says so.
func TestWhatGoesWithASessionNamesIt(t *testing.T) {
	p := &inventory.Process{PID: 9, Start: 1}
	session := policy.Verdict{Target: &graph.Target{ID: "9:1", Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingIdle, Below: []string{"10:1"}}, Decision: policy.Reap, Rule: "too-long"}
	fetch := &inventory.Process{PID: 10, Start: 1}
	server := policy.Verdict{Target: &graph.Target{ID: "10:1", Kind: graph.KindServer, Name: "fetch", Root: fetch}, Decision: policy.Reap, Rule: "too-long", With: "9:1"}
	for _, row := range []struct {
		named []string
		want  []string
		acts  int
	}{
		{[]string{"10"}, []string{"note: fetch 10 goes with codex 9, and not without it: reaperd sweep 9"}, 0},
		{[]string{"10", "9"}, nil, 2},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: policyfile.Shipped()}
		sight.View.Verdicts = []policy.Verdict{session, server}
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{session.Target, server.Target}}
		s := &Sweep{Sight: sight, Order: Order{Named: row.named, Asked: asked.Look{Names: row.named}}}
		if got, reaped := s.Notes(), len(policy.MakePlan(s.narrowed(), s.Policy, inventory.Moment{}).Acts); !slices.Equal(got, row.want) || reaped != row.acts {
			t.Errorf("%v: %q, want %q; %d acts, want %d", row.named, got, row.want, reaped, row.acts)
		}
	}
}

// TestOlderCopiesThatStayForNowAreTold: those that worked a moment ago are no duplicates in the
// looks of the sweep, and are not denied; those that are not idle for long enough are named
// beside the ones that the plan stops.
func TestOlderCopiesThatStayForNowAreTold(t *testing.T) {
	codex := graph.Owner{Kind: graph.OwnerSession, Name: "codex", ID: inventory.ID{PID: 9, Start: 1}, Liveness: graph.LivenessLive}
	older := func(pid int, idle time.Duration, decision policy.Decision) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		v := policy.Verdict{Rule: "duplicates", Decision: decision, Target: &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Generation: 2, Owner: codex, Root: p, Members: []*inventory.Process{p}, Idle: inventory.Known(idle)}}
		if idle > 0 {
			v.Target.Finding = graph.FindingDuplicate
		}
		return v
	}
	box := older(20, 0, policy.Keep)
	box.Target.Kind, box.Target.Idle = graph.KindContainer, inventory.Fact[time.Duration]{}
	pinned := older(14, time.Hour, policy.Keep)
	pinned.Vetoes = []graph.Veto{{Guard: graph.GuardPinned}}
	rules := []policy.Rule{
		{Name: "duplicates", Match: policy.Match{Findings: []graph.Finding{graph.FindingDuplicate}, IdleFor: 30 * time.Minute}},
		{Name: "idle-over", Match: policy.Match{Findings: []graph.Finding{graph.FindingIdle}, IdleFor: 4 * time.Hour}},
	}
	hint := func(who string) string {
		return "hint: reaperd sweep --duplicates   once " + who + " been idle for 30m"
	}
	const wish = "; rule duplicates wants 30m (idle_for)"
	for _, row := range []struct {
		world   string
		copies  []policy.Verdict
		nothing string
		notes   []string
	}{
		{"at work", []policy.Verdict{older(10, 0, policy.Keep), older(11, 0, policy.Keep)}, "2 older copies here, at work a moment ago" + wish + ".", []string{hint("the older copies have")}},
		{"one has just come to rest", []policy.Verdict{older(10, 9*time.Second, policy.Keep)}, "1 older copy here, seen idle for 9s so far" + wish + ".", []string{hint("the older copy has")}},
		{"a container that cannot be measured", []policy.Verdict{box}, "1 older copy here, and whether it idles cannot be measured by this user.", nil},
		{"one beside it", []policy.Verdict{older(10, 9*time.Second, policy.Keep), box}, "1 older copy here, seen idle for 9s so far, and 1 more that cannot be measured by this user" + wish + ".", []string{hint("the older copy has")}},
		{"one of two is due", []policy.Verdict{older(10, time.Hour, policy.Reap), older(11, time.Minute, policy.Keep)}, "",
			[]string{"note: fetch 11 stays: an older copy too, seen idle for 1m so far" + wish}},
		{"one of two is due, and the other works", []policy.Verdict{older(10, time.Hour, policy.Reap), older(11, 0, policy.Keep)}, "",
			[]string{"note: fetch 11 stays: an older copy too, at work a moment ago" + wish}},
		{"one of six is due", []policy.Verdict{older(10, time.Hour, policy.Reap), older(11, 0, policy.Keep), older(12, time.Minute, policy.Keep), older(13, 0, policy.Keep), older(15, 0, policy.Keep), older(16, 0, policy.Keep)}, "",
			[]string{"note: fetch 11, fetch 12, fetch 13 and 2 more stay: older copies too, seen idle for 1m so far at the longest" + wish}},
		{"the other is pinned", []policy.Verdict{older(10, time.Hour, policy.Reap), pinned}, "", nil},
		{"all are due", []policy.Verdict{older(10, time.Hour, policy.Reap), older(11, time.Hour, policy.Reap)}, "", nil},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: &policy.Policy{Rules: rules}}
		sight.View.Verdicts, sight.View.Graph = row.copies, &graph.Graph{Snapshot: &inventory.Snapshot{}}
		for i := range row.copies {
			sight.View.Graph.Targets = append(sight.View.Graph.Targets, row.copies[i].Target)
		}
		s := &Sweep{Sight: sight, Order: Order{Rules: []string{"duplicates", "idle-over"}, Ends: policy.Switches{Duplicates: true}, Asked: asked.Look{Duplicates: true}}}
		if got := s.nothing().Text; row.nothing != "" && got != row.nothing {
			t.Errorf("%s: %q, want %q", row.world, got, row.nothing)
		}
		if got := s.Notes(); !slices.Equal(got, row.notes) {
			t.Errorf("%s: %q, want %q", row.world, got, row.notes)
		}
	}
}

// TestACopyThatGoesWithItsSessionIsNotWaitedFor: no hint tells to sweep again for it.
func TestACopyThatGoesWithItsSessionIsNotWaitedFor(t *testing.T) {
	p := &inventory.Process{PID: 9, Start: 1}
	codex := graph.Owner{Kind: graph.OwnerSession, Name: "codex", ID: p.ID(), Liveness: graph.LivenessLive}
	session := policy.Verdict{Rule: "idle-over", Decision: policy.Reap, Target: &graph.Target{ID: "9:1", Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingIdle, Idle: inventory.Known(time.Minute)}}
	fetch := &inventory.Process{PID: 10, Start: 1}
	older := policy.Verdict{Target: &graph.Target{ID: "10:1", Kind: graph.KindServer, Name: "fetch", Root: fetch, Generation: 2, Owner: codex, Idle: inventory.Known(time.Minute)}}
	going := older
	going.Rule, going.Decision, going.With = "idle-over", policy.Reap, "9:1"
	kept := session
	kept.Decision, kept.Target = policy.Keep, &graph.Target{ID: "9:1", Kind: graph.KindSession, Name: "codex", Root: p, Idle: inventory.Known(time.Hour)}
	rules := []policy.Rule{{Name: "duplicates", Match: policy.Match{Findings: []graph.Finding{graph.FindingDuplicate}, IdleFor: 30 * time.Minute}}}
	for _, row := range []struct {
		world    string
		verdicts []policy.Verdict
		hints    int
	}{
		{"its session is stopped", []policy.Verdict{session, going}, 0},
		{"its session stays", []policy.Verdict{kept, older}, 1},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: &policy.Policy{Rules: rules}}
		sight.View.Verdicts = row.verdicts
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{row.verdicts[0].Target, row.verdicts[1].Target}}
		s := &Sweep{Sight: sight, Order: Order{Named: []string{"codex"}, Rules: []string{"duplicates", "idle-over"}, Ends: policy.Switches{Duplicates: true, IdleOver: 20 * time.Second}}}
		if got := s.onceIdle(); len(got) != row.hints {
			t.Errorf("%s: %q, want %d", row.world, got, row.hints)
		}
		if got := s.laterCopies(); len(got) > 0 {
			t.Errorf("%s: %q", row.world, got)
		}
	}
}

// TestWhoeverSweepsLearnsWhichPinKeepsAnIdleSession, also if no session was named.
func TestWhoeverSweepsLearnsWhichPinKeepsAnIdleSession(t *testing.T) {
	p := &inventory.Process{PID: 9, Start: 1}
	pin := []graph.Veto{{Guard: graph.GuardPinned}}
	session := policy.Verdict{Rule: "idle-over", Target: &graph.Target{ID: "9:1", Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour), Vetoes: pin}, Vetoes: pin}
	sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: &policy.Policy{}}
	sight.View.Verdicts = []policy.Verdict{session}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{session.Target}}
	s := &Sweep{Sight: sight, Order: Order{Rules: []string{"idle-over"}, Ends: policy.Switches{IdleOver: time.Minute}}}
	if got := s.nothing().Text; got != "1 session here has done nothing for 1m, and is pinned." {
		t.Errorf("%q", got)
	}
	if got, want := s.Notes(), []string{"hint: reaperd unpin 9   ends the pin of codex 9"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	pinned := &graph.Target{ID: "22:1", Kind: graph.KindServer, Name: "fetch", Vetoes: pin}
	session.Target.Vetoes, session.Vetoes = nil, []graph.Veto{{Guard: graph.GuardPinned, For: pinned.ID}}
	goes := policy.Verdict{Rule: "idle-over", Decision: policy.Reap, Target: &graph.Target{ID: "10:1", Kind: graph.KindSession, Name: "pi", Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour)}}
	sight.View.Verdicts, sight.View.Graph.Targets = []policy.Verdict{session, goes}, append(sight.View.Graph.Targets, pinned, goes.Target)
	if got, want := s.unpins(), []string{"hint: reaperd unpin 22   ends the pin that keeps codex 9"}; !slices.Equal(got, want) {
		t.Errorf("beside one that goes: %q, want %q", got, want)
	}
	sight.View.Verdicts[0].Vetoes[0].Marked = true
	if got := s.unpins(); len(got) > 0 {
		t.Errorf("a label, which no command ends: %q", got)
	}
}

// TestWhatIsASessionsByADeductionAloneIsToldToGoAfterIt: of several containers alike, which others' docker runs do not
// need. Without an act on the session nothing goes.
func TestWhatIsASessionsByADeductionAloneIsToldToGoAfterIt(t *testing.T) {
	p := &inventory.Process{PID: 9, Start: 1}
	owner := graph.Owner{Kind: graph.OwnerSession, Name: "codex", ID: p.ID(), Liveness: graph.LivenessLive}
	box := func(id, name string, deduced bool, of graph.Owner) *graph.Target {
		return &graph.Target{ID: id, Kind: graph.KindContainer, Name: "fetch", Container: &inventory.Container{ID: id, Name: name, State: "running"}, Owner: of, Deduced: deduced}
	}
	other := owner
	other.ID.PID = 10
	targets := []*graph.Target{box("a1", "eager_fermi", true, owner), box("b2", "its_own", false, owner), box("c3", "anothers", true, other)}
	for _, row := range []struct {
		decision policy.Decision
		want     []string
	}{
		{policy.Reap, []string{"note: fetch eager_fermi goes once the session is stopped: only then is it proven that nobody else has it"}},
		{policy.Keep, nil},
	} {
		session := policy.Verdict{Rule: "idle-over", Decision: row.decision, Target: &graph.Target{ID: "9:1", Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingIdle}}
		sight := &Sight{}
		sight.View.Verdicts, sight.View.Graph = []policy.Verdict{session}, &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: targets}
		if got := (&Sweep{Sight: sight}).restNotes(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.decision, got, row.want)
		}
	}
}
