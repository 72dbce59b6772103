package simulate

import (
	"math/rand/v2"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// This file has the events about who has which end.

// isSpokenTo reports a process that a client has started of a server, and of which it has an end.
func isSpokenTo(p *process) bool {
	return p.server != nil && p.server.client != nil && !p.isBroughtIn() && len(p.server.spoken()) > 0
}

// isStarted reports such a server whose client is here and may start others.
func isStarted(p *process) bool { return isSpokenTo(p) && p.server.hasStarter() }

// hasStarter reports that a server's client lives, here, and may start others.
func (s *server) hasStarter() bool {
	return s.client != nil && s.client.pid != 0 && s.client.alive() && isStarter(s.client)
}

// spoken are the ends of a server that its client has.
func (s *server) spoken() []*end {
	return slices.DeleteFunc(slices.Concat(s.ends, s.more), func(e *end) bool { return !s.client.has(e) })
}

func (s *server) drop(ends []*end) {
	for _, e := range ends {
		s.client.drop(e)
	}
}

// letGo: a client closes all that it has of a server.
func letGo(w *world, _ *rand.Rand, p *process) {
	p.server.drop(p.server.spoken())
}

// stayBeside: a client closes a server's stdio, and speaks to it over something else.
func stayBeside(w *world, _ *rand.Rand, p *process) {
	if s := p.server; isServing(p) {
		if len(s.more) == 0 {
			w.speakBeside(p)
		}
		s.drop(s.ends)
		w.touch(s, beside)
	}
}

// speakBeside connects a process of a server with the server's client: by a socketpair or, where
// the client is a session, by a connection that the server has dialled.
func (w *world) speakBeside(p *process) {
	s := p.server
	if !s.client.has(s.ends[0]) {
		w.touch(s, beside)
	}
	if s.client.session {
		s.more = append(s.more, &w.dial(p, s.client).ends[1])
		return
	}
	p.hold(s.share(w.newChannel(inventory.KindSocket)))
}

// isApart reports a process of a server whose client has the ends of a wrapper and of what
// stands apart below it.
func isApart(p *process) bool {
	return isStarted(p) && p.server.manner == apart && len(p.server.spoken()) > len(p.server.ends)
}

// goOver: a client closes the stdio of a wrapper that stands apart, and has an heir who speaks
// to the server below it.
func goOver(w *world, r *rand.Rand, p *process) {
	s, giver := p.server, p.server.client
	s.drop(s.ends)
	w.sendAway(r, s, s.spoken())
	if oneIn(r, 2) {
		w.exit(giver)
	}
}

func isCall(d descriptor) bool { return d.end.channel.dialled && d.end.side == 0 }

func isCaller(p *process) bool { return slices.ContainsFunc(p.held, isCall) }

// hangUp: a caller closes a connection that he has dialled.
func hangUp(w *world, _ *rand.Rand, p *process) {
	p.drop(p.held[slices.IndexFunc(p.held, isCall)].end)
}

// endInput: a client has said all that it wants to, and waits for the answer. A socket is shut
// on that side, a pipe closed.
func endInput(w *world, _ *rand.Rand, p *process) {
	s := p.server
	if e := s.ends[0]; e.channel.kind == inventory.KindSocket {
		e.ended = true
	} else {
		s.client.drop(e)
	}
	w.touch(s, batches)
}

// endAttached: a program that is attached over the engine's socket has said all that it wants
// to, and waits for the answer.
func endAttached(w *world, _ *rand.Rand, p *process) {
	for _, a := range w.engine.attachments {
		if a.by == p && !a.ended {
			w.endInput(a)
		}
	}
}

// inheritEnds: a process that a client starts without closing what it should:
// it has the ends of the client's servers, and lives on when the client dies.
func inheritEnds(w *world, r *rand.Rand, a *process) {
	child := w.fork(a, birth{program: bystander(r), leads: oneIn(r, 2), scene: a.scene})
	for _, d := range a.held {
		if !a.isOwnStdio(d.end) && !child.has(d.end) {
			child.hold(d.end)
		}
	}
}

// heir is who gets the ends of a client: another agent of the scene, or a new one.
func (w *world) heir(r *rand.Rand, client *process) *process {
	a, found := w.choose(r, client.scene, func(p *process) bool { return isStarter(p) && p != client && p.uid == client.uid })
	if found && oneIn(r, 2) {
		return a
	}
	return w.startAgent(w.login(r, client.scene), anyAgent(r), client.scene)
}

// handOn: a client gives its ends of a server to another client: an agent, or a younger
// server that it starts for that, such as a proxy. Most of the time it keeps none.
func handOn(w *world, r *rand.Rand, p *process) {
	s, giver := p.server, p.server.client
	ends, keeps := s.spoken(), oneIn(r, 4)
	var heir *process
	if oneIn(r, 2) {
		heir = w.newServer(giver, flavour{name: "proxy", chain: []program{plainServer(r)}}, serverOptions{sockets: oneIn(r, 2)}).members[0]
	} else {
		heir = w.heir(r, giver)
	}
	for _, e := range ends {
		heir.hold(e)
		if !keeps {
			giver.drop(e)
		}
	}
	if !keeps {
		s.client = heir
	}
	w.touch(s, handed)
}

// hideEnds: a client's ends of a server go where no descriptor table shows them: into the
// table of a thread of its own or a ring, or into the queue of a socket. A copy may
// stay with the server itself or with another one.
func hideEnds(w *world, r *rand.Rand, p *process) {
	s := p.server
	ends := s.spoken()
	if keeper, found := w.choose(r, p.scene, isServing); found && oneIn(r, 2) {
		if oneIn(r, 2) {
			keeper = p
		}
		for _, e := range ends {
			keeper.hold(e)
		}
	}
	if oneIn(r, 3) {
		s.client.hide(ends)
	} else {
		w.sendAway(r, s, ends)
	}
	w.touch(s, hidden)
}

// hide takes ends out of a process's table: children do not inherit them any more.
func (p *process) hide(ends []*end) {
	for i := range p.held {
		p.held[i].inherited = p.held[i].inherited && !slices.Contains(ends, p.held[i].end)
	}
}

// sendAway sends ends to whoever is the server's client from now on: the same, or an heir. The
// socket in whose queue they are may be on its way to somebody else itself.
func (w *world) sendAway(r *rand.Rand, s *server, ends []*end) {
	giver, heir := s.client, s.client
	if !oneIn(r, 4) {
		heir = w.heir(r, giver)
	}
	pair := w.newChannel(inventory.KindSocket)
	giver.hold(&pair.ends[0])
	heir.hold(&pair.ends[1])
	for _, e := range ends {
		giver.send(e, &pair.ends[1])
	}
	if oneIn(r, 6) {
		next, further := w.newChannel(inventory.KindSocket), w.heir(r, heir)
		heir.hold(&next.ends[0])
		further.hold(&next.ends[1])
		heir.send(&pair.ends[1], &next.ends[1])
		heir = further
	}
	s.client = heir
}

// deliver lets some of those receive what was sent to them.
func (w *world) deliver(r *rand.Rand) {
	for _, p := range w.processes {
		for _, d := range slices.Clone(p.held) {
			if len(d.end.queue) > 0 && oneIn(r, 3) {
				p.receive(d.end)
			}
		}
	}
}

func hasBacklog(p *process) bool { return len(p.backlog) > 0 }

// isNamed reports a process of a server whose stdin is a pipe with a name.
func isNamed(p *process) bool {
	return p.server != nil && p.stdin.end != nil && p.stdin.end.channel.linked
}

// callByName: somebody opens the named pipes of a server.
func callByName(w *world, r *rand.Rand, p *process) {
	caller := w.startAgent(w.login(r, p.scene), unknownAgent(r), p.scene)
	for _, e := range p.server.ends {
		caller.hold(e)
	}
}

// removeNames: the named pipes of a server are removed; who has them open keeps them.
func removeNames(w *world, _ *rand.Rand, p *process) {
	for _, e := range p.server.ends {
		e.channel.linked = false
	}
}

// dialBack: a server connects to its client, or to a database.
func dialBack(w *world, r *rand.Rand, p *process) {
	if p.server.hasStarter() && !oneIn(r, 3) {
		w.speakBeside(p)
		return
	}
	w.dial(p, w.database())
}

// database is one that anybody on the host may use.
func (w *world) database() *process {
	for _, p := range w.processes {
		if p.service == "postgresql.service" {
			return p
		}
	}
	db := w.daemon(native("/usr/lib/postgresql/16/bin/postgres"), "postgresql.service")
	db.port = 5432
	return db
}
