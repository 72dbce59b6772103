package top

import (
	"reflect"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAgesGoOnBetweenLooks: a daemon may look once in half an hour.
func TestAgesGoOnBetweenLooks(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	w.Graph.Sessions[0].Process.StartedAt = at.Add(-6*time.Second - 300*time.Millisecond)
	tree := w.tree()
	tree.Find("session:5100:1").State, tree.Find("session:5100:1").IdleSince = overview.StateIdle, at.Add(-5*time.Second)
	r := reads(t, w)
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"idle 5s", " 6s "}, nil)
	if got := r.model.Wakes().Sub(at); got != time.Second {
		t.Errorf("it wakes after %v: ages change at whole seconds, all at once", got)
	}
	r.now = at.Add(30 * time.Second)
	r.sends(Moment(r.now))
	wantOn(t, r.screen(), []string{"idle 35s", " 36s "}, nil)
	r.types("G enter")
	wantOn(t, r.screen(), []string{"14:02:04 (36s ago)", "did nothing since 2026-11-22 14:02:06 (35s)"}, nil)
	if got := r.model.Wakes(); !got.Equal(r.now.Add(time.Second)) {
		t.Errorf("the details wake at %v", got)
	}
	r.types("esc ?")
	if got := r.model.Wakes(); !got.IsZero() {
		t.Errorf("the help wakes at %v", got)
	}
}

// TestASessionThatMayCountAsIdleByNowIsLookedAt: the look that the screen shows is old.
func TestASessionThatMayCountAsIdleByNowIsLookedAt(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	w.IdleFor = time.Minute
	tree := w.tree()
	tree.Find("session:5100:1").Use, tree.Find("session:5100:1").IdleSince = "", at.Add(-49*time.Second)
	r := reads(t, w)
	r.sends(Seen{Tree: tree, From: Daemon})
	r.types("G")
	r.now = at.Add(10 * time.Second)
	r.types("x")
	wantOn(t, r.screen(), []string{"codex 5100 has done nothing for 59s. It counts as idle from 1m on"}, nil)
	r.types("esc")
	wantOn(t, r.screen(), nil, []string{"x stop"})
	if got := r.model.Wakes().Sub(at); got != 11*time.Second {
		t.Errorf("it wakes after %v, and x means something else after 11s", got)
	}
	r.now = at.Add(29 * time.Second)
	r.sends(Moment(r.now))
	wantOn(t, r.screen(), []string{"x stop"}, nil)
	r.types("x")
	if want := []Effect{{Do: Stop, Targets: []string{"5100:1"}, Ends: policy.Switches{IdleOver: time.Minute}}}; !reflect.DeepEqual(r.did, want) {
		t.Errorf("x does %+v", r.did)
	}
}

// TestNoKeyIsOfferedThatLooksForTooShortATime: what a live session has is proven by the time that its rule asks for.
func TestNoKeyIsOfferedThatLooksForTooShortATime(t *testing.T) {
	w := newWorld()
	hub := w.server("mcp-hub", 110, w.session("codex", 100))
	hub.Target.Kind, hub.Target.Finding = graph.KindGateway, graph.FindingZombies
	hub.Decision, hub.Rule, hub.Action, hub.DueAt = policy.Pending, "zombie-gateways", policy.ActionTerminate, at.Add(100*time.Second)
	r := reads(t, w)
	r.types("/ h u b enter")
	wantOn(t, r.screen(), []string{"p pin"}, []string{"x stop"})
	r.now = at.Add(95 * time.Second)
	r.sends(Moment(r.now))
	wantOn(t, r.screen(), []string{"x stop"}, nil)
	r.sends(Seen{Tree: w.tree(), From: NoDaemon}, Moment(at))
	wantOn(t, r.screen(), []string{"x stop"}, nil)
}
