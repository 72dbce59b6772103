package graph

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ownerLabel names a container's owner, as REAPERD_OWNER does that of a process.
const ownerLabel = "reaperd.owner"

// declaredOwner is the live process that the environment names, and the marker
// that was there.
func (c *correlation) declaredOwner(n *node) (*node, string) {
	if declared := n.Env["REAPERD_OWNER"]; declared != "" {
		owner, _ := c.declaredState(declared)
		return owner, "REAPERD_OWNER"
	}
	pid, err := strconv.Atoi(n.Env["OPENCODE_PID"])
	if err != nil {
		return nil, ""
	}
	owner := c.byPID[pid]
	if owner == nil || !owner.Alive() || owner == n || n.Start != 0 && owner.Start > n.Start || owner.class.Role != catalogue.RoleSession {
		return nil, "OPENCODE_PID"
	}
	return owner, "OPENCODE_PID"
}

// declared is what an exact declaration comes to.
type declared uint8

const (
	declaredUntold declared = iota // its owner cannot be judged from here, or it names none
	declaredLive
	declaredGone
)

// declaredState is the owner that a mark names, where it lives, and what became of
// it. Only one of this boot and this PID namespace can be found gone, and only
// where no process is missing from the table; one of another boot is gone.
func (c *correlation) declaredState(text string) (*node, declared) {
	host := c.snapshot.Host
	mark, err := inventory.ParseOwnerMark(text)
	otherBoot := mark.BootID != "" && host.BootID != "" && mark.BootID != host.BootID
	switch {
	case err != nil:
		return nil, declaredUntold
	case mark.MayBeOf(host) && c.lives(mark.ID):
		return c.byPID[mark.PID], declaredLive
	case otherBoot, mark.IsOf(host) && c.whole:
		return nil, declaredGone
	}
	return nil, declaredUntold
}
