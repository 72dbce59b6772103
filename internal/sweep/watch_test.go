package sweep

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
)

// worker is a session, or its server, that begins to work at a moment, by a share of a core and characters a second.
type worker struct {
	session inventory.Process
	from    time.Time
	cores   float64
	chars   uint64
	server  bool // not the session itself
	typed   bool // on its terminal, when it begins
	ends    bool // then instead
}

func (w worker) Process(id inventory.ID) (inventory.Process, bool, error) {
	p, worked := w.session, max(0, time.Since(w.from))
	p.PID, p.Start = id.PID, id.Start
	if w.server != (id.PID == serverPID) {
		worked = 0
	}
	p.CPUSeconds = inventory.Known(10 + w.cores*worked.Seconds())
	p.IOChars = inventory.Known(uint64(1000 + float64(w.chars)*worked.Seconds()))
	if w.typed && worked > 0 {
		p.TTYUsedAt = w.from
	}
	return p, !w.ends || worked == 0, nil
}

const serverPID = 59

func (worker) Container(context.Context, string) (inventory.Container, bool, error) {
	return inventory.Container{}, false, nil
}

// TestASessionThatGoesToWorkIsNotEnded: what it does in the last second before its end, a look takes for the
// trickle of an idle one.
func TestASessionThatGoesToWorkIsNotEnded(t *testing.T) {
	const never = time.Hour
	for _, row := range []struct {
		world string
		after time.Duration // the look
		works worker
		holds bool
	}{
		{"it goes on doing nothing", never, worker{}, true},
		{"its runtime has timers", 0, worker{cores: 0.001, chars: 10}, true},
		{"it went to work a second before", -time.Second, worker{cores: 0.05}, false},
		{"it goes to work while it is watched", time.Second, worker{cores: 0.1}, false},
		{"its server goes to work", time.Second, worker{cores: 0.09, server: true}, false},
		{"its server went to work before", -time.Second, worker{cores: 0.05, server: true}, false},
		{"it reads an answer", 500 * time.Millisecond, worker{chars: 2000}, false},
		{"somebody types", time.Second, worker{typed: true}, false},
		{"it ends by itself: its members are looked at one by one", time.Second, worker{ends: true}, true},
	} {
		t.Run(row.world, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				session := inventory.Process{PID: 58, Start: 1, CPUSeconds: inventory.Known(10.0), IOChars: inventory.Known(uint64(1000))}
				row.works.session, row.works.from = session, time.Now().Add(row.after)
				server := session
				server.PID = serverPID
				targets := []*graph.Target{
					{ID: "58:1", Kind: graph.KindSession, Root: &session, Members: []*inventory.Process{&session}, Finding: graph.FindingIdle},
					{ID: "59:1", Kind: graph.KindServer, Root: &server, Members: []*inventory.Process{&server}},
				}
				plan := policy.Plan{Acts: []policy.Act{{TargetID: "59:1", With: "58:1"}, {TargetID: "58:1"}}}
				if holds, why := newWitness(&graph.Graph{Targets: targets}, plan, row.works).StillHolds(t.Context(), reap.Act{TargetID: "58:1"}); holds != row.holds || holds != (why == "") {
					t.Errorf("holds %v (%s), want %v", holds, why, row.holds)
				}
			})
		})
	}
	session := inventory.Process{PID: 58, Start: 1, CPUSeconds: inventory.Known(10.0), IOChars: inventory.Known(uint64(1000))}
	target := &graph.Target{ID: "58:1", Kind: graph.KindSession, Root: &session, Members: []*inventory.Process{&session}, Finding: graph.FindingIdle}
	ends, cancel := context.WithCancel(t.Context())
	cancel()
	if holds, _ := witnessOf(target, worker{session: session, from: time.Now().Add(never)}).StillHolds(ends, reap.Act{TargetID: "58:1"}); holds {
		t.Error("a daemon that ends ends a session that it has not watched")
	}
}

// TestAPinMadeInTheWatchKeepsASession, also the pin of something that goes with it: nothing has been touched yet.
func TestAPinMadeInTheWatchKeepsASession(t *testing.T) {
	for pinned, want := range map[string]string{"58:1": "reaperd pin keeps it", "59:1": "fetch 59, which goes with it, is kept: reaperd pin keeps it", "60:1": ""} {
		synctest.Test(t, func(t *testing.T) {
			session := inventory.Process{PID: 58, Start: 1, CPUSeconds: inventory.Known(10.0), IOChars: inventory.Known(uint64(1000))}
			server := session
			server.PID = serverPID
			targets := []*graph.Target{
				{ID: "58:1", Kind: graph.KindSession, Root: &session, Members: []*inventory.Process{&session}, Finding: graph.FindingIdle},
				{ID: "59:1", Kind: graph.KindServer, Name: "fetch", Root: &server, Members: []*inventory.Process{&server}},
			}
			w := newWitness(&graph.Graph{Targets: targets}, policy.Plan{Acts: []policy.Act{{TargetID: "59:1", With: "58:1"}, {TargetID: "58:1"}}}, worker{session: session, from: time.Now().Add(time.Hour)})
			at := time.Now().Add(watchIdle / 2)
			w.keptNow = func(t *graph.Target) (string, bool) {
				return "reaperd pin keeps it", t.ID == pinned && !time.Now().Before(at)
			}
			if holds, why := w.StillHolds(t.Context(), reap.Act{TargetID: "58:1"}); holds != (want == "") || !holds && why != want {
				t.Errorf("%s is pinned: holds %v (%s), want %q", pinned, holds, why, want)
			}
		})
	}
}

// TestAnActIsImminentUntilItBegins, or the one with which it goes, or that it waits for.
func TestAnActIsImminentUntilItBegins(t *testing.T) {
	a := newActs()
	for _, act := range []policy.Act{
		{ID: "session", TargetID: "58:1", Below: []string{"server", "run", "container"}},
		{ID: "server", TargetID: "59:1", With: "58:1"},
		{ID: "container", TargetID: "0a", With: "58:1"},
		{ID: "run", TargetID: "60:1", With: "58:1", After: []string{"container"}},
		{ID: "orphaned container", TargetID: "0b"},
		{ID: "its run", TargetID: "61:1", After: []string{"orphaned container"}},
	} {
		a.underWay[act.ID] = begunAct{Act: act}
	}
	expect := func(when string, want ...string) {
		t.Helper()
		var imminent []string
		for _, act := range a.list() {
			if act.Imminent {
				imminent = append(imminent, act.ID)
			}
		}
		if !slices.Equal(imminent, want) {
			t.Errorf("%s: %q are imminent, want %q", when, imminent, want)
		}
	}
	expect("nothing has begun", "container", "its run", "orphaned container", "run", "server", "session")
	a.hearBegun("orphaned container")
	expect("a container's has", "container", "run", "server", "session")
	if !a.tookBegun() || a.tookBegun() {
		t.Error("that an act has begun is told once")
	}
	a.hearBegun("session")
	expect("a session's has")
	a.hear(reap.Outcome{ActID: "orphaned container"})
	a.take()
	expect("the container's is over")
}
