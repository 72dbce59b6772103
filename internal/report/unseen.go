package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// mayReadWithSudo reports a process of another user whose descriptors could not be read
// here, and that root may read them.
func (v *view) mayReadWithSudo(t *graph.Target) bool {
	return v.isNotRoot() && t.Root != nil && t.Root.OpenFDs.IsUnreadable() && t.Root.UID.Or(-1) != v.snapshot.Host.UID.Or(-1)
}

// rootMaySeeMore reports a target of which root's daemon may know more than this user. A container
// that was not started with -i belongs to no docker run, whoever looks.
func (v *view) rootMaySeeMore(t *graph.Target) bool {
	return v.in.ForeignDaemon && (t.Container == nil || t.Container.OpenStdin.Or(true))
}

// whoSeesMore names who may see who uses a target where this user does not: root's daemon, or root.
func (v *view) whoSeesMore(t *graph.Target) string {
	switch {
	case !v.isNotRoot():
		return ""
	case v.rootMaySeeMore(t):
		return "; root's daemon sees more, and decides by that: " + literal("sudo reaperd explain "+handle(t))
	}
	more := "; root may see more: " + literal("sudo reaperd explain "+handle(t))
	if v.in.Daemon && !v.in.ForeignDaemon {
		more += ", and your own daemon never stops it"
	}
	return more
}

// rootMayAsk reports that root may ask an engine that refuses this user.
func (v *view) rootMayAsk() bool {
	return v.isNotRoot() && slices.ContainsFunc(v.snapshot.Sources, func(source inventory.Source) bool { return slices.Contains(source.Gaps, inventory.GapDenied) })
}

// isNotRoot reports a look at this host, now, by another user than root.
func (v *view) isNotRoot() bool { return !v.in.Replay && v.snapshot.Host.UID.Or(0) != 0 }
