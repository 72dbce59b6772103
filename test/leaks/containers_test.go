//go:build linux

package leaks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

func TestR1ContainersThatSurviveTheirWrapper(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		leaks.R1(t, live, engine)
		served(t, live)
		if left := running(t, engine); len(left) != 2 {
			t.Errorf("%d containers run, want the 2 in use", len(left))
		}
	})
}

// TestADockerRunEndsWithItsContainer: a person who says sweep means now, whatever the rules wait for. No signal goes to
// the docker run and its wrappers, which exit once the container has ended.
func TestADockerRunEndsWithItsContainer(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		engine.Up(t, cast.Claude("killed", leaks.Wrapped(engine, "left")), "left")
		engine.Up(t, cast.Claude("alive", leaks.Wrapped(engine, "used")), "used")
		live.KillAll(t, []string{"killed"})
		live.AwaitHangup(t, "left")
		live.World = farm.World{
			Rules:   strings.Replace(leaks.Shipped, "orphaned-servers, for: 1s", "orphaned-servers, for: 10m", 1),
			Answers: []string{"alive used-npm"}, Reap: []string{"left"}, Either: []string{"left-npm", "left-sh", "left-client"},
		}
		farm.Eventually(t, "nobody owns the container", func() bool {
			left, seen := live.Scan(t).Of(live.Being(t, "left"))
			return seen && left.Finding == "orphaned"
		})
		live.Through(t, func() *farm.Report {
			report := live.Sweep(t)
			acts := map[string]string{}
			for _, outcome := range report.Outcomes {
				acts[outcome.Action] = outcome.Detail
			}
			if len(report.Outcomes) != 2 || !strings.HasSuffix(acts["remove"], "was removed") || acts["terminate"] != "it exited by itself after its container" {
				t.Errorf("want the container removed, and its docker run to exit by itself: %+v", report.Outcomes)
			}
			for _, name := range live.World.Either {
				if live.Being(t, name).Alive() {
					t.Errorf("%s runs still", name)
				}
			}
			return report
		})
	})
}

func running(t *testing.T, engine *farm.Engine) []string {
	t.Helper()
	return strings.Fields(engine.Docker(t, "ps", "-q", "--no-trunc"))
}

// TestR0AGatewayThatStartsEverythingAgain: the containers that it lets go of are
// reaped; it starts them again and leaves what ended as zombies; then it is
// ended itself, with all its containers, and its client lives on.
func TestR0AGatewayThatStartsEverythingAgain(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		calls, held := leaks.R0(t, live, engine)
		live.World.Reap = slices.Concat(calls, leaks.Suffixed(calls, "-client"), held, leaks.Suffixed(held, "-client"), []string{"gateway", "gateway-cli"})
		var most farm.Target
		live.Through(t, func() *farm.Report {
			d := daemon.Start(t, live, daemon.Options{Policy: live.World.Rules, Args: []string{"--listen", ""}})
			if gateway := of(t, live, d.Report(t), "gateway"); gateway.Kind != "gateway" || gateway.Decision != "keep" {
				t.Errorf("want a gateway that is kept, got %v", gateway)
			}
			live.Forget(t, "gateway", leaks.Suffixed(calls, "-client")...)
			most = worst(t, live, d, "gateway")
			daemon.Gone(t, live, live.World.Reap...)
			farm.Eventually(t, "no container runs", func() bool { return len(running(t, engine)) == 0 })
			d.AwaitMore(t, 2)
			last := d.Report(t)
			end(t, d)
			return last
		})
		if most.Zombies < len(calls) || most.Respawns < len(calls) {
			t.Errorf("told of %d zombies and %d respawns of the gateway, want %d of each", most.Zombies, most.Respawns, len(calls))
		}
	})
}

// TestTheGatewayOfADeadSessionGoesHoweverItWasStarted: by the docker tool, which opens a socket for its plugin
// that is no service, and by itself; below an older session than the live one or a younger one. It does not
// hear the end of its input.
func TestTheGatewayOfADeadSessionGoesHoweverItWasStarted(t *testing.T) {
	for _, row := range []struct {
		says        string
		byCLI       bool
		first, then string
	}{
		{"by the docker tool, the dead session is the older one", true, "dead", "live"},
		{"by the docker tool, the dead session is the younger one", true, "live", "dead"},
		{"by itself, the dead session is the older one", false, "dead", "live"},
		{"by itself, the dead session is the younger one", false, "live", "dead"},
	} {
		t.Run(row.says, func(t *testing.T) {
			leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
				for _, name := range []string{row.first, row.then} {
					box := name + "-box"
					gateway := leaks.Gateway(name+"-gateway", leaks.FromGateway(engine, box))
					if row.byCLI {
						gateway = leaks.ByCLI(t, engine, gateway)
					}
					engine.Up(t, cast.Claude(name, gateway), box)
				}
				live.World = farm.World{Rules: leaks.Shipped, Reap: []string{"dead-box", "dead-box-client", "dead-gateway"}, Answers: []string{"live live-gateway"}}
				if row.byCLI {
					live.World.Reap, live.World.Answers = append(live.World.Reap, "dead-gateway-cli"), []string{"live live-gateway-cli"}
				}
				live.KillAll(t, []string{"dead"})
				live.Through(t, func() *farm.Report { return live.Sweep(t) })
				if left := running(t, engine); len(left) != 1 {
					t.Errorf("%d containers run, want the live gateway's", len(left))
				}
			})
		})
	}
}

// TestAGatewayThatHoardsZombiesGoesBelowALiveSession, with its docker tool; one that has none stays.
func TestAGatewayThatHoardsZombiesGoesBelowALiveSession(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		hoarding := leaks.Gateway("hoarding", leaks.FromGateway(engine, "box"))
		hoarding.Zombies = 120
		engine.Up(t, cast.Claude("claude", leaks.ByCLI(t, engine, hoarding), leaks.ByCLI(t, engine, leaks.Gateway("tidy"))), "box")
		live.World = farm.World{Rules: leaks.Shipped, Reap: []string{"hoarding", "hoarding-cli", "box", "box-client"}, Answers: []string{"claude tidy-cli"}}
		live.Through(t, func() *farm.Report {
			d := daemon.Start(t, live, daemon.Options{Policy: live.World.Rules, Args: []string{"--listen", ""}})
			daemon.Gone(t, live, live.World.Reap...)
			d.AwaitMore(t, 2)
			last := d.Report(t)
			end(t, d)
			return last
		})
	})
}

// worst is what a daemon tells of a part at its worst until it is gone.
func worst(t *testing.T, live *farm.Live, d *daemon.Daemon, name string) (most farm.Target) {
	t.Helper()
	being := live.Being(t, name)
	farm.Eventually(t, name+" is gone", func() bool {
		if target, ok := d.Report(t).Of(being); ok {
			most.Zombies, most.Respawns = max(most.Zombies, target.Zombies), max(most.Respawns, target.Respawns)
		}
		return !being.Alive()
	})
	return most
}
