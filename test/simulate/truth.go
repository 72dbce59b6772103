package simulate

import "slices"

// This file is the truth: who can still speak to whom, by any channel. It follows from
// the kernel's state alone.
//
//   - A live process that is no part of a server uses whatever it has an end to.
//   - What is in use itself uses what it has an end to, but for those over which it
//     is spoken to: its own stdio, and what others have dialled.
//   - Whoever was called by a server uses it if he is a session: others serve whoever calls.
//   - A listener, a FIFO with a name and a service are come to by name or address.
//   - Whatever works on something that it was given is in use until that is done.
//   - What was opened for a person is in use as long as it lives. It uses no server,
//     whatever ends it has inherited.

// mark works out which servers are in use now.
func (w *world) mark() {
	for _, c := range w.engine.containers {
		c.user = nil
	}
	using := []*process{w.elsewhere}
	for _, p := range w.processes {
		p.user = nil
		if p.alive() && p.role == serves && w.isUsedByItself(p) {
			p.user = p
		}
		if p.alive() && (p.user != nil || p.role == agent || p.role == other) {
			using = append(using, p)
		}
	}
	for len(using) > 0 {
		user := using[len(using)-1]
		using = using[:len(using)-1]
		for _, p := range w.usedBy(user) {
			if p.role == serves && p.user == nil && p.alive() {
				p.user = user
				using = append(using, p)
			}
		}
	}
}

// isUsedByItself reports a process that nobody needs to have an end of.
func (w *world) isUsedByItself(p *process) bool {
	named := func(s stream) bool { return s.end != nil && s.end.channel.linked }
	return p.keep || p.service != "" || p.port != 0 || named(p.stdin) || named(p.stdout) || p.server != nil && p.server.busy > w.awake
}

// usedBy are the processes that one speaks to, or to whose container it is attached.
func (w *world) usedBy(user *process) (used []*process) {
	for _, e := range user.reach() {
		if user.asks(e) {
			used = append(used, e.other().possessors()...)
		}
	}
	for _, a := range w.engine.attachments {
		switch {
		case a.by != user:
		case a.inside != nil:
			used = append(used, a.inside)
		default:
			a.container.user = user
			if a.container.server != nil && a.container.first != nil {
				used = append(used, a.container.first)
			}
		}
	}
	return used
}

// asks reports that a process uses whoever has the other end, and is not there to
// be used over it itself.
func (p *process) asks(e *end) bool {
	switch p.role {
	case agent:
		return p.session || !(e.channel.dialled && e.side == e.channel.serving)
	case serves, other:
		return e.side != e.channel.serving
	}
	return false
}

// inUse reports that something of a server is in use.
func (w *world) inUse(s *server) bool {
	return s.container != nil && s.container.user != nil || slices.ContainsFunc(s.members, func(p *process) bool { return p.user != nil && p.alive() })
}

// mustKeep reports that ending a process would take it from somebody.
func (w *world) mustKeep(p *process) bool { return p.alive() && (p.role != serves || p.user != nil) }

// mustKeepContainer reports the same of a container.
func (w *world) mustKeepContainer(c *container) bool {
	return c.running() && (c.server == nil || c.user != nil)
}

// isLookedThrough reports a `docker run` with whose end that of its container may come,
// while somebody looks into that.
func (w *world) isLookedThrough(p *process) bool {
	return slices.ContainsFunc(w.engine.attachments, func(a *attachment) bool {
		return a.by.role == other && a.by.alive() && a.inside == nil && slices.Contains(a.container.clients, p)
	})
}

func (s *server) isAlive() bool { return slices.ContainsFunc(s.members, (*process).alive) }

// hasLeft reports that something of a server is still there.
func (s *server) hasLeft() bool {
	return s.isAlive() || s.container != nil && s.container.running()
}

// isLetGo reports that a server's client lives and does not use it any more, or that it
// hangs on a gateway of which that holds.
func (w *world) isLetGo(s *server) bool {
	if s.client == nil || !s.client.alive() || w.inUse(s) {
		return false
	}
	return s.client.role != serves || s.client.server != s && w.isLetGo(s.client.server)
}
