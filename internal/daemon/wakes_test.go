package daemon

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/trigger"
)

func quietWakes() *wakes { return newWakes(slog.New(slog.DiscardHandler)) }

// woken is the trigger that waits; empty is none.
func (w *wakes) woken() trigger.Trigger {
	select {
	case trigger := <-w.triggers:
		return trigger
	default:
		return ""
	}
}

func TestManyWakeUpsAreOne(t *testing.T) {
	w := quietWakes()
	w.wake(trigger.Exit)
	w.wake(trigger.Docker)
	if first, second := w.woken(), w.woken(); first != trigger.Exit || second != "" {
		t.Errorf("woke for %q and %q", first, second)
	}
}

func TestAnEndWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ended := quietWakes(), make(chan inventory.ID)
		over := make(chan struct{})
		go func() { w.onExits(t.Context(), ended); close(over) }()
		ended <- inventory.ID{PID: 7, Start: 1}
		synctest.Wait()
		if got := w.woken(); got != trigger.Exit {
			t.Errorf("woke for %q", got)
		}
		close(ended) // the watcher was closed
		<-over
		if got := w.woken(); got != "" {
			t.Errorf("woke for %q when the watcher was closed", got)
		}
	})
}

func TestAStrangersContainerDoesNotWake(t *testing.T) {
	ours, stranger := &graph.Target{ID: "c1", Kind: graph.KindContainer, Finding: graph.FindingOrphaned}, &graph.Target{ID: "c2", Kind: graph.KindContainer, Incidental: true}
	for _, row := range []struct {
		says   string
		looked bool
		id     string
		want   trigger.Trigger
	}{
		{"before the first look", false, stranger.ID, trigger.Docker},
		{"one of ours", true, ours.ID, trigger.Docker},
		{"a stranger's", true, stranger.ID, ""},
		{"one that no look has seen", true, "c3", trigger.Docker},
	} {
		w := quietWakes()
		if row.looked {
			w.learn([]policy.Verdict{{Target: ours, Rule: "orphaned-containers"}, {Target: stranger}})
		}
		events := make(chan docker.Event, 1)
		events <- docker.Event{ID: row.id, Action: "start"}
		close(events)
		w.onEngines(events)
		if got := w.woken(); got != row.want {
			t.Errorf("%s: woke for %q, want %q", row.says, got, row.want)
		}
	}
}

func TestAPauseThatRunsOutWakesAndSoDoesAHand(t *testing.T) {
	dir := state.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		if err := dir.Pause(time.Now(), state.Pause{Until: time.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		w, changes := quietWakes(), make(chan struct{})
		go w.onHand(ctx, dir, changes)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if got := w.woken(); got != "" {
			t.Errorf("woke for %q before the pause was over", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := w.woken(); got != trigger.Signal {
			t.Errorf("woke for %q when the pause was over", got)
		}
		changes <- struct{}{}
		synctest.Wait()
		if got := w.woken(); got != trigger.Signal {
			t.Errorf("woke for %q when somebody pinned", got)
		}
		end()
		synctest.Wait()
	})
}

func TestWhenThePauseOrAPinRunsOut(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	id := inventory.ID{PID: 7, Start: 1}
	pin := func(until time.Time) state.Pin {
		made := state.PinOfProcess(id, "time", "")
		made.ID, made.Until = strings.Repeat("c0ffee00", 8), until
		return made
	}
	for _, row := range []struct {
		says  string
		pause time.Time
		pins  []state.Pin
		want  time.Duration
	}{
		{says: "nothing is paused or pinned", want: handLooks},
		{says: "a pause", pause: now.Add(time.Minute), want: time.Minute + time.Millisecond},
		{says: "a pin until it is unpinned", pins: []state.Pin{pin(time.Time{})}, want: handLooks},
		{says: "a pin that is over before the pause", pause: now.Add(time.Minute), pins: []state.Pin{pin(now.Add(time.Second))}, want: time.Second + time.Millisecond},
		{says: "a pause for days", pause: now.Add(100 * time.Hour), want: handLooks},
	} {
		dir := state.Dir(t.TempDir())
		if !row.pause.IsZero() {
			if err := dir.Pause(now, state.Pause{Until: row.pause}); err != nil {
				t.Fatal(err)
			}
		}
		if len(row.pins) > 0 {
			if err := dir.Pin("", now, row.pins...); err != nil {
				t.Fatal(err)
			}
		}
		if got := runsOut(dir, now); got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
	}
}
