package oneshot

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

func TestWhatReaperdStoppedOfALiveSessionIsToldThere(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	act := func(name, id, result, boot string, ago time.Duration) journal.Entry {
		return journal.Entry{Name: name, TargetID: id, Result: result, BootID: boot, Time: now.Add(-ago), Rule: "idle-duplicates"}
	}
	fetch, git := act("fetch", "22:1000", "exited", "b", 9*time.Minute), act("git", "31:1001", "killed", "b", 4*time.Minute)
	box := act("weather", strings.Repeat("ab", 32), "killed", "b", time.Minute)
	box.Container = &journal.Container{Name: "/eager_fermi"}
	for _, row := range []struct {
		world string
		acts  []journal.Entry
		want  string
	}{
		{"one", []journal.Entry{fetch}, "of what it had, reaperd stopped fetch 22 at 2026-11-22 09:57:45 by rule idle-duplicates: reaperd history --since 1h"},
		{"several", []journal.Entry{fetch, git, box}, "of what it had, reaperd stopped fetch 22, git 31 and weather eager_fermi, the last at 2026-11-22 10:05:45 by rule idle-duplicates: reaperd history --since 1h"},
		{"nothing", nil, ""},
		{"it would not end", []journal.Entry{act("fetch", "22:1000", "escaped", "b", time.Minute)}, ""},
		{"before this boot", []journal.Entry{act("fetch", "22:1000", "exited", "a", time.Minute)}, ""},
		{"long ago", []journal.Entry{act("fetch", "22:1000", "exited", "b", time.Hour)}, ""},
	} {
		if got := strings.Join(lost(row.acts, "b", now), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestAnActThatDidNotEndItsTargetIsToldWithThat: a person who has interrupted a sweep asks what came of it.
func TestAnActThatDidNotEndItsTargetIsToldWithThat(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	failed := journal.Entry{
		Phase: journal.PhaseOutcome, TargetID: "22:1000", Result: "failed", Detail: "interrupted after it was asked to end, and not waited for", BootID: "b", Time: now.Add(-7 * time.Second), Rule: "orphaned-servers", ByHand: "sweep",
	}
	before, another, again := failed, failed, failed
	before.Time, another.BootID, again.Phase, again.Result, again.Detail = now.Add(-time.Hour), "a", journal.PhaseIntend, "", ""
	killed, closed := again, failed
	killed.Rule = "killed-reaperd"
	closed.Result, closed.BegunAt, closed.Time, closed.ByHand = journal.ResultUnfinished, failed.Time, now, ""
	const want = "reaperd tried to stop it at 2026-11-22 10:06:38 (rule orphaned-servers, by hand: sweep): failed, interrupted after it was asked to end, and not waited for"
	for _, row := range []struct {
		world string
		acts  []journal.Entry
		want  string
	}{
		{"it failed", []journal.Entry{failed}, want},
		{"long ago", []journal.Entry{before}, ""},
		{"before this boot", []journal.Entry{another}, ""},
		{"another goes on", []journal.Entry{failed, again}, ""},
		{"its reaperd was killed", []journal.Entry{failed, killed}, "reaperd began to stop it at 2026-11-22 10:06:38 (rule killed-reaperd, by hand: sweep), and was ended before that was done"},
		{"the next daemon closed it", []journal.Entry{again, closed}, "reaperd began to stop it at 2026-11-22 10:06:38 (rule orphaned-servers), and was ended before that was done"},
		{"nothing", nil, ""},
	} {
		isAtIt := func(entry *journal.Entry) bool { return entry.Rule != killed.Rule }
		if got := strings.Join(tried(row.acts, "b", now, isAtIt), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestASessionThatIsLeftAloneIsToldWithWhatTheDaemonStopsOfIt, unless all of it goes.
func TestASessionThatIsLeftAloneIsToldWithWhatTheDaemonStopsOfIt(t *testing.T) {
	target := func(pid int, kind graph.Kind, name string, owner graph.Owner) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1}
		return &graph.Target{ID: p.ID().String(), Kind: kind, Name: name, Root: p, Owner: owner}
	}
	of := graph.Owner{Kind: graph.OwnerSession, ID: inventory.ID{PID: 40, Start: 1}, Liveness: graph.LivenessLive}
	session, hub, other := target(40, graph.KindSession, "codex", graph.Owner{}), target(41, graph.KindGateway, "mcp-hub", of), target(42, graph.KindServer, "fetch", of)
	due := time.Now().Add(100*time.Second + 500*time.Millisecond)
	for _, row := range []struct {
		pending []string
		mode    policy.Mode
		want    string
	}{
		{[]string{hub.ID}, policy.ModeEnforce, "of what it has, mcp-hub 41: the daemon stops it in 1m 41s: reaperd explain 41"},
		{[]string{hub.ID, other.ID}, policy.ModeEnforce, "of what it has, mcp-hub 41 and fetch 42: the daemon stops them in 1m 41s: reaperd explain 41"},
		{[]string{session.ID, hub.ID}, policy.ModeEnforce, ""},
		{[]string{hub.ID}, policy.ModeReport, ""},
		{nil, policy.ModeEnforce, ""},
	} {
		daemon := &serve.State{Mode: row.mode, Ready: true}
		for _, id := range row.pending {
			daemon.Pending = append(daemon.Pending, serve.Pending{ID: id, DueAt: due})
		}
		s := &Sight{host: &host.Host{}, daemon: daemon, View: sweep.View{Graph: &graph.Graph{Targets: []*graph.Target{session, hub, other}}}}
		if got := strings.Join(s.losesSoon(session.ID), "\n"); got != row.want {
			t.Errorf("%v pending, mode %s: %q, want %q", row.pending, row.mode, got, row.want)
		}
	}
}

// TestBesideRootsDaemonItsJournalIsNamedToo: a user cannot read what that did to a session.
func TestBesideRootsDaemonItsJournalIsNamedToo(t *testing.T) {
	live := graph.Session{Process: &inventory.Process{PID: 40, Start: 1}}
	for want, others := range map[string]*beside.Daemons{
		"whether root's daemon (process 7) has stopped any of it, its own journal tells: sudo reaperd explain 40": {{PID: 7, User: "root"}},
		"": {},
	} {
		s := &Sight{host: &host.Host{}, others: others, View: sweep.View{Graph: &graph.Graph{Snapshot: &inventory.Snapshot{}, Sessions: []graph.Session{live}}}}
		if got := strings.Join(s.lostLately(live.Process.ID().String()), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
