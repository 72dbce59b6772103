//go:build linux

package leaks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
)

// served has the daemon see to a world by its policy, until all that must go is
// gone, it has looked a few times more, and for as long as the world takes to
// settle: what has not gone by then is not going to.
func served(t *testing.T, live *farm.Live) {
	t.Helper()
	live.Through(t, func() *farm.Report {
		d := daemon.Start(t, live, daemon.Options{Policy: live.World.Rules, Args: []string{"--listen", ""}})
		settled := time.Now().Add(live.World.Settle)
		daemon.Gone(t, live, strings.Fields(strings.Join(live.World.Reap, " "))...)
		d.AwaitMore(t, 5)
		farm.Eventually(t, "the world has settled", func() bool { return time.Now().After(settled) })
		report := d.Report(t)
		end(t, d)
		return report
	})
}

// end has a daemon end in good order.
func end(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	d.Signal(t, 15)
	if code := d.AwaitEnd(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}
