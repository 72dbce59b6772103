package graph

import (
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// ownerLabel names a container's owner as <pid>:<start>:<boot>[:<pidns>].
const ownerLabel = "reaperd.owner"

// declaredOwner is the live process that the environment names, and the marker
// that was there.
func (c *correlation) declaredOwner(n *node) (*node, string) {
	if declared := n.Env["REAPERD_OWNER"]; declared != "" {
		return c.ownerByIdentity(declared), "REAPERD_OWNER"
	}
	pid, err := strconv.Atoi(n.Env["OPENCODE_PID"])
	if err != nil {
		return nil, ""
	}
	owner := c.byPID[pid]
	if owner == nil || !owner.Alive() || owner == n || n.Start != 0 && owner.Start > n.Start || owner.class.Role != RoleSession {
		return nil, "OPENCODE_PID"
	}
	return owner, "OPENCODE_PID"
}

// ownerByIdentity reads <pid>:<start>:<boot>:<pidns>; boot and namespace may be
// left out, and where given must be this host's.
func (c *correlation) ownerByIdentity(declared string) *node {
	parts := strings.SplitN(declared, ":", 4)
	if len(parts) < 2 {
		return nil
	}
	id, err := inventory.ParseID(parts[0] + ":" + parts[1])
	if err != nil || len(parts) > 2 && parts[2] != "" && parts[2] != c.snapshot.Host.BootID {
		return nil
	}
	if own := c.snapshot.Host.PIDNamespaceID; len(parts) > 3 && own != 0 && parts[3] != strconv.FormatUint(own, 10) {
		return nil
	}
	if owner := c.byPID[id.PID]; owner != nil && owner.Alive() && mayBe(owner, id) {
		return owner
	}
	return nil
}

// declared is what an exact declaration comes to.
type declared uint8

const (
	declaredUntold   declared = iota // its owner cannot be judged from here, or it names none
	declaredElsewhen                 // another boot's: it says nothing of this one
	declaredLive
	declaredGone
)

// declaredState is what became of the owner that <pid>:<start>:<boot>[:<pidns>]
// names. Only one of this boot and this PID namespace can be found gone, and only
// where no process is missing from the table.
func (c *correlation) declaredState(text string) (*node, declared) {
	parts := strings.Split(text, ":")
	host := c.snapshot.Host
	if owner := c.ownerByIdentity(text); owner != nil && len(parts) <= 4 {
		return owner, declaredLive
	}
	if _, err := inventory.ParseID(strings.Join(parts[:min(2, len(parts))], ":")); err != nil || len(parts) < 3 || len(parts) > 4 || parts[2] == "" || host.BootID == "" {
		return nil, declaredUntold
	}
	if len(parts) > 3 && parts[3] != c.namespaceID() || len(parts) < 4 && host.PIDNamespace != "init" {
		return nil, declaredUntold
	}
	if parts[2] != host.BootID {
		return nil, declaredElsewhen
	}
	if !c.whole {
		return nil, declaredUntold
	}
	return nil, declaredGone
}

// firstNamespace is the inode of Linux's first PID namespace, on every host
// (PROC_PID_INIT_INO).
const firstNamespace = 0xEFFFFFFC

// namespaceID is the table's PID namespace as a declaration writes it; empty is
// not known.
func (c *correlation) namespaceID() string {
	host := c.snapshot.Host
	switch {
	case host.PIDNamespaceID != 0:
		return strconv.FormatUint(host.PIDNamespaceID, 10)
	case host.OS == "linux" && host.PIDNamespace == "init":
		return strconv.FormatUint(firstNamespace, 10)
	}
	return ""
}
