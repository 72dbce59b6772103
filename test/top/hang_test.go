//go:build linux

package top_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
)

// TestADaemonThatHangsIsNotTakenForOneThatActs: it keeps its socket and its connections.
func TestADaemonThatHangsIsNotTakenForOneThatActs(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		const rules = "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: orphaned-servers, for: 1h}\n"
		d := daemon.Start(t, live, daemon.Options{Policy: rules})
		top := run(t, d.Command(t.Context(), "top"))
		top.shows("Acting ", "stops in")
		d.Signal(t, unix.SIGSTOP)
		top.shows("does not answer", "kill -CONT", "nothing stops by itself")
		top.hides("stops in")
		top.types("G", "p pin")
		top.types("p", "does not answer") // and takes no order
		d.Signal(t, unix.SIGCONT)
		top.shows("Acting ", "stops in")
		top.types("q")
		top.ends(0)
	})
}
