package scan

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// attachOthers finds out who else may speak to a candidate or a process below one, and to the
// wrappers around it.
func (l *look) attachOthers(i int) {
	if !l.members[i].whole {
		return
	}
	l.findOthers(i)
	for parent := range l.above(i) {
		if !sameStdin(l.stdin(i), l.stdin(parent)) {
			return
		}
		l.findOthers(parent)
		i = parent
	}
}

// findOthers does so if stdin and stdout of the process do not show that it is in use.
func (l *look) findOthers(i int) {
	if !l.mayBeLeaked(i) {
		return
	}
	table := l.tableOf(i)
	err := l.addThreads(l.reader, i, table)
	f := finder{look: l, self: i, others: others{me: l.host.UID.Or(0), moreShare: err != nil, moreCalled: table.err != nil}}
	if f.h, err = l.open(l.reader, i); err != nil { // it has exited: nothing is recorded
		return
	}
	defer f.h.close()
	f.find(table)
	f.findTracer()
	f.record(&l.members[i].process)
}

// findTracer is about a debugger, by which a person may speak to the process.
func (f *finder) findTracer() {
	status, err := f.h.r.whole(f.h.dir, f.h.below+"status")
	pid := int(lineNumber(status, "TracerPid:"))
	i, found := f.look.find(pid)
	if found {
		f.look.list(i)
		f.shares = append(f.shares, pid)
	}
	f.moreShare = f.moreShare || err != nil || pid != 0 && !found // a thread of it
}

// mayBeLeaked reports a process of which nothing shows yet that it is in use. One that is read
// by itself has been looked at before.
func (l *look) mayBeLeaked(i int) bool {
	member := l.members[i]
	return l.scanner.only == 0 && member.process.Shares.IsZero() && !member.gone && member.process.Alive() && l.matters(i) && !l.isAnchored(i) &&
		!l.heldFromAbove(i, &member.stdin) && !l.heldFromAbove(i, &member.stdout)
}

// finder finds the others of one process.
type finder struct {
	others
	look        *look
	h           *handle
	self        int
	there, here *sockets // of the process's network namespace, and of this one's
}

// find finds those at the other ends of what a table holds.
func (f *finder) find(table *descriptors) {
	var paths []*holder
	for at := range table.links {
		switch link := (&holder{descriptor: table.links[at], member: f.self, of: &table.links[at]}); {
		case !link.isMore():
		case link.kind == linkPipe:
			f.findByPipe(link, link.key, f.h.pipePeer)
		case link.kind == linkSocket:
			f.findBySocket(link)
		case link.kind == linkPath:
			paths = append(paths, link)
		}
	}
	f.findByPaths(paths)
}

// findByPaths is about FIFOs. While one has a name anybody may come by that; afterwards it is a pipe.
// What does not answer may be one.
func (f *finder) findByPaths(links []*holder) {
	if len(links) == 0 {
		return
	}
	stats, _ := asked(f.look.scanner.patience, f.h.question(f.look.members[f.self], "fd"), func(_ *reader, dir int) []unix.Stat_t {
		stats := make([]unix.Stat_t, len(links))
		for i, link := range links {
			if unix.Fstatat(dir, strconv.Itoa(int(link.fd)), &stats[i], 0) != nil {
				stats[i].Mode, stats[i].Nlink = unix.S_IFIFO, 1
			}
		}
		return stats
	})
	f.moreShare = f.moreShare || len(stats) == 0
	for i := range stats {
		switch kind := stats[i].Mode & unix.S_IFMT; {
		case kind == unix.S_IFCHR && letsIn(&stats[i]):
			f.moreShare = f.moreShare || f.h.copyPeer(readEnd(int(links[i].fd)), stats[i].Ino) != inventory.PeerClosed
		case kind != unix.S_IFIFO:
		case stats[i].Nlink > 0:
			f.moreShare = true
		default:
			links[i].key = fifoKey(&stats[i])
			f.findByPipe(links[i], stats[i].Ino, f.h.copyPeer)
		}
	}
}

// letsIn reports FUSE and TUN: by the mount and by the interface everybody may speak to the process.
// A poll is an error when there is none.
func letsIn(device *unix.Stat_t) bool {
	const misc, tun, fuse = 10, 200, 229
	return device.Rdev == unix.Mkdev(misc, tun) || device.Rdev == unix.Mkdev(misc, fuse)
}

