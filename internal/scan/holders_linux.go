package scan

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// index holds descriptors sorted by what they are open on. The zero value is empty.
type index struct {
	links []holder
	all   bool // everybody's descriptors are in it
	named bool // those of them that are paths have the names of this look
	// inspected is how many links the file system was asked about.
	inspected int
	// ends are the results of searches since links were last added.
	ends map[end]*held
}

// held is the processes that hold an end.
type held struct{ members, pids []int }

// byLink orders descriptors by what they are open on, then by process.
func byLink(a, b holder) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key), cmp.Compare(a.member, b.member))
}

func (x *index) add(links ...holder) { x.links, x.named = append(x.links, links...), false }

// settle makes added descriptors visible to searches.
func (x *index) settle() {
	x.ends = nil
	slices.SortFunc(x.links, byLink)
}

// answer is a finding about a process; the zero value means not asked yet.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// addTables adds the descriptors of related processes to the index.
func (l *look) addTables(read []int) {
	if l.links.all {
		return
	}
	for _, i := range read {
		if table := l.members[i].table; table != nil {
			for at := range table.links {
				link := &table.links[at]
				l.links.add(holder{descriptor: link.descriptor, member: i, seen: link.seen, of: link})
			}
		}
	}
	l.links.settle()
}

// attachHolders finds who holds the other ends of a process's streams.
func (l *look) attachHolders(i int) {
	member := l.members[i]
	if member.gone || !l.matters(i) {
		return
	}
	member.process.Stdin = l.withHolders(i, &member.stdin)
	member.process.Stdout = l.withHolders(i, &member.stdout)
}

// withHolders searches the processes that are read anyway and, only if that could
// tell more, everybody.
func (l *look) withHolders(i int, s *stream) inventory.Fact[inventory.Stdio] {
	stdio, known := s.stdio.Get()
	if !known || stdio.Peer != inventory.PeerOpen || s.other.kind == linkOther {
		return s.stdio
	}
	if !l.suffices(i, s) {
		l.walk()
	}
	found := l.holdersOf(s)
	if len(found.members) == 0 {
		l.rememberOutside(s.other)
	}
	for _, holder := range found.members {
		if member := l.list(holder); !member.holds {
			member.holds = true
			l.relate(holder)
		}
	}
	stdio.Holders = found.pids
	s.stdio = inventory.Known(stdio)
	return s.stdio
}

// suffices reports that further holders of an open end would change no verdict: an
// anchored process above holds it; or the process is anchored itself, and some holder
// can be named or recently none was found.
func (l *look) suffices(i int, s *stream) bool {
	if l.complete {
		return false
	}
	return l.heldFromAbove(i, s) || (len(l.holdersOf(s).members) > 0 || l.isOutside(s.other)) && l.isAnchored(i)
}

// isOutside reports that a recent search among everybody found that the end's holder
// is outside the table: the shim that reads the output of a container's processes.
func (l *look) isOutside(e end) bool {
	walked := l.scanner.outside[e]
	return walked.stands(struct{}{}, l.scanner.looks)
}

// rememberOutside notes that no process of the table holds an end.
func (l *look) rememberOutside(e end) {
	walked := l.scanner.outside[e]
	if l.links.all {
		walked.keep(struct{}{}, struct{}{}, l.scanner.looks, redescribing)
	}
	l.outside[e] = walked
}

// isAnchored reports that neither a process nor any tree that it is part of can be
// leaked: every process on the way up to the first, itself included, has the parent
// that it was first seen with, and a stdin that cannot lose its other end (a
// terminal, /dev/null, one that cannot be told) or whose other end an anchored
// process above holds. The root of whatever tree it belongs to is on that way, so the
// tree is live.
//
// So of an end that an anchored process above holds, no other holder matters. Of the ends
// of an anchored process itself one holder is enough, or that there is none: they decide
// nothing. For every other open end all holders are searched. Of PID 1 only its stdin
// counts: the holder of a container's stdin is outside the table.
func (l *look) isAnchored(i int) bool {
	member := l.members[i]
	if member == nil {
		return false
	}
	if member.anchored == unasked {
		member.anchored = no // also where the PPIDs, read one by one, form a ring
		if l.holdsFast(i) {
			member.anchored = yes
		}
	}
	return member.anchored == yes
}

