package daemon

import (
	"context"
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

// TestAPauseOfASecondWakesToo: it begins after the next end was looked for, and is over before that comes.
func TestAPauseOfASecondWakesToo(t *testing.T) {
	dir := state.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		w := quietWakes()
		go w.onExpiry(ctx, dir)
		synctest.Wait()
		if err := dir.Pause(time.Now(), state.Pause{Until: time.Now().Add(time.Second)}); err != nil {
			t.Fatal(err)
		}
		w.wake(human.TriggerSignal) // by the order
		if got := w.woken(); got != human.TriggerSignal {
			t.Errorf("the order woke for %q", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := w.woken(); got != human.TriggerSignal {
			t.Errorf("woke for %q when the pause was over", got)
		}
		end()
		synctest.Wait()
	})
}

func TestAPauseThatRunsOutWakes(t *testing.T) {
	dir := state.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		if err := dir.Of(4_000_111).Pause(time.Now(), state.Pause{Until: time.Now().Add(time.Minute)}); err != nil { // of whomever
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		w := quietWakes()
		go w.onExpiry(ctx, dir)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if got := w.woken(); got != "" {
			t.Errorf("woke for %q before the pause was over", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := w.woken(); got != human.TriggerSignal {
			t.Errorf("woke for %q when the pause was over", got)
		}
		end()
		synctest.Wait()
	})
}
