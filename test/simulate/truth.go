package simulate

import "slices"

// inUse reports that somebody alive uses a server: its client, who has not let
// go of it, somebody who comes over its port, the service manager, or whoever
// asked for it to be kept.
func (w *world) inUse(s *server) bool {
	return w.isSpokenTo(s) || slices.ContainsFunc(s.users, func(p *process) bool { return p.alive() && w.isAtWork(p) })
}

// isSpokenTo is inUse but for those who come over a port.
func (w *world) isSpokenTo(s *server) bool {
	if (s.pinned || s.unit) && s.isAlive() {
		return true
	}
	return s.client != nil && s.client.alive() && !s.letGo && w.isAtWork(s.client)
}

// isAtWork reports that a process wants what it uses. A part of a server, such
// as a gateway, does while the server is in use itself.
func (w *world) isAtWork(p *process) bool {
	if p.role == agent {
		return true
	}
	return p.server != nil && w.inUse(p.server)
}

func (s *server) listens() bool {
	return slices.ContainsFunc(s.members, func(p *process) bool { return p.port != 0 })
}

func (s *server) isAlive() bool {
	return slices.ContainsFunc(s.members, (*process).alive)
}

// mustKeep reports that ending a process would take it from somebody.
func (w *world) mustKeep(p *process) bool {
	if !p.alive() {
		return false
	}
	if p.role != serves {
		return true
	}
	s := p.server
	switch {
	case s == nil || !w.inUse(s):
		return false
	case w.isSpokenTo(s):
		return true
	}
	// Of what is used over a port, wrappers that it does not hang on are no loss.
	return slices.ContainsFunc(s.members, func(q *process) bool {
		return q.alive() && (q.port != 0 || !s.listens()) && (q == p || q.isBelow(p) || p.isBelow(q))
	})
}

// mustKeepContainer reports the same of a container.
func (w *world) mustKeepContainer(c *container) bool {
	if !c.running() {
		return false
	}
	if c.server == nil {
		return true
	}
	return w.inUse(c.server) && len(c.attached) > 0 || slices.ContainsFunc(c.users, (*process).alive)
}

// isLookedThrough reports a `docker run` with whose end that of its container may come,
// while somebody looks into that.
func (w *world) isLookedThrough(p *process) bool {
	return slices.ContainsFunc(w.engine.containers, func(c *container) bool {
		return c.running() && slices.Contains(c.clients, p) && slices.ContainsFunc(c.users, (*process).alive)
	})
}

// provables are the servers that design section 3 says an honest reader can
// prove to be orphans now, and has to reap in time.
func (w *world) provables(seesAll bool) []*server {
	if !seesAll {
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

// couldBeProven looks at a server alone: nobody uses it, it has been known for a
// server, it does not listen, it is no service's.
func (w *world) couldBeProven(s *server) bool {
	if w.inUse(s) || s.unsure || s.shape || !s.hasLeft() {
		return false
	}
	if s.client != nil && !s.client.alive() && s.client.halfLives() {
		return false // by memory that keeps
	}
	for _, p := range s.members {
		if !p.alive() {
			continue
		}
		foreign := w.host.UID != 0 && p.uid != w.host.UID
		if p.port != 0 || p.service != "" || p.keep || foreign {
			return false
		}
	}
	return true
}

// hasLeft reports that something of a server is still there.
func (s *server) hasLeft() bool {
	return s.isAlive() || s.container != nil && s.container.running()
}

// isProven looks at what surrounds a server: each tree of it hangs on a
// boundary, or below what is proven itself, and nobody else holds its stdio.
func (w *world) isProven(s *server, candidate map[*server]bool) bool {
	for _, p := range s.members {
		if !p.alive() || p.parent != nil && p.parent.server == s && p.parent.alive() {
			continue
		}
		if !w.hangsLoose(p, s, candidate) || !w.isReleased(p.stdin, candidate) || !w.isReleased(p.stdout, candidate) || !holdsKnown(s, p) {
			return false
		}
	}
	for _, below := range w.servers { // a gateway does not go before what hangs on it
		if below.client != nil && below.client.server == s && below.hasLeft() && !candidate[below] {
			return false
		}
	}
	return s.container == nil || w.containerProven(s.container, candidate)
}

// halfLives reports that of the session or the gateway of a client something
// lives: its launcher, or the wrapper in front of it.
func (p *process) halfLives() bool {
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
	return parent == s.client && s.letGo && parent.session
}

// isReleased reports a pipe or socket whose other end nobody has who is not left
// over himself. Who cannot read everybody's descriptors cannot tell who else has it.
func (w *world) isReleased(s stream, candidate map[*server]bool) bool {
	if s.end == nil {
		return false
	}
	for _, holder := range s.end.other().holders {
		if w.host.UID != 0 || holder.server == nil || !candidate[holder.server] {
			return false
		}
	}
	return true
}

// containerProven reports that no living client could have a container of its
// image, and that nobody is attached to it.
func (w *world) containerProven(c *container, candidate map[*server]bool) bool {
	if !c.running() || c.stdinOpen() && len(c.attached) > 0 && !candidate[c.server] || len(c.users) > 0 || !c.withStdin {
		return !c.running()
	}
	if w.engine.away && !w.hasLivingClient(c) {
		return false
	}
	for _, sibling := range w.engine.containers {
		if sibling.image == c.image && sibling.running() && (sibling.server == nil || !candidate[sibling.server]) {
			return false
		}
	}
	return !slices.ContainsFunc(w.processes, func(p *process) bool {
		return p.alive() && (p.runs(c.image) || w.mayName(p, c)) && (p.server == nil || !candidate[p.server])
	})
}

// mayName reports a docker command, anybody's, that names a container, or one
// that is not there any more.
func (w *world) mayName(p *process, c *container) bool {
	if p.argv[0] != "docker" {
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
	return slices.Contains(p.argv, c.name) || slices.Contains(p.argv, c.id[:12])
}

// isTold reports whether it can be told that somebody is attached to a container
// who is no client to be seen: its stdin is here to be read, or he is one.
func (w *world) isTold(c *container) bool {
	return w.host.UID == 0 && !w.engine.away || w.hasLivingClient(c)
}

func (w *world) hasLivingClient(c *container) bool {
	return slices.ContainsFunc(c.clients, func(p *process) bool { return p.alive() && p.role == serves })
}

// runs reports a client of an image.
func (p *process) runs(image string) bool {
	return p.isDockerClient() && p.argv[len(p.argv)-1] == image
}
