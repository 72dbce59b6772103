package scan

import "bytes"

// linkKind is what a descriptor's link says it is.
type linkKind uint8

const (
	linkOther linkKind = iota
	linkPipe
	linkSocket
	linkPath
)

// parseLink reads the link of a descriptor: "pipe:[721053]", "socket:[81234]",
// a path, or something else ("anon_inode:[eventpoll]").
func parseLink(link []byte) (linkKind, uint64) {
	for _, form := range []struct {
		prefix string
		kind   linkKind
	}{{"pipe:[", linkPipe}, {"socket:[", linkSocket}} {
		if rest, ok := bytes.CutPrefix(link, []byte(form.prefix)); ok {
			f := fields{rest: bytes.TrimSuffix(rest, []byte("]"))}
			if inode := f.unsigned(); !f.bad {
				return form.kind, inode
			}
		}
	}
	if bytes.HasPrefix(link, []byte("/")) {
		return linkPath, pathKey(link)
	}
	return linkOther, 0
}

// pathKey is a number that two links have in common only if they are very
// likely the same path (FNV-1a); what matches is verified.
func pathKey(link []byte) uint64 {
	key := uint64(14695981039346656037)
	for _, c := range link {
		key = (key ^ uint64(c)) * 1099511628211
	}
	return key
}

// descriptor is one open descriptor that has, or may have, another end.
type descriptor struct {
	fd   int32
	kind linkKind
	key  uint64 // inode, or pathKey
}

// holder is one descriptor of a process of a look, by its index there.
type holder struct {
	descriptor
	member int
	// seen is what the descriptor's link was found to be; empty where nobody has
	// looked. of is the same descriptor in its process's table, which is kept.
	seen linkFacts
	of   *holder
}

// end names the other end of a stream among all descriptors: which link a
// holder of it has, and for pipes in which direction. The zero value names none.
type end struct {
	kind linkKind
	key  uint64
	// mode is the permission bit that a holder's link has: 0200 for what
	// writes to a stdin, 0400 for what reads a stdout. 0 is any (sockets).
	mode uint32
	// dev and ino verify a FIFO, whose key is only its path's.
	dev, ino uint64
}

// linkFacts are what the file system says of a descriptor's link, and of what it
// is open on.
type linkFacts struct {
	looked   bool
	gone     bool // closed by now, or its process has ended
	untold   bool // could not be looked at: it may be anything
	mode     uint32
	dev, ino uint64 // of what a path leads to
}

// fits reports that a descriptor is the end that is looked for. What could not be
// told fits.
func (f linkFacts) fits(other end) bool {
	switch {
	case f.gone:
		return false
	case f.untold || other.mode == 0:
		return true
	case f.mode&other.mode == 0:
		return false
	}
	return other.kind != linkPath || f.dev == other.dev && f.ino == other.ino
}

// descriptors is a process's descriptor table.
type descriptors struct {
	count int
	links []holder
	dead  bool  // nothing was read: the process has ended
	err   error // not nil: could not be read, it may hold anything
}

// sockets are the inodes of the sockets in the table.
func (d *descriptors) sockets() []uint64 {
	var inodes []uint64
	for _, link := range d.links {
		if link.kind == linkSocket {
			inodes = append(inodes, link.key)
		}
	}
	return inodes
}
