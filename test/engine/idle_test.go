//go:build linux

package engine_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

// endingIdle is a policy that ends a session which has done nothing for three seconds.
const endingIdle = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: too-long, for: 1s, grace: 1s, match: {kind: session, idle_for: 3s}, action: terminate}
`

// A program has a container through the engine's API. An idle session's docker run hangs
// and has lost its own, so by the count of docker runs and containers alike this one may
// be the session's: no owner is deduced for it while the program, which may have it as well, is connected to the
// engine. The session is stopped, and the container stays with the program.
func TestAContainerThatOnlySeemsToBeAnIdleSessionsStays(t *testing.T) {
	within(t, farm.World{}, func(t *testing.T, e *engine) {
		working := cast.Server("work", cast.NPX+"mcp-server-search", actor.Socket)
		working.Busy = true
		e.Up(t, session("busy", e.Run("used", actor.Pipe), working), "used")
		e.Up(t, session("idle", e.Run("lost", actor.Pipe)), "lost")
		if err := unix.Kill(e.live.Being(t, "lost-client").PID, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		e.Docker(t, "rm", "-f", e.live.Being(t, "lost").Container)
		e.live.Overlook("lost")
		held := e.attached(t, "held", []client.Opt{client.WithHost(e.live.DockerHost())})
		const atRest = 6 * time.Second
		e.live.World = farm.World{Rules: endingIdle, Settle: atRest, Answers: []string{"busy used-client"}, Reap: []string{"idle", "lost-client"}}
		row := regexp.MustCompile(fmt.Sprintf(`claude-code %d [^\n]*(\n  )?idle `, e.live.Being(t, "idle").PID))
		farm.EventuallyWithin(t, time.Minute, "the session is called idle", func() bool {
			return row.MatchString(e.live.Tell(t, "scan", "--settle", atRest.String()))
		})
		may := fmt.Sprintf("docker run %d lives, which may have it", e.live.Being(t, "lost-client").PID)
		if told := e.live.Tell(t, "explain", "-o", "json", e.live.Being(t, "held").Container[:12]); !strings.Contains(told, may) {
			t.Errorf("it is not said that it may be the session's:\n%s", told)
		}
		e.live.Through(t, func() *farm.Report {
			report := e.live.Sweep(t)
			held.answers(t)
			return report
		})
	})
}
