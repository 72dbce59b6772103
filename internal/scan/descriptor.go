package scan

import "bytes"

// linkKind is the kind of thing that a descriptor's link names.
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

// pathKey is a hash of a path (FNV-1a). Equal hashes are only very likely the same
// path: a match is verified.
func pathKey(link []byte) uint64 {
	key := uint64(14695981039346656037)
	for _, c := range link {
		key = (key ^ uint64(c)) * 1099511628211
	}
	return key
}

// descriptor is an open descriptor that has, or may have, another end.
type descriptor struct {
	fd   int32
	kind linkKind
	key  uint64 // inode, or pathKey
}

// holder is one descriptor of a process of a look, by the process's index.
type holder struct {
	descriptor
	member int
	// seen is what was found out about the descriptor's link; empty if nobody has
	// looked. of is the same descriptor in its process's table, which is kept.
	seen linkFacts
	of   *holder
}

// end describes the other end of a stream as it would appear among descriptors: the
// link and, for pipes, the direction. The zero value describes none.
type end struct {
	kind linkKind
	key  uint64
	// mode is the permission bit of a holder's link: 0200 to write to a stdin, 0400
	// to read a stdout; 0 is any (sockets).
	mode uint32
	// dev and ino verify a FIFO: its key is only the hash of its path.
	dev, ino uint64
}

// linkFacts are the file system's answer about a descriptor's link and about the file
// behind it.
type linkFacts struct {
	looked   bool
	gone     bool // closed by now, or its process has exited
	untold   bool // could not be looked at: it may be anything
	mode     uint32
	dev, ino uint64 // of what a path leads to
}

// fits reports that a descriptor is the end that is searched for. What could not be told
// counts as that end.
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
	dead  bool  // nothing was read: the process has exited
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
