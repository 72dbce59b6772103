package simulate

import "slices"

// This file says which servers an honest reader can prove to be left over: the facts of
// a snapshot suffice, because every channel is shown closed, or held by nothing but what
// is left over too.

// provables are those that can be proven now, and have to go in time.
func (w *world) provables() []*server {
	if w.engine.down {
		return nil
	}
	candidate := map[*server]bool{}
	for _, s := range w.servers {
		candidate[s] = w.couldBeProven(s)
	}
	for changed := true; changed; {
		changed = false
		for _, s := range w.servers {
			if candidate[s] && !w.isProven(s, candidate) {
				candidate[s], changed = false, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(w.servers), func(s *server) bool { return !candidate[s] })
}

// couldBeProven looks at a server alone: nobody uses it, and it is known for one.
func (w *world) couldBeProven(s *server) bool {
	if w.inUse(s) || s.unsure || s.likely || !s.hasLeft() {
		return false
	}
	if s.client != nil && !s.client.alive() && s.client.halfLives() {
		return false // by memory that keeps
	}
	hadIt := func(p *process) bool { return p != s.client && p.alive() && p.role == agent }
	return !slices.ContainsFunc(s.seen, hadIt) && !slices.ContainsFunc(s.members, func(p *process) bool { return p.alive() && !w.isOpenTo(p) })
}

// isProven looks at what surrounds a server: each tree of it hangs on a boundary, or
// below what is proven itself, and nobody else has an end of what it has open. While ends
// are under way to somebody who is not left over, no list of who has them is whole.
func (w *world) isProven(s *server, candidate map[*server]bool) bool {
	if w.hidesEnds(candidate) {
		return false
	}
	for _, p := range s.members {
		if p.alive() && !p.isBroughtIn() && !w.isFree(p, s, candidate) {
			return false
		}
	}
	for _, p := range w.processes { // an agent below it may be at work
		if p.alive() && p.role == agent && slices.ContainsFunc(s.members, p.isBelow) {
			return false
		}
	}
	for _, below := range w.servers { // a gateway does not go before what hangs on it
		hangs := below.client != nil && below.client.server == s && below.hasLeft() && !candidate[below]
		if hangs && (below.kind != "helper" || w.inUse(below)) {
			return false
		}
	}
	return w.containerProven(s, candidate)
}

// isFree looks at one process of a server.
func (w *world) isFree(p *process, s *server, candidate map[*server]bool) bool {
	if isRoot := !p.parent.alive() || p.parent.server != s; isRoot {
		hasStdio := p.stdin.end != nil && p.stdout.end != nil
		if !hasStdio || !w.hangsLoose(p, s, candidate) || !holdsKnown(s, p) {
			return false
		}
	}
	for _, stream := range []stream{p.stdin, p.stdout} {
		if stream.end != nil && (!w.isReleased(stream.end.other(), candidate) || s.mayServe(stream.end.other())) {
			return false
		}
	}
	for _, d := range p.held {
		if !p.isOwnStdio(d.end) && w.isShared(d.end.other(), candidate) {
			return false
		}
	}
	return p.owner == nil || !p.owner.alive() || p.owner.isOf(candidate)
}

// isReleased reports an end of a server's stdio that nobody has who is not left over
// himself. Who cannot read everybody's descriptors cannot tell who else has it.
func (w *world) isReleased(e *end, candidate map[*server]bool) bool {
	holders := e.possessors()
	if len(holders) == 0 {
		return !e.channel.far
	}
	return w.host.UID == 0 && !slices.ContainsFunc(holders, func(holder *process) bool { return !holder.isOf(candidate) })
}

// isShared reports an end beside the stdio that somebody has who may speak over it, or whom
// the reader cannot see. What serves everybody is no client.
func (w *world) isShared(e *end, candidate map[*server]bool) bool {
	return slices.ContainsFunc(e.possessors(), func(holder *process) bool {
		return !holder.isOf(candidate) && (holder.role != other || holder.asks(e) || !w.isOpenTo(holder))
	})
}

// mayServe reports that an older server, which did not start this one, has an end of its stdio. Nothing
// tells it from an agent that a server is named after.
func (s *server) mayServe(e *end) bool {
	return slices.ContainsFunc(e.possessors(), func(holder *process) bool {
		isStarter := s.client != nil && s.client.server == holder.server
		return holder.server != s && !isStarter && holder.start < s.members[0].start
	})
}

func (p *process) isOf(candidate map[*server]bool) bool {
	return p.server != nil && candidate[p.server]
}

// hidesEnds reports that ends are under way to somebody who is not left over.
func (w *world) hidesEnds(candidate map[*server]bool) bool {
	for _, p := range w.processes {
		for _, d := range p.held {
			if len(d.end.queue) > 0 && !p.isOf(candidate) {
				return true
			}
		}
	}
	return false
}

// halfLives reports that of the session or the gateway of a client something
// lives: its launcher, the session that had it started, or the wrapper in front of it.
func (p *process) halfLives() bool {
	for above := p.remembered; above != nil; above = above.remembered {
		if above.alive() && above.role == agent && above.session {
			return true
		}
	}
	return p.launcher != nil && p.launcher.alive() || p.server != nil && p.server.isAlive()
}

// holdsKnown reports that a tree has a member which is known for a server.
func holdsKnown(s *server, root *process) bool {
	return slices.ContainsFunc(s.members, func(p *process) bool {
		return p.alive() && (p == root || p.isBelow(root)) && (p.known || p.configured != "")
	})
}

// hangsLoose reports that the parent of a tree is nobody's client.
func (w *world) hangsLoose(p *process, s *server, candidate map[*server]bool) bool {
	parent := p.parent
	switch {
	case parent == w.init || parent == w.services, parent.container != nil && parent == parent.container.first:
		return true
	case parent.server != nil:
		return candidate[parent.server]
	case parent == w.desktop:
		return p.remembered != nil && p.remembered != parent
	}
	return parent == s.client && parent.session
}

// containerProven reports that of a server without a container, or whose container no living
// client could have: its runner lives and is left over, or was seen and is gone.
func (w *world) containerProven(s *server, candidate map[*server]bool) bool {
	for _, a := range w.engine.attachments {
		if a.inside != nil && a.inside.server == s && !w.isOnlyExec(a, candidate) {
			return false
		}
	}
	c := s.container
	if c == nil { // whose exec is gone cannot be told
		isExec := func(a *attachment) bool { return a.inside != nil && a.inside.server == s }
		return !slices.ContainsFunc(s.members, (*process).isBroughtIn) || slices.ContainsFunc(w.engine.attachments, isExec)
	}
	switch {
	case !c.running():
		return true
	case w.hasStranger(candidate): // may be attached to it
		return false
	case c.comesBack || !c.withStdin || w.engine.away && !w.hasRunner(c) || !w.hasRunner(c) && !s.wasSeen():
		return false
	}
	for _, sibling := range w.engine.containers {
		if sibling.image == c.image && sibling.running() && (sibling.server == nil || !candidate[sibling.server]) {
			return false
		}
	}
	return !slices.ContainsFunc(w.processes, func(p *process) bool {
		return p.alive() && (p.runs(c.image) || w.mayName(p, c)) && !p.isOf(candidate)
	})
}

// hasStranger reports that somebody speaks to the engine by himself who is not left over, or somebody
// whom the reader cannot see.
func (w *world) hasStranger(candidate map[*server]bool) bool {
	return slices.ContainsFunc(w.engine.attachments, func(a *attachment) bool {
		return !(a.by.cli && w.isOpenTo(a.by)) && !a.by.isOf(candidate)
	})
}

// isOnlyExec reports that what an exec has brought in can be nobody else's: its client is
// left over itself, no other process of a CLI names the container, and nobody else speaks to
// the engine.
func (w *world) isOnlyExec(a *attachment, candidate map[*server]bool) bool {
	return a.by.isOf(candidate) && !w.hasStranger(candidate) && !slices.ContainsFunc(w.processes, func(p *process) bool {
		return p.alive() && w.mayName(p, a.container) && !p.isOf(candidate)
	})
}

// isBroughtIn reports a process that an exec has started in a container.
func (p *process) isBroughtIn() bool {
	return p.alive() && p.container != nil && p.parent == p.container.shim
}

// wasSeen reports that the daemon has seen the processes of a server.
func (s *server) wasSeen() bool {
	return !slices.ContainsFunc(s.members, func(p *process) bool { return p.remembered == nil })
}

// mayName reports a process of a CLI, anybody's, that names a container, or one that
// is not there any more.
func (w *world) mayName(p *process, c *container) bool {
	if !p.cli || len(p.argv) < 2 {
		return false
	}
	if p.names(c) || p.argv[1] == "system" { // dial-stdio is whoever's, for whatever
		return true
	}
	if p.argv[1] != "attach" && p.argv[1] != "start" {
		return false
	}
	return !slices.ContainsFunc(w.engine.containers, func(other *container) bool { return !other.removed && p.names(other) })
}

func (p *process) names(c *container) bool {
	return slices.Contains(p.argv, c.name) || slices.Contains(p.argv, c.id[:12]) || slices.Contains(p.argv, c.labels["com.docker.compose.service"])
}

// hasRunner reports that a CLI's process for a container lives.
func (w *world) hasRunner(c *container) bool {
	return slices.ContainsFunc(c.clients, func(p *process) bool { return p.alive() && p.role == serves })
}

// runs reports a client of an image.
func (p *process) runs(image string) bool { return p.cli && p.argv[len(p.argv)-1] == image }
