package scan

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// index holds descriptors so that those which belong together stand together.
// The zero value is empty.
type index struct {
	links   []holder
	version int  // changes with the links
	all     bool // everybody's descriptors are in it
}

// byLink orders descriptors by what they are open on, then by member.
func byLink(a, b holder) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key), cmp.Compare(a.member, b.member))
}

func (x *index) add(links []holder) {
	x.links = append(x.links, links...)
	x.version++
	slices.SortFunc(x.links, byLink)
}

// answer is what has been found out; the zero value is nothing so far.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// addTables makes the descriptors of related processes known as holders.
func (l *look) addTables(read []int) {
	if l.links.all {
		return
	}
	var links []holder
	for _, i := range read {
		if table := l.members[i].table; table != nil {
			for _, link := range table.links {
				links = append(links, holder{descriptor: link.descriptor, member: i})
			}
		}
	}
	l.links.add(links)
}

// attachHolders finds who holds the other ends of a process's streams.
func (l *look) attachHolders(i int) {
	member := &l.members[i]
	if member.gone || !l.matters(member) {
		return
	}
	member.process.Stdin = l.withHolders(i, &member.stdin)
	member.process.Stdout = l.withHolders(i, &member.stdout)
}

// withHolders looks among what is read anyway first, and among everybody only
// where that could tell more.
func (l *look) withHolders(i int, s *stream) inventory.Fact[inventory.Stdio] {
	stdio, known := s.stdio.Get()
	if !known || stdio.Peer != inventory.PeerOpen || s.other.kind == linkOther {
		return s.stdio
	}
	if !l.suffices(i, s) {
		l.walk()
	}
	stdio.Holders = []int{}
	holders := l.holdersOf(s)
	if len(holders) == 0 {
		l.rememberOutside(s.other)
	}
	for _, holder := range holders {
		member := &l.members[holder]
		member.holds = true
		l.relate(holder)
		stdio.Holders = append(stdio.Holders, member.process.PID)
	}
	s.stdio = inventory.Known(stdio)
	return s.stdio
}

// suffices reports that whoever else holds an open end changes nothing: an
// anchored process above holds it, or the process is anchored itself and some
// holder can be named, or lately none could.
func (l *look) suffices(i int, s *stream) bool {
	if l.complete {
		return false
	}
	return l.heldFromAbove(i, s) || (len(l.holdersOf(s)) > 0 || l.isOutside(s.other)) && l.isAnchored(i)
}

// isOutside reports that who holds an end was looked for among everybody not
// long ago, and stands outside the table: the shim that reads what the
// processes of a container write.
func (l *look) isOutside(e end) bool {
	walked, known := l.scanner.outside[e]
	return known && l.scanner.looks-walked < redescribing
}

// rememberOutside notes that nobody in the table was found to hold an end.
func (l *look) rememberOutside(e end) {
	if l.links.all {
		l.outside[e] = l.scanner.looks
	} else {
		l.outside[e] = l.scanner.outside[e]
	}
}

// isAnchored reports that a process cannot have been left behind, nor anything
// that it is a part of: all the way up, each has the parent it was first seen
// with, and each has a stdin that cannot lose its other end, or whose other end
// an anchored process above it holds. Of PID 1 it is enough that its stdin has
// not lost it: who holds a container's stdin stands outside.
func (l *look) isAnchored(i int) bool {
	member := &l.members[i]
	if member.anchored == unasked {
		member.anchored = no // also where the PPIDs, read one by one, form a ring
		if l.holdsFast(i) {
			member.anchored = yes
		}
	}
	return member.anchored == yes
}

func (l *look) holdsFast(i int) bool {
	member := &l.members[i]
	if stdio, _ := member.process.Stdin.Get(); !l.matters(member) && stdio.Peer == inventory.PeerOpen {
		return true
	}
	if member.gone || l.slot(i).adopted || member.process.Stdin.IsZero() {
		return false
	}
	if parent, ok := l.parent(i); ok && !l.isAnchored(parent) {
		return false
	}
	return !canLoseEnd(member.process.Stdin) || l.heldFromAbove(i, &member.stdin)
}

// canLoseEnd reports a stream whose other end was told to be open or closed.
func canLoseEnd(stream inventory.Fact[inventory.Stdio]) bool {
	stdio, known := stream.Get()
	return known && stdio.Connected() && (stdio.Peer == inventory.PeerOpen || stdio.Peer == inventory.PeerClosed)
}

// heldFromAbove reports that an anchored process above holds the other end.
func (l *look) heldFromAbove(i int, s *stream) bool {
	holders := l.holdersOf(s)
	if len(holders) == 0 {
		return false
	}
	for above := range l.above(i) {
		if slices.Contains(holders, above) && l.isAnchored(above) {
			return true
		}
	}
	return false
}

// above are the members above one, nearest first.
func (l *look) above(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for range l.members { // no more steps than processes, whatever the PPIDs say
			parent, ok := l.parent(i)
			if !ok || !yield(parent) {
				return
			}
			i = parent
		}
	}
}

