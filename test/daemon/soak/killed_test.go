//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// killing is a policy that acts as soon as possible, so that a daemon is often killed in
// the middle of an act.
const killing = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 0s, grace: 300ms}
`

// A daemon is killed at any moment. Once the next one has started, each intention in the
// journal has its outcome, and no process is stopped.
func TestKilledAtRandomMomentsItLeavesNothingHalfDone(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		kills := 20
		if full() {
			kills = 200
		}
		live := farm.Raise(t, farm.World{})
		for turn := range kills {
			name := fmt.Sprintf("turn-%d", turn)
			live.Start(t, []actor.Part{cast.Claude(name,
				cast.Stubborn(cast.Deaf(cast.Server(name+"-deaf", cast.NPX+"mcp-server-memory", actor.Socket))), cast.Memory(name+"-memory", actor.Socket))})
			d := daemon.Launch(t, live, daemon.Options{Policy: killing})
			live.KillAll(t, []string{name})
			<-time.After(time.Duration(rand.IntN(1800)) * time.Millisecond) // the test is about random moments
			d.Kill(t)
		}
		last := daemon.Start(t, live, daemon.Options{Policy: killing})
		for turn := range kills {
			name := fmt.Sprintf("turn-%d", turn)
			daemon.Gone(t, live, name+"-deaf", name+"-memory-npm", name+"-memory-sh", name+"-memory")
		}
		last.AwaitMore(t, 2)
		last.AwaitNoAct(t)
		intended, ended := actsOf(t, last)
		unfinished := 0
		for id, entry := range ended {
			if entry.Result == journal.ResultUnfinished {
				unfinished++
			}
			if acted := entry.Result == "exited" || entry.Result == "killed"; acted && intended[id].ID == "" {
				t.Errorf("%s was %s and never intended", id, entry.Result)
			}
		}
		for id := range intended {
			if ended[id].ID == "" {
				t.Errorf("%s was intended and has no outcome", id)
			}
		}
		stopped := stoppedNow(t)
		farm.Figure(t, "%d kills -9 at random moments: %d intentions, each with one outcome, %d of them closed by the next start; %d processes left stopped", kills, len(intended), unfinished, len(stopped))
		if len(stopped) > 0 {
			t.Errorf("left stopped: %v", stopped)
		}
	})
}

// actsOf returns the intentions and outcomes of the journal by id. Each must be there
// once.
func actsOf(t *testing.T, d *daemon.Daemon) (intended, ended map[string]journal.Entry) {
	t.Helper()
	intended, ended = map[string]journal.Entry{}, map[string]journal.Entry{}
	history := journal.History{Path: d.State()}
	for entry, err := range history.Read(journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		into := intended
		if entry.Phase == journal.PhaseOutcome {
			into = ended
		}
		if into[entry.ID].ID != "" {
			t.Errorf("%s is there twice as %s", entry.ID, entry.Phase)
		}
		into[entry.ID] = entry
	}
	return intended, ended
}

// stoppedNow returns the PIDs of the processes that are stopped.
func stoppedNow(t *testing.T) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields, err := actor.StatOf(pid); err == nil && fields[0] == "T" {
			pids = append(pids, pid)
		}
	}
	return pids
}