func (f *finder) findByPipe(link *holder, inode uint64, peer func(direction, uint64) inventory.Peer) {
	const both = readable | writable
	d, is := readEnd(int(link.fd)), f.look.factsOf(link)&both
	if is == writable {
		d = writeEnd(int(link.fd))
	}
	same, other := end{kind: link.kind, key: link.key, mode: is}, end{kind: link.kind, key: link.key, mode: is ^ both}
	if is == 0 || is == both {
		same.mode, other.mode = 0, 0
	}
	pids, seen := f.holders(same, other)
	if seen || link.fd == elsewhere || peer(d, inode) != inventory.PeerClosed {
		f.add(connection{}, pids, seen)
	}
}

func (f *finder) findBySocket(link *holder) {
	c, err := f.connection(link)
	switch {
	case err != nil:
		f.moreShare, f.moreCalled = true, true
	case c.blind:
		f.moreShare = f.moreShare || f.h.foreignPeer(readEnd(int(link.fd)), link.key) != inventory.PeerClosed
	case c.other != 0:
		pids, seen := f.holders(end{kind: linkSocket, key: link.key}, end{kind: linkSocket, key: c.other})
		f.add(c, pids, seen)
	}
}

// connection is what a socket is connected to, in the network namespace of the process that
// has it or of this one. Elsewhere, or of another kind, it may be connected to anybody.
func (f *finder) connection(link *holder) (c connection, err error) {
	if f.there == nil {
		var failed error
		f.there, err = f.look.net.of(f.h)
		f.here, failed = f.look.net.here()
		if err = cmp.Or(err, failed); err != nil {
			f.there = nil
			return c, err
		}
	}
	c, ok := f.there.connection(link.key)
	if !ok {
		c, ok = f.here.connection(link.key)
		c.blind = c.blind || f.here.isListener(link.key) || !ok && !f.isAlone(link)
	}
	return c, nil
}

// isAlone reports a socket of a kind that has no other end, by its protocol's name.
func (f *finder) isAlone(link *holder) bool {
	name := make([]byte, 32)
	n, err := unix.Getxattr(proc+"/"+f.look.linkOf(link), "system.sockprotoname", name)
	return err == nil && slices.ContainsFunc([]string{"NETLINK", "UDP", "PACKET", "RAW", "PING", "ALG"}, func(kind string) bool {
		return bytes.HasPrefix(name[:n], []byte(kind))
	})
}

// holders are the others that have an end, without those below the process, which it has
// started itself. seen is whether all who have it can be seen; while descriptors are under way, a
// copy may be.
func (f *finder) holders(same, other end) (pids []int, seen bool) {
	l := f.look
	l.walk()
	held := l.holdersOf(&stream{other: other})
	if f.isOlders(same, other, held) {
		return nil, true
	}
	for at, i := range held.members {
		if i != f.self && !l.isBelow(i, f.self) {
			l.list(i)
			pids = append(pids, held.pids[at])
		}
	}
	return pids, len(pids) > 0 || len(held.members) > 0 && !l.underWay
}

// isOlders reports that the end which the process has may be an older process's, with which it was only
// started: that has the same end and not the other. All who have the other have it as their stdin or
// stdout, as a server has, or have started the older process with its own end, as a shell does, below
// which this one is. Elsewhere they may have given this one the same end.
func (f *finder) isOlders(same, other end, have *held) bool {
	if len(have.members) == 0 {
		return false
	}
	l, starters := f.look, f.starters(other, have)
	return slices.ContainsFunc(l.holdersOf(&stream{other: same}).members, func(older int) bool {
		isNot := func(starter int) bool { return !l.isBelow(older, starter) }
		return l.slot(older).start < l.slot(f.self).start && (len(starters) == 0 || l.isBelow(f.self, older)) &&
			!slices.ContainsFunc(starters, isNot) && !slices.Contains(have.members, older)
	})
}

// starters are those who have an end, and not as their stdin or stdout.
func (f *finder) starters(of end, have *held) []int {
	links, stdio := f.look.links.links, map[int]bool{}
	for at := f.look.links.first(of.kind, of.key); at < len(links) && links[at].kind == of.kind && links[at].key == of.key; at++ {
		stdio[links[at].member] = stdio[links[at].member] || links[at].fd == 0 || links[at].fd == 1
	}
	return slices.DeleteFunc(slices.Clone(have.members), func(i int) bool { return stdio[i] })
}
