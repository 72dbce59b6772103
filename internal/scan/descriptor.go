package scan

import (
	"bytes"
	"strconv"
)

// linkKind is the kind of thing that a descriptor's link names.
type linkKind uint8

const (
	linkOther linkKind = iota
	linkPipe
	linkSocket
	linkPath
	linkRing // an io_uring, with which descriptors may be registered
)

// parseLink reads the link of a descriptor: "pipe:[721053]", "socket:[81234]" with their
// inodes, a path, "anon_inode:[io_uring]", or something else.
func parseLink(link []byte) (linkKind, uint64) {
	for _, form := range []struct {
		prefix string
		kind   linkKind
	}{{"pipe:[", linkPipe}, {"socket:[", linkSocket}} {
		if rest, ok := bytes.CutPrefix(link, []byte(form.prefix)); ok {
			if inode, err := strconv.ParseUint(string(bytes.TrimSuffix(rest, []byte("]"))), 10, 64); err == nil {
				return form.kind, inode
			}
		}
	}
	switch {
	case bytes.HasPrefix(link, []byte("/")):
		return linkPath, 0
	case string(link) == "anon_inode:[io_uring]":
		return linkRing, 0
	}
	return linkOther, 0
}

// descriptor is an open descriptor that has, or may have, another end.
type descriptor struct {
	fd   int32 // or elsewhere
	kind linkKind
	seen linkFacts
	key  uint64 // the inode of a pipe or socket, and of a path 0
}

// name is the link of a pipe or socket.
func (d descriptor) name() string {
	link := append(make([]byte, 0, 32), "socket:["...)
	if d.kind == linkPipe {
		link = append(link[:0], "pipe:["...)
	}
	return string(append(strconv.AppendUint(link, d.key, 10), ']'))
}

// isMore reports that a descriptor is none of stdin, stdout and stderr.
func (d descriptor) isMore() bool { return d.fd > 2 || d.fd == elsewhere }

// elsewhere is the number of a descriptor that is not in its process's own table. A list of
// holders is to be whole, so a walk over all processes asks for whatever a table does not show:
//
//	where an end may be             what shows it
//	a thread's own table            kcmp(2) tells which threads have one; its links
//	registered with an io_uring     fdinfo of the ring's descriptor names it
//	on its way to a socket          fdinfo of the socket counts what is in its queue: [inventory.Process.UnseenFDs]. sock_diag
//	                                  tells first which sockets have a queue
//
// What could not be asked makes the process's descriptors unreadable. Nothing shows the
// descriptors of an io_uring that nobody has as a descriptor any more (it is mapped, or
// registered itself), of requests that the kernel is busy with, and of the kernel's own
// services (a mount of 9p, a network block device).
const elsewhere = -1

// holder is one descriptor of a process of a look, by the process's index.
type holder struct {
	descriptor
	member int
	of     *descriptor // the same in its process's table, which is kept
}

// end describes the other end of a stream as it would appear among descriptors: the
// link and, for pipes, the direction. The zero value describes none.
type end struct {
	kind linkKind
	key  uint64
	// mode is what a holder's descriptor is open for: writable for a stdin, readable
	// for a stdout; 0 is any (sockets).
	mode linkFacts
}

// linkFacts are what was found out about a descriptor; 0 is that nobody has looked.
type linkFacts uint8

const (
	linkLooked linkFacts = 1 << iota
	linkGone             // closed by now, or its process has exited
	linkUntold           // could not be looked at: it may be anything
	readable
	writable
	queueless // a socket that is no Unix socket: no descriptors can be sent to it
)

// fits reports that a descriptor is open for what is searched for. What could not be
// told counts as that.
func (f linkFacts) fits(other end) bool {
	switch {
	case f&linkGone != 0:
		return false
	case f&linkUntold != 0 || other.mode == 0:
		return true
	}
	return f&other.mode != 0
}

// descriptors are what a process has open.
type descriptors struct {
	count int          // in its own table
	links []descriptor // those that have, or may have, another end
	whole bool         // those of threads with tables of their own are there too
	dead  bool         // nothing was read: the process has exited
	err   error        // not nil: could not be read, it may hold anything
	rings error        // not nil: what is registered with an io_uring could not be told
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

// parseRing reads what is registered with an io_uring from the fdinfo of its descriptor.
// It is untold if the kernel did not print it, as while somebody uses the ring, or prints
// less of a file than its link has, as old kernels do.
func parseRing(fdinfo []byte) (links []descriptor, told bool) {
	_, table, found := bytes.Cut(fdinfo, []byte("\nUserFiles:\t"))
	size, table, _ := bytes.Cut(table, []byte("\n"))
	if !found {
		return nil, false
	}
	rows := 0
	for line := range bytes.Lines(table) {
		number, name, isRow := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		if _, err := strconv.ParseUint(string(bytes.TrimSpace(number)), 10, 64); err != nil || !isRow {
			break
		}
		rows++
		kind, key := parseLink(name)
		switch {
		case kind == linkOther && !bytes.HasPrefix(name, []byte("anon_inode:")):
			return nil, false
		case kind != linkOther:
			links = append(links, descriptor{fd: elsewhere, kind: kind, key: key, seen: linkLooked | linkUntold})
		}
	}
	return links, rows > 0 || string(size) == "0"
}
