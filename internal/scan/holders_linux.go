package scan

import (
	"bytes"
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
	keyed bool // so are the keys of the FIFOs among them
	// ends are the results of searches since links were last added.
	ends map[end]*held
}

// held is the processes that hold an end.
type held struct{ members, pids []int }

// byLink orders descriptors by what they are open on, then by process.
func byLink(a, b holder) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key), cmp.Compare(a.member, b.member))
}

func (x *index) add(links ...holder) { x.links, x.keyed = append(x.links, links...), false }

// settle makes added descriptors visible to searches.
func (x *index) settle() {
	x.ends = nil
	slices.SortFunc(x.links, byLink)
}

// first is where the descriptors begin that are open on something.
func (x *index) first(kind linkKind, key uint64) int {
	at, _ := slices.BinarySearchFunc(x.links, holder{descriptor: descriptor{kind: kind, key: key}, member: -1}, byLink)
	return at
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
				l.links.add(holder{descriptor: table.links[at], member: i, of: &table.links[at]})
			}
			l.members[i].indexed = len(table.links)
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
	stdio, _ := member.process.Stdin.Get()
	if !l.matters(i) && stdio.Peer == inventory.PeerOpen {
		return true
	}
	if member.gone || l.slot(i).adopted || member.process.Stdin.IsZero() {
		return false
	}
	if parent, ok := l.parent(i); ok && !l.isAnchored(parent) {
		return false
	}
	canLose := stdio.Connected() && (stdio.Peer == inventory.PeerOpen || stdio.Peer == inventory.PeerClosed)
	return !canLose || l.heldFromAbove(i, &member.stdin)
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

func (l *look) above(i int) iter.Seq[int] { return above(l, i, len(l.members)) }

func (l *look) isBelow(i, root int) bool { return isBelow(l, i, root, len(l.members)) }

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
		l.findFIFOs()
	}
	found := &held{pids: []int{}}
	links := l.links.links
	for at := l.links.first(other.kind, other.key); at < len(links) && links[at].kind == other.kind && links[at].key == other.key; at++ {
		i := links[at].member
		if last := len(found.members) - 1; last >= 0 && found.members[last] == i || !l.isEnd(&links[at], other) {
			continue
		}
		found.members, found.pids = append(found.members, i), append(found.pids, int(l.slot(i).pid))
	}
	return found
}

// isEnd verifies that a descriptor is the end that is searched for, and that its process
// still has it. What cannot be verified counts as that end.
func (l *look) isEnd(at *holder, other end) bool {
	member := l.members[at.member]
	return l.factsOf(at).fits(other) && (member == nil || !member.gone)
}

// findFIFOs gives the paths in the index that lead to what has lost its name the key of that,
// since others can remove a name. Other files are not asked: a network's may never answer.
func (l *look) findFIFOs() {
	if l.links.keyed {
		return
	}
	for at := l.links.first(linkPath, 0); at < len(l.links.links) && l.links.links[at].kind == linkPath; at++ {
		path := &l.links.links[at]
		if path.fd == elsewhere { // whatever it leads to
			l.list(path.member).hides = true
			continue
		}
		link, err := l.reader.readlink(l.reader.root, l.linkOf(path))
		if err != nil || !bytes.HasSuffix(link, []byte(" (deleted)")) {
			continue
		}
		var st unix.Stat_t
		if unix.Fstatat(l.reader.root, l.linkOf(path), &st, 0) == nil {
			path.key = fifoKey(&st)
		}
	}
	l.links.settle()
	l.links.keyed = true
}

// fifoKey tells FIFOs apart. Two may get the same key, which keeps.
func fifoKey(st *unix.Stat_t) uint64 { return st.Ino ^ uint64(st.Dev)<<32 }

// factsOf is what is found out about a descriptor, once.
func (l *look) factsOf(at *holder) linkFacts {
	if at.seen&linkLooked == 0 {
		at.seen |= l.inspect(at)
		if at.seen&(linkGone|linkUntold) == 0 {
			at.of.seen |= at.seen
		}
	}
	return at.seen
}

// inspect examines a descriptor's link and, if the process was read by PID, whether
// it is still that process.
func (l *look) inspect(at *holder) linkFacts {
	facts := linkLooked
	if at.kind != linkSocket {
		facts |= l.reader.direction(l.linkOf(at))
	}
	if member := l.members[at.member]; (member == nil || member.table == nil) && l.vanished(l.slot(at.member)) { // read by PID
		facts |= linkGone
	}
	return facts
}

// direction tells by the permission bits of a descriptor's link what it is open for.
func (r *reader) direction(link string) (facts linkFacts) {
	var st unix.Stat_t
	err := unix.Fstatat(r.root, link, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err != nil && gone(err):
		return linkGone
	case err != nil:
		return linkUntold
	}
	if st.Mode&0o400 != 0 {
		facts |= readable
	}
	if st.Mode&0o200 != 0 {
		facts |= writable
	}
	return facts
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

// linkOf is the path of a descriptor's link below the proc directory.
func (l *look) linkOf(h *holder) string {
	return l.reader.living(l.slot(h.member)) + "/fd/" + strconv.Itoa(int(h.fd))
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
