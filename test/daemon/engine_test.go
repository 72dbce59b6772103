//go:build linux

package daemon_test

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// source reports whether the daemon's last sweep read the engine.
func source(t *testing.T, d *daemon.Daemon) string {
	t.Helper()
	if state, answers := d.Status(t); answers {
		for _, source := range state.Sources {
			if source.Name == "docker" {
				return string(source.Status)
			}
		}
	}
	return ""
}

func TestAnEngineThatStopsHangsAndComesBack(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		client := func(session, name string) actor.Part {
			return cast.Claude(session, engine.Run(name, actor.Pipe))
		}
		engine.Up(t, client("user", "used"), "used")
		engine.Up(t, client("killed-1", "left-1"), "left-1")
		engine.Up(t, client("killed-2", "left-2"), "left-2")
		engine.Detached(t, "service")
		live.Start(t, []actor.Part{one("hung"), one("stopped"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 2s", "1s")})

		began := time.Now()
		live.KillAll(t, []string{"killed-1"})
		daemon.Gone(t, live, "left-1", "left-1-client")
		farm.Figure(t, "with the engine: a container and its client are gone after %s", time.Since(began).Round(time.Millisecond))

		engine.Hang(t)
		farm.Eventually(t, "the hung engine shows", func() bool { return source(t, d) == "error" })
		began = time.Now()
		live.KillAll(t, []string{"hung", "killed-2"})
		daemon.Gone(t, live, "hung-server")
		farm.Figure(t, "the engine hangs: a dead session's process is gone after %s", time.Since(began).Round(time.Millisecond))
		daemon.Live(t, live, "used", "used-client", "left-2", "service", "alive-server")

		engine.Wake(t)
		began = time.Now()
		daemon.Gone(t, live, "left-2", "left-2-client")
		farm.Figure(t, "the engine answers again: what was left meanwhile is gone after %s", time.Since(began).Round(time.Millisecond))
		daemon.Live(t, live, "used", "used-client", "service", "alive-server")

		// When an engine stops, its runners exit too. The containers run on.
		engine.Stop(t)
		farm.Eventually(t, "the stopped engine shows", func() bool { return source(t, d) == "error" || source(t, d) == "absent" })
		farm.Figure(t, "a stopped engine is %q", source(t, d))
		began = time.Now()
		live.KillAll(t, []string{"stopped"})
		daemon.Gone(t, live, "stopped-server")
		farm.Figure(t, "the engine is stopped: a dead session's process is gone after %s", time.Since(began).Round(time.Millisecond))
		daemon.Live(t, live, "used", "service", "alive-server")

		engine.Begin(t)
		farm.Eventually(t, "the engine that was started again shows", func() bool { return source(t, d) == "ok" })
		engine.Up(t, client("user-2", "used-2"), "used-2")
		engine.Up(t, client("killed-3", "left-3"), "left-3")
		live.KillAll(t, []string{"killed-3"})
		daemon.Gone(t, live, "left-3")
		daemon.Live(t, live, "used-2", "used-2-client", "service", "alive", "alive-server")
	})
}
