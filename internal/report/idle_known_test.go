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
	busy := map[inventory.ID]usage.Use{p.ID(): {Sign: usage.SignProcessor, PID: 13}}
	for _, row := range []struct {
		world  string
		apart  time.Duration
		daemon bool
		busy   map[inventory.ID]usage.Use
		used   map[inventory.ID]time.Time
		want   string
	}{
		{"two looks of one explain", time.Second, false, nil, nil, "not known: these looks watched it for 1s; a daemon (reaperd run) would watch it all the time"},
		{"a daemon has just begun to look", time.Second, true, nil, nil, "not known yet: these looks watched it for 1s, and the daemon cannot tell either, before it looks again in 17s"},
		{"a daemon saw it at work", time.Second, true, busy, nil, "no: it uses processor time (process 13), as the daemon saw at 2026-11-26 09:40:00"},
		{"a daemon saw it at work a look before its last", time.Second, true, busy, map[inventory.ID]time.Time{p.ID(): noon.Add(-30 * time.Second)}, "no: it uses processor time (process 13), as the daemon saw at 2026-11-26 09:39:30"},
		{"it was watched for long enough", 15 * time.Second, true, busy, nil, "for 15s at least: since it was first looked at, 2026-11-26 09:39:45"},
	} {
		v := newView(Input{Daemon: row.daemon, Busy: row.busy, BusyAt: noon, UsedAt: row.used, NextLook: time.Time{}.Add(17 * time.Second)}, Options{}, would())
		if got := v.idleness(watched(p, row.apart)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatTheDaemonHasSeenOfASessionIsKnown, also where these looks cannot measure all of it.
func TestWhatTheDaemonHasSeenOfASessionIsKnown(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900}
	session := &graph.Session{Name: "codex", Process: p, Target: &graph.Target{ID: "12:900", Kind: graph.KindSession, Root: p}, Activity: usage.Activity{Last: usage.Use{Sign: usage.SignUnknown, PID: 13}}}
	since := map[inventory.ID]time.Time{p.ID(): noon.Add(-35 * time.Second)}
	used := map[inventory.ID]time.Time{p.ID(): noon.Add(-41 * time.Second)}
	in := Input{Daemon: true, IdleSince: since, UsedAt: used, IdleFor: time.Minute, Graph: &graph.Graph{Sessions: []graph.Session{*session}, Snapshot: &inventory.Snapshot{TakenAt: noon}}}
	v := newView(in, Options{}, would())
	if got, want := v.idleness(session), "for 35s, since 2026-11-26 09:39:25, as the daemon saw"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := v.unmeasuredText("session"); got != "" {
		t.Errorf("it may be idle: %q", got)
	}
}

// TestATrickleWithinASecondDoesNotContradictTheDaemon, which has watched for longer; what is no trickle does.
func TestATrickleWithinASecondDoesNotContradictTheDaemon(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 900}
	look := func(at time.Time) *graph.Graph { return &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at}} }
	for sign, want := range map[usage.Sign]string{
		usage.SignIO:       "for 48s, since 2026-11-26 09:39:12, as the daemon saw; within 1s it reads or writes (process 13)",
		usage.SignTerminal: "no: its terminal is used",
	} {
		session := &graph.Session{Name: "codex", Process: p, Activity: usage.Activity{Last: usage.Use{Sign: sign, PID: map[usage.Sign]int{usage.SignIO: 13}[sign]}}}
		in := Input{Daemon: true, First: look(noon.Add(-time.Second)), Graph: look(noon), Settle: time.Second, IdleSince: map[inventory.ID]time.Time{p.ID(): noon.Add(-48 * time.Second)}}
		if got := newView(in, Options{}, would()).idleness(session); got != want {
			t.Errorf("%s: got %q, want %q", sign, got, want)
		}
	}
}