func (l *look) holdsFast(i int) bool {
	member := l.members[i]
	if stdio, _ := member.process.Stdin.Get(); !l.matters(i) && stdio.Peer == inventory.PeerOpen {
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

// canLoseEnd reports a stream whose other end is known to be open or closed.
func canLoseEnd(stream inventory.Fact[inventory.Stdio]) bool {
	stdio, known := stream.Get()
	return known && stdio.Connected() && (stdio.Peer == inventory.PeerOpen || stdio.Peer == inventory.PeerClosed)
}

// heldFromAbove reports that an anchored process above holds the other end.
func (l *look) heldFromAbove(i int, s *stream) bool {
	holders := l.holdersOf(s).members
	if len(holders) == 0 {
		return false
	}
	for above := range l.above(i) {
		if _, holds := slices.BinarySearch(holders, above); holds && l.isAnchored(above) {
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

// holdersOf are the holders of the other end of a stream, among all processes whose
// descriptors were read. Streams with the same other end share one search.
func (l *look) holdersOf(s *stream) *held {
	if s.other.kind == linkOther {
		return &held{}
	}
	found, asked := l.links.ends[s.other]
	if !asked {
		found = l.search(s.other)
		if l.links.ends == nil {
			l.links.ends = map[end]*held{}
		}
		l.links.ends[s.other] = found
	}
	return found
}

func (l *look) search(other end) *held {
	if other.kind == linkPath {
		l.readNames()
	}
	found := &held{pids: []int{}}
	wanted := holder{descriptor: descriptor{kind: other.kind, key: other.key}, member: -1}
	links := l.links.links
	first, _ := slices.BinarySearchFunc(links, wanted, byLink)
	for at := first; at < len(links) && links[at].kind == wanted.kind && links[at].key == wanted.key; at++ {
		i := links[at].member
		if last := len(found.members) - 1; last >= 0 && found.members[last] == i || !l.isEnd(&links[at], other) {
			continue
		}
		found.members, found.pids = append(found.members, i), append(found.pids, int(l.slot(i).pid))
	}
	return found
}

// readNames reads the names of all paths in the index again: other processes can rename or
// remove a file that a process holds open.
func (l *look) readNames() {
	if l.links.named {
		return
	}
	for i := range l.links.links {
		at := &l.links.links[i]
		if at.kind != linkPath {
			continue
		}
		link, err := l.reader.readlink(l.reader.root, l.fdDirectory(l.reader, l.slot(at.member))+"/"+strconv.Itoa(int(at.fd)))
		if kind, key := parseLink(link); err == nil && kind == linkPath {
			at.key = key
		}
	}
	l.links.settle()
	l.links.named = true
}

// isEnd verifies that a descriptor is the end that is searched for, and that its process
// still has it. What cannot be verified counts as that end.
func (l *look) isEnd(at *holder, other end) bool {
	if !at.seen.looked {
		at.seen = l.inspect(at, other)
		if at.of != nil && !at.seen.gone && !at.seen.untold {
			at.of.seen = at.seen
		}
	}
	member := l.members[at.member]
	return at.seen.fits(other) && (member == nil || !member.gone)
}

// inspect examines a descriptor's link and, if the process was read by PID, whether
// it is still that process. The permission bits of a pipe's link give the direction.
func (l *look) inspect(at *holder, other end) linkFacts {
	facts := linkFacts{looked: true}
	l.links.inspected++
	if other.mode != 0 {
		l.inspectLink(at, &facts)
	}
	if member := l.members[at.member]; member == nil || member.table == nil { // read by PID
		facts.gone = facts.gone || l.vanished(l.slot(at.member))
	}
	return facts
}

func (l *look) inspectLink(at *holder, facts *linkFacts) {
	path := l.fdDirectory(l.reader, l.slot(at.member)) + "/" + strconv.Itoa(int(at.fd))
	var st unix.Stat_t
	err := unix.Fstatat(l.reader.root, path, &st, unix.AT_SYMLINK_NOFOLLOW)
	facts.mode = st.Mode
	if err == nil && at.kind == linkPath {
		err = unix.Fstatat(l.reader.root, path, &st, 0)
		facts.dev, facts.ino = uint64(st.Dev), st.Ino
	}
	facts.gone, facts.untold = err != nil && gone(err), err != nil && !gone(err)
}

// vanished reports that a process no longer exists. The same inode proves that it
// does; if the inode differs, the start mark decides.
func (l *look) vanished(s *slot) bool {
	if l.scanner.stable {
		inode, ok := namespaceAt(l.reader.root, strconv.Itoa(int(s.pid)))
		if ok && inode == s.inode {
			return false
		}
	}
	row, _, err := l.reader.row(int(s.pid))
	return gone(err) || err == nil && row.ID != s.id()
}

// fdDirectory is the path of a process's descriptors below the proc directory.
func (l *look) fdDirectory(r *reader, s *slot) string {
	return r.living(s) + "/fd"
}

// hasOpenEnd reports that a search among all processes may tell more about a member.
func (m *member) hasOpenEnd() bool {
	for _, s := range []stream{m.stdin, m.stdout} {
		if stdio, _ := s.stdio.Get(); stdio.Peer == inventory.PeerOpen {
			return true
		}
	}
	return false
}
