//go:build linux

package soak

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// waiting is a policy whose grace for containers is long enough for an engine to hang in.
const waiting = `version: 1
extends: builtin
mode: enforce
schedule: "@every 2s"
rules:
  - {name: orphaned-servers, for: 1s, grace: 1s}
  - {name: orphaned-containers, for: 1s, grace: 5s}
`

// hungLimit is how long an act may wait for an engine that hangs.
const hungLimit = 3 * time.Minute

func TestAnEngineThatHangsInTheMiddleOfAnActStopsNoOther(t *testing.T) {
	if !full() {
		t.Skip("left out: takes a minute or more; REAPERD_SOAK=full")
	}
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		engine.Up(t, cast.Claude("boxed", engine.Run("left", actor.Pipe)), "left")
		engine.Up(t, cast.Claude("user", engine.Run("used", actor.Pipe)), "used")
		live.Start(t, []actor.Part{cast.Claude("killed", cast.Deaf(cast.Server("killed-server", "$W/home/dev/mcp-server/dist/index.js", actor.Socket)))})
		d := daemon.Start(t, live, daemon.Options{Policy: waiting})
		live.KillAll(t, []string{"boxed"})
		farm.Eventually(t, "the container is asked to end", func() bool {
			_, unfinished := d.Journal(t)
			return len(unfinished) > 0
		})
		engine.Hang(t)
		live.KillAll(t, []string{"killed"})
		killed := time.Now()
		other := live.Being(t, "killed-server")
		for other.Alive() && time.Since(killed) < hungLimit {
			<-time.After(100 * time.Millisecond)
		}
		farm.Figure(t, "the engine hangs within an act: another session's process is gone after %s", time.Since(killed).Round(time.Millisecond))
		daemon.Gone(t, live, "killed-server")
		outcomes, _ := d.Journal(t)
		for _, outcome := range outcomes {
			if outcome.Kind == reap.KindContainer && outcome.Result != string(human.ResultFailed) {
				t.Errorf("the container that the engine did not answer for: outcome %s", outcome.Result)
			}
		}
		daemon.Live(t, live, "left", "left-client", "used", "used-client")
		engine.Wake(t)
		daemon.Gone(t, live, "left", "left-client")
		daemon.Live(t, live, "used", "used-client", "user")
	})
}
