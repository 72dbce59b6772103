//go:build linux

package leaks_test

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

func TestHeadlessSessionsThatARuleEnds(t *testing.T) {
	world := orphans()
	world.Rules = leaks.With("orphaned-sessions")
	world.Reap = []string{"claude codex gemini claude-memory codex-memory gemini-memory"}
	in(t, world, served)
}

// TestOneSweepEndsDuplicates: that a copy did nothing between two looks is
// known at the second, and has then held for the time between them.
func TestOneSweepEndsDuplicates(t *testing.T) {
	world := farm.World{
		Rules:   leaks.With("duplicates"),
		Parts:   []actor.Part{cast.Claude("claude", cast.Memory("older", actor.Socket), cast.InUse(cast.Memory("newest", actor.Socket)))},
		Answers: []string{"claude newest-npm"},
		Reap:    []string{cast.Chain("older")},
		Settle:  4 * farm.Settle,
	}
	farm.Run(t, world)
}

// TestOneSweepEndsARunaway: the same for what a tree takes of the processor.
func TestOneSweepEndsARunaway(t *testing.T) {
	farm.Run(t, farm.World{
		Rules: leaks.Shipped + "  - {name: runaways, match: {kind: server, cpu_over: 2, finding: any}, for: 1s, grace: 1s, action: terminate}\n",
		Parts: []actor.Part{cast.Claude("alive", spinning("wild"), cast.Memory("memory", actor.Socket))},
		Reap:  []string{"wild"}, Answers: []string{"alive memory-npm"},
		Settle: 2 * farm.Settle,
	})
}

// TestAContainerWhoseClientIsBeingClosed: a client that closes a server has ten
// seconds to end it in good order, and what runs in its container as well.
func TestAContainerWhoseClientIsBeingClosed(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		names := leaks.Quiet(t, live, engine, 2)
		live.World = farm.World{Rules: leaks.Shipped, Answers: []string{"gateway " + names[1]}}
		live.Forget(t, "gateway", names[0])
		live.Through(t, func() *farm.Report { return live.Sweep(t) })
	})
}

// TestR0SeenLate is R0 where the daemon starts when the containers are let go
// of already: they are the gateway's all the same, and what comes back as well.
func TestR0SeenLate(t *testing.T) {
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		calls, held := leaks.R0(t, live, engine)
		live.Forget(t, "gateway", leaks.Suffixed(calls, "-client")...)
		live.World.Reap = slices.Concat(calls, leaks.Suffixed(calls, "-client"), held, leaks.Suffixed(held, "-client"), []string{"gateway", "gateway-cli"})
		live.Through(t, func() *farm.Report {
			d := daemon.Start(t, live, daemon.Options{Policy: live.World.Rules, Args: []string{"--listen", ""}})
			daemon.Gone(t, live, live.World.Reap...)
			last := d.Report(t)
			end(t, d)
			return last
		})
	})
}
