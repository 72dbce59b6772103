package graph

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ownerLabel is the container label that names its owner, as ownerVariable does for a
// process.
const (
	ownerLabel    = "reaperd.owner"
	ownerVariable = "REAPERD_OWNER"
)

// declaredOwner returns the live process that a marker in the environment names, or
// nil, and the marker's name, or "" if there is no marker.
func (c *correlation) declaredOwner(n *node) (*node, string) {
	if declared := n.Env[ownerVariable]; declared != "" {
		owner, _ := c.declaredState(declared)
		return owner, ownerVariable
	}
	number := n.Env["OPENCODE_PID"]
	if number == "" {
		return nil, ""
	}
	pid, err := strconv.Atoi(number)
	if err != nil {
		return nil, ""
	}
	owner := c.byPID[pid]
	if owner == nil || !owner.Alive() || owner == n || n.Start != 0 && owner.Start > n.Start || owner.class.Role != catalogue.RoleSession {
		return nil, "OPENCODE_PID"
	}
	return owner, "OPENCODE_PID"
}

// declared is what is known of the process that an owner mark names.
type declared uint8

const (
	declaredUntold declared = iota // the process cannot be judged from here, or the mark names none
	declaredLive
	declaredGone
)

// declaredState looks up the process that an owner mark names; it is nil unless it
// lives. A process of this boot and PID namespace is gone only if the table is
// complete. One of another boot is gone.
func (c *correlation) declaredState(text string) (*node, declared) {
	if text == "" {
		return nil, declaredUntold
	}
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
