package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/dockercli"
	"github.com/reaperd/reaperd/internal/inventory"
)

// client is a live process that runs a container, or brought a process into
// one, over its own stdio.
type client struct {
	*node
	line dockercli.Line
	// gone reports that its tree is orphaned or disconnected: the process is
	// there, and nobody is behind it.
	gone bool
	// bound is the container that is known to be its.
	bound *claim
}

// youngClient is for how long a client may be without its container: it is
// still being created.
const youngClient = 10 * time.Second

// createdSlack is how much earlier than its client a container may seem to be
// created: both clocks are the host's, and one of them counts in ticks.
const createdSlack = 500 * time.Millisecond

// clientsOf lists the live clients of some commands that pass their stdin on,
// older first.
func (c *correlation) clientsOf(commands ...string) []*client {
	var found []*client
	for _, n := range c.nodes {
		line, ok := dockercli.Parse(n.Args())
		if ok && line.PassesStdin() && slices.Contains(commands, line.Command) {
			found = append(found, &client{node: n, line: line, gone: c.isGone(n)})
		}
	}
	return found
}

func (c *correlation) isGone(n *node) bool {
	target := n.unit.target
	if target == nil {
		return !n.unit.live
	}
	if hasVeto(target, GuardUnproven) {
		return false
	}
	return target.Finding == FindingOrphaned || target.Finding == FindingDisconnected
}

// hasToHave reports that the client is old enough to have its container.
func (c *correlation) hasToHave(cl *client) bool {
	return cl.StartedAt.IsZero() || c.snapshot.TakenAt.Sub(cl.StartedAt) > youngClient
}

// names reports that the client's own words name the container: its --name, its
// --cidfile, or (exec, start, attach) the container itself. The engine takes a
// name with or without a slash before it, and as much of an id as is only one's.
func (c *correlation) names(cl *client, container *inventory.Container) bool {
	is := func(word, name string) bool { return strings.TrimPrefix(word, "/") == strings.TrimPrefix(name, "/") }
	switch word := cl.line.Container; {
	case cl.ContainerFile != "":
		return cl.ContainerFile == container.ID
	case cl.line.Name != "":
		return is(cl.line.Name, container.Name)
	case word == "":
		return false
	default:
		return is(word, container.Name) || c.isOnly(word, container)
	}
}

// isOnly reports that no other container has such a name or begins so.
func (c *correlation) isOnly(word string, container *inventory.Container) bool {
	if !strings.HasPrefix(container.ID, word) {
		return false
	}
	return !slices.ContainsFunc(c.snapshot.Containers, func(other inventory.Container) bool {
		return other.ID != container.ID && (strings.HasPrefix(other.ID, word) || strings.TrimPrefix(other.Name, "/") == word)
	})
}

// couldRun reports that nothing speaks against the container being the client's.
func (c *correlation) couldRun(cl *client, container *inventory.Container) bool {
	return sameClass(cl, container) && c.startedBefore(cl, container) && stdinFits(cl, container)
}

// sameClass compares image, labels and command, as far as both sides say them.
func sameClass(cl *client, container *inventory.Container) bool {
	if cl.line.Image == "" || dockercli.DifferentImage(cl.line.Image, container.Image) {
		return false
	}
	for key, value := range cl.line.Labels {
		if has, labelled := container.Labels[key]; labelled && has != value {
			return false
		}
	}
	asked, runs := inventory.TrimArgs(cl.line.Args), inventory.TrimArgs(container.Command)
	return len(asked) == 0 || len(runs) == 0 || endsWith(runs, asked)
}

// endsWith reports that a command ends with these arguments; an entrypoint may
// stand in front.
func endsWith(command, arguments []string) bool {
	front := len(command) - len(arguments)
	return front >= 0 && slices.Equal(command[front:], arguments)
}

// startedBefore compares starts: on the kernel's clock where the container's
// first process is in the table, else on the wall clock.
func (c *correlation) startedBefore(cl *client, container *inventory.Container) bool {
	if first := c.byPID[container.PID]; first != nil && first.ContainerID == container.ID {
		return cl.Start <= first.Start
	}
	if cl.StartedAt.IsZero() || container.CreatedAt.IsZero() {
		return true
	}
	return !container.CreatedAt.Before(cl.StartedAt.Add(-createdSlack))
}

// stdinFits: a client whose own stdin is open has a container whose stdin the
// shim still holds. The reverse says nothing: `docker run -i … </dev/null`.
func stdinFits(cl *client, container *inventory.Container) bool {
	stdin, known := cl.Stdin.Get()
	open := known && stdin.Connected() && stdin.Peer == inventory.PeerOpen
	return !open || container.Stdin != inventory.PeerClosed
}