// holdersOf are the members that hold the other end of a stream, by PID, among
// those whose descriptors have been read.
func (l *look) holdersOf(s *stream) []int {
	if s.other.kind == linkOther {
		return nil
	}
	if s.asOf != l.links.version {
		s.holders, s.asOf = l.search(s.other), l.links.version
	}
	return s.holders
}

func (l *look) search(other end) []int {
	var holders []int
	wanted := holder{descriptor: descriptor{kind: other.kind, key: other.key}, member: -1}
	first, _ := slices.BinarySearchFunc(l.links.links, wanted, byLink)
	for _, at := range l.links.links[first:] {
		if at.kind != wanted.kind || at.key != wanted.key {
			break
		}
		if l.isEnd(at, other) {
			holders = append(holders, at.member)
		}
	}
	return slices.Compact(holders)
}

// isEnd verifies that a descriptor is the end that is looked for, and that it
// was its process's. What cannot be verified holds.
func (l *look) isEnd(at holder, other end) bool {
	member := &l.members[at.member]
	fits := l.fits(at, other)
	if member.table == nil { // read by PID
		member.gone = member.gone || l.vanished(member)
	}
	return fits && !member.gone
}

// fits tells the direction of a pipe from the permission bits of its link.
func (l *look) fits(at holder, other end) bool {
	if other.mode == 0 {
		return true
	}
	path := l.fdDirectory(l.reader, &l.members[at.member]) + "/" + strconv.Itoa(int(at.fd))
	var st unix.Stat_t
	if err := unix.Fstatat(l.reader.root, path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return !gone(err)
	}
	if st.Mode&other.mode == 0 || other.kind != linkPath {
		return st.Mode&other.mode != 0
	}
	err := unix.Fstatat(l.reader.root, path, &st, 0)
	return err != nil && !gone(err) || err == nil && uint64(st.Dev) == other.dev && st.Ino == other.ino
}

// vanished reports that a member is no more. Its inode tells that it is there; one
// that has changed tells nothing, and the start mark decides.
func (l *look) vanished(m *member) bool {
	if l.scanner.stable {
		inode, ok := namespaceAt(l.reader.root, strconv.Itoa(m.process.PID))
		if ok && inode == l.scanner.slots[m.slot].inode {
			return false
		}
	}
	row, _, err := l.reader.row(m.process.PID)
	return gone(err) || err == nil && row.ID != m.process.ID()
}

// fdDirectory is where a member's descriptors stand below the proc directory.
func (l *look) fdDirectory(r *reader, m *member) string {
	pid := strconv.Itoa(m.process.PID)
	if m.process.State != "Z" {
		return pid + "/fd"
	}
	return pid + "/task/" + strconv.Itoa(r.livingThread(r.root, pid+"/task")) + "/fd"
}

// walk reads the descriptors of everybody else, once a look. It reads them by
// PID; that a holder is still who it was is verified when one is found.
func (l *look) walk() {
	if l.links.all {
		return
	}
	found := make([][]holder, l.scanner.workers)
	l.inParallel(len(l.members), 64, func(r *reader, worker, i int) {
		member := &l.members[i]
		if member.gone || member.table != nil || !member.process.Alive() {
			return
		}
		var count int
		var err error
		found[worker], count, err = r.appendLinks(found[worker], r.root, l.fdDirectory(r, member), i)
		switch {
		case err == nil:
			member.process.OpenFDs = inventory.Known(count)
		case !gone(err):
			member.process.OpenFDs = inventory.Unreadable[int]()
		}
	})
	l.links.add(slices.Concat(found...))
	l.links.all = true
}

// appendLinks adds what in a descriptor directory has, or may have, another
// end, and tells how many descriptors there are.
func (r *reader) appendLinks(to []holder, from int, directory string, member int) ([]holder, int, error) {
	dir, err := unix.Openat(from, directory, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return to, 0, err
	}
	defer unix.Close(dir)
	r.entries, err = r.appendEntries(r.entries[:0], dir)
	if err != nil {
		return to, 0, err
	}
	for _, open := range r.entries {
		link, err := r.readlink(dir, strconv.Itoa(open.number))
		if err != nil && !gone(err) {
			return to, 0, err
		}
		kind, key := parseLink(link)
		if err == nil && kind != linkOther && open.number <= math.MaxInt32 {
			to = append(to, holder{descriptor: descriptor{fd: int32(open.number), kind: kind, key: key}, member: member})
		}
	}
	return to, len(r.entries), nil
}

// hasOpenEnd reports that knowing all processes may tell more of a member.
func (m *member) hasOpenEnd() bool {
	for _, s := range []stream{m.stdin, m.stdout} {
		if stdio, _ := s.stdio.Get(); stdio.Peer == inventory.PeerOpen {
			return true
		}
	}
	return false
}
