package scan

import (
	"io/fs"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
)

// handle is one process, held by a descriptor of its /proc directory. Reading through
// it fails once the process has exited: it never shows a later process with the same
// PID.
type handle struct {
	r   *reader
	dir int
	pid int
	// below is where the process's files are: "", or "task/TID/" if its leading
	// thread has exited.
	below string
	// dead marks a zombie, which has no descriptors.
	dead bool
	// sameNumbers means that pidfd_open uses the same PIDs.
	sameNumbers bool
}

// open opens the process of a slot: the same inode is the same process, if inodes tell
// processes apart, else the start mark tells. If that process is no longer there, the error
// is one for which gone holds.
func (r *reader) open(slot *slot, byInode, sameNumbers bool) (*handle, error) {
	dir, err := unix.Openat(r.root, strconv.Itoa(int(slot.pid)), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	h, is := &handle{r: r, dir: dir, pid: int(slot.pid), sameNumbers: sameNumbers}, slot.condition
	var st unix.Stat_t
	if unix.Fstat(dir, &st) != nil || !byInode || st.Ino != slot.inode {
		s, err := h.stat()
		if err == nil && s.Start != slot.start {
			err = fs.ErrNotExist
		}
		if err != nil {
			h.close()
			return nil, err
		}
		is = s.Condition()
	}
	h.take(is)
	return h, nil
}

// take notes how much of the process can be read.
func (h *handle) take(c procstat.Condition) {
	h.dead = c == procstat.Exited
	if c == procstat.Headless {
		h.below = "task/" + strconv.Itoa(h.r.livingThread(h.dir, "task")) + "/"
	}
}

func (h *handle) close() { unix.Close(h.dir) }

func (h *handle) stat() (procstat.Stat, error) {
	line, err := h.r.once(h.dir, "stat")
	if err != nil {
		return procstat.Stat{}, err
	}
	return procstat.Parse(line)
}

// alive reports that the process still exists; a zombie does.
func (h *handle) alive() bool {
	var st unix.Stat_t
	return unix.Fstatat(h.dir, "stat", &st, 0) == nil
}

// hasExited reports that nothing of the process runs any more.
func (h *handle) hasExited() bool {
	s, err := h.stat()
	return err != nil || s.Condition() == procstat.Exited
}

// text reads a file of the process; "" if it cannot be read. A line is what the kernel
// returns in one read.
func (h *handle) text(name string, isLine bool) string {
	data, _ := h.r.read(h.dir, h.below+name, !isLine)
	return string(data)
}

// ioChars is the characters read and written; not recorded if the kernel does not
// count them.
func (h *handle) ioChars() inventory.Fact[uint64] {
	data, err := h.r.once(h.dir, "io")
	if err == unix.ENOENT && h.alive() {
		return inventory.Fact[uint64]{}
	}
	if err != nil {
		return inventory.Unreadable[uint64]()
	}
	return inventory.Known(lineNumber(data, "rchar:") + lineNumber(data, "wchar:"))
}

// pss reads the proportional set size, in bytes, from smaps_rollup; 0 if it cannot be
// read.
func (r *reader) pss(fd int) uint64 {
	data, err := r.readOpen(fd, false)
	if err != nil {
		return 0
	}
	return lineNumber(data, "Pss:") * 1024
}

// namespace is the inode of one of the process's namespaces; false if unreadable.
func (h *handle) namespace(name string) (uint64, bool) {
	return namespaceAt(h.dir, h.below+"ns/"+name)
}

func namespaceAt(dir int, link string) (uint64, bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, link, &st, 0); err != nil {
		return 0, false
	}
	return st.Ino, true
}

// containerFile reads the container id from the file of a --cidfile; "" if there is
// none yet. The file must be a regular one of the process's user. That is checked
// before it is opened, because opening a device or a FIFO has effects. No more than a
// full id is read.
func (h *handle) containerFile(name string, uid int) string {
	from, resolve := "cwd", uint64(unix.RESOLVE_NO_MAGICLINKS)
	if path.IsAbs(name) {
		from, resolve = "root", resolve|unix.RESOLVE_IN_ROOT
	}
	dir, err := unix.Openat(h.dir, h.below+from, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(dir)
	found, err := unix.Openat2(dir, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: resolve})
	if err != nil {
		return ""
	}
	defer unix.Close(found)
	var st unix.Stat_t
	if err := unix.Fstat(found, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != uid {
		return ""
	}
	return readID("/proc/self/fd/" + strconv.Itoa(found))
}

// readID is the full container id in a file; "" if there is none.
func readID(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	id := make([]byte, 64)
	n, _ := unix.Read(fd, id)
	if n <= 0 || !inventory.IsContainerID(string(id[:n])) {
		return ""
	}
	return string(id)
}

// descriptors reads a process's descriptor table.
func (h *handle) descriptors() *descriptors {
	if h.dead {
		return &descriptors{dead: true}
	}
	table := h.r.descriptors(h.dir, h.below+"fd")
	if table.err == nil && table.count == 0 && h.hasExited() {
		return &descriptors{dead: true}
	}
	return table
}

// fdPath is the path of a descriptor's link below the handle.
func (h *handle) fdPath(fd int) string { return h.below + "fd/" + strconv.Itoa(fd) }
