package daemon

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

func quietWakes() *wakes { return newWakes(slog.New(slog.DiscardHandler)) }

// woken is the trigger that waits; empty is none.
func (w *wakes) woken() human.Trigger {
	select {
	case trigger := <-w.triggers:
		return trigger
	default:
		return ""
	}
}

func TestManyWakeUpsAreOne(t *testing.T) {
	w := quietWakes()
	w.wake(human.TriggerExit)
	w.wake(human.TriggerDocker)
	if first, second := w.woken(), w.woken(); first != human.TriggerExit || second != "" {
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
		if got := w.woken(); got != human.TriggerExit {
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
		want   human.Trigger
	}{
		{"before the first look", false, stranger.ID, human.TriggerDocker},
		{"one of ours", true, ours.ID, human.TriggerDocker},
		{"a stranger's", true, stranger.ID, ""},
		{"one that no look has seen", true, "c3", human.TriggerDocker},
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

func TestTheEndOfAPinOrAPauseWakes(t *testing.T) {
	const never = 0
	synctest.Test(t, func(t *testing.T) {
		w := quietWakes()
		for _, row := range []struct {
			says       string
			pin, pause time.Duration // until the end; never is none
			want       time.Duration
		}{
			{"what has no end", never, never, never},
			{"a pin", time.Hour, never, time.Hour},
			{"a pause of whomever, before it", time.Hour, time.Minute, time.Minute},
			{"a pause of a second", never, time.Second, time.Second},
		} {
			now := time.Now()
			w.onEnd([]state.Wishes{{Pins: []state.Pin{{ID: "3:3", Until: now.Add(time.Minute / 2)}}}}, now) // of the look before
			wishes := []state.Wishes{{Pins: []state.Pin{{ID: "4:4"}}}, {}}
			if row.pin > 0 {
				wishes[0].Pins[0].Until = now.Add(row.pin)
			}
			if row.pause > 0 {
				wishes[1] = state.Wishes{Paused: true, Pause: state.Pause{Until: now.Add(row.pause)}}
			}
			w.onEnd(wishes, now)
			time.Sleep(row.want)
			synctest.Wait()
			if got := w.woken(); got != "" {
				t.Errorf("%s: woke for %q before the end", row.says, got)
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if got := w.woken(); (got == human.TriggerSignal) != (row.want > 0) {
				t.Errorf("%s: woke for %q at the end", row.says, got)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := w.woken(); got != "" {
				t.Errorf("%s: woke for %q of the look before", row.says, got)
			}
			w.onEnd(nil, time.Now())
		}
	})
}
