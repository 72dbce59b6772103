package report

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// watched is a session that did nothing in looks this far apart.
func watched(p *inventory.Process, apart time.Duration) *graph.Session {
	tree := usage.Tree{Processes: []*inventory.Process{p}}
	a := usage.Activity{}.Next(tree, inventory.Moment{At: noon.Add(-apart)})
	return &graph.Session{Name: "codex", Process: p, Activity: a.Next(tree, inventory.Moment{At: noon})}
}

func TestWhatWasHardlyWatchedIsNotCalledIdle(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900, CPUSeconds: inventory.Known(1.0), IOChars: inventory.Known(uint64(7))}
	for _, row := range []struct {
		world  string
		apart  time.Duration
		daemon bool
		want   string
	}{
		{"two looks of one explain", time.Second, false, "not known: these looks watched it for 1s; a daemon (reaperd run) would watch it all the time"},
		{"a daemon has just begun to look", time.Second, true, "not known yet: these looks watched it for 1s, and the daemon cannot tell either, before it looks again in 17s"},
		{"it was watched for long enough", 15 * time.Second, true, "for 15s at least: since it was first looked at, 2026-11-26 09:39:45"},
	} {
		v := newView(Input{Daemon: row.daemon, NextLook: time.Time{}.Add(17 * time.Second)}, Options{}, would())
		if got := v.idleness(watched(p, row.apart)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatTheDaemonHasSeenOfASessionIsKnown, also where these looks cannot measure all of it.
func TestWhatTheDaemonHasSeenOfASessionIsKnown(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900}
	session := &graph.Session{Name: "codex", Process: p, Target: &graph.Target{ID: "12:900", Kind: graph.KindSession, Root: p}, Activity: usage.Activity{Last: usage.Use{Sign: usage.SignUnknown, PID: 13}, UsedAt: noon.Add(-41 * time.Second)}}
	since := map[inventory.ID]time.Time{p.ID(): noon.Add(-35 * time.Second)}
	in := Input{Daemon: true, IdleSince: since, IdleFor: time.Minute, Graph: &graph.Graph{Sessions: []graph.Session{*session}, Snapshot: &inventory.Snapshot{TakenAt: noon}}}
	v := newView(in, Options{}, would())
	if got, want := v.idleness(session), "for 35s, since 2026-11-26 09:39:25, as the daemon saw"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := v.unmeasuredText("session"); got != "" {
		t.Errorf("it may be idle: %q", got)
	}
}

// TestTheJSONTellsAnIdleTimeThatIsKnown, as the text does.
func TestTheJSONTellsAnIdleTimeThatIsKnown(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900, CPUSeconds: inventory.Known(1.0), IOChars: inventory.Known(uint64(7))}
	for apart, want := range map[time.Duration]*float64{time.Second: nil, 15 * time.Second: new(15.0)} {
		v := newView(Input{}, Options{}, would())
		got := v.sessionJSON(watched(p, apart))
		if (got.IdleSeconds == nil) != (want == nil) || want != nil && *got.IdleSeconds != *want || got.IdleAtLeast != (want != nil) || got.IdleSince.IsZero() != (want == nil) {
			t.Errorf("watched for %s: idle for %v, at least %v, since %s", apart, got.IdleSeconds, got.IdleAtLeast, got.IdleSince)
		}
	}
}
