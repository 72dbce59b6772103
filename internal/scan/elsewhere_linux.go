package scan

// This file reads what processes have and their own tables of descriptors do not show.

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// addThreads adds to a process's table what its threads have in tables of their own.
func (l *look) addThreads(r *reader, i int, table *descriptors) error {
	if err := cmp.Or(table.err, table.rings); table.whole || table.dead || err != nil {
		return err
	}
	tasks := strconv.Itoa(int(l.slot(i).pid)) + "/task"
	threads, err := r.threadsApart(tasks, r.living(l.slot(i)), l.sameNumbers)
	var more []descriptor
	for at := 0; at < len(threads) && err == nil; at++ {
		table := tasks + "/" + strconv.Itoa(threads[at].number) + "/fd"
		apart := r.descriptors(r.root, table)
		for _, link := range apart.links {
			if link.fd != elsewhere {
				link.seen = linkLooked | r.direction(table+"/"+strconv.Itoa(int(link.fd)))
			}
			link.fd = elsewhere
			more = append(more, link)
		}
		err = cmp.Or(apart.err, apart.rings)
	}
	if err == nil {
		table.links, table.whole = append(table.links, more...), true
	}
	return err
}

// threadsApart are the threads of a process that do not have the table of the thread whose
// files are below base: nearly all have it.
func (r *reader) threadsApart(tasks, base string, sameNumbers bool) ([]entry, error) {
	const alone = 3 // the folder itself, its parent and one thread link to it
	var st unix.Stat_t
	if err := unix.Fstatat(r.root, tasks, &st, 0); err == nil && st.Nlink == alone {
		return nil, nil
	}
	threads, err := r.numbers(r.root, tasks)
	if gone(err) {
		err = nil
	}
	leader, _ := strconv.Atoi(path.Base(base))
	return slices.DeleteFunc(threads, func(thread entry) bool {
		return thread.number == leader || sameNumbers && haveOneTable(leader, thread.number)
	}), err
}

// haveOneTable reports that two threads share their descriptors, as far as the kernel tells.
func haveOneTable(a, b int) bool {
	const files = 2 // KCMP_FILES of include/uapi/linux/kcmp.h
	differ, _, failed := unix.RawSyscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), files, 0, 0, 0)
	return failed == 0 && differ == 0
}

// maxQueues is how many sockets are asked for what is on its way to them. What is on its way
// to others cannot be told: a user can open any number.
const maxQueues = 1 << 14

// readQueues counts the descriptors that were sent to the Unix sockets in the index and
// that nobody has received yet. A socket that is itself on its way needs no question:
// whatever is in its queue is in the hands of whoever has the socket that it was sent to.
func (l *look) readQueues() {
	here, err := l.net.here()
	last, asked := holder{member: -1}, 0
	for at := l.links.first(linkSocket, 0); at < len(l.links.links) && l.links.links[at].kind == linkSocket; at++ {
		link := l.links.links[at]
		isSame := link.member == last.member && link.key == last.key
		if !isSame && link.seen&queueless == 0 && (err != nil || here.mayBeSentTo(link.key)) {
			asked++
			l.readQueue(&link, err == nil && here.isUnix(link.key), asked <= maxQueues)
		}
		last = link
	}
}

// readQueue asks one socket of a process, which is listed if there is anything. Before Linux
// 5.6 the kernel does not show it of a Unix socket either.
func (l *look) readQueue(link *holder, isUnix, may bool) {
	err := error(unix.EBADF)
	var data []byte
	if may && link.fd != elsewhere {
		data, err = l.reader.once(l.reader.root, l.reader.living(l.slot(link.member))+"/fdinfo/"+strconv.Itoa(int(link.fd)))
	}
	shown := bytes.Contains(data, []byte("\nscm_fds:"))
	switch count := lineNumber(data, "scm_fds:"); {
	case gone(err):
	case err != nil || !shown && isUnix:
		l.list(link.member).hides, l.underWay = true, true
	case !shown:
		link.of.seen |= queueless
	case count > 0:
		l.list(link.member).unseen += int(count)
		l.underWay = true
	}
}
