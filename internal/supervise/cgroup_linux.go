package supervise

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

// cgroup2 is the magic number of the cgroup version 2 file system (statfs(2)).
const cgroup2 = 0x63677270

// cgroup is a group for the server, below reaperd's own. The zero value is none.
type cgroup struct {
	folder string
	fd     int // open until the server is started
}

// newCgroup makes a group if reaperd's own is delegated to the user who runs it.
// Otherwise groups belong to the service manager, and there is none.
func newCgroup() cgroup {
	path, ok := parseCgroup(string(slurp("/proc/self/cgroup")))
	root := unified()
	parent := root + path
	if !ok || root == "" || !delegated(parent) {
		return cgroup{}
	}
	g := cgroup{folder: parent + "/" + folderPrefix + strconv.Itoa(syscall.Getpid())}
	if os.Mkdir(g.folder, 0o755) != nil {
		return cgroup{}
	}
	var err error
	g.fd, err = syscall.Open(g.folder, syscall.O_DIRECTORY|syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		g.remove()
	}
	return g
}

// unified is the mount point of cgroup version 2, beside version 1 or alone.
func unified() string {
	for _, folder := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var stat syscall.Statfs_t
		if syscall.Statfs(folder, &stat) == nil && stat.Type == cgroup2 {
			return folder
		}
	}
	return ""
}

// delegated reports that the user may create groups there, or that systemd has
// delegated it to root (systemd's CGROUP_DELEGATION document: trusted.delegate,
// user.delegate).
func delegated(folder string) bool {
	if os.Geteuid() != 0 {
		const write = 2
		return syscall.Access(folder, write) == nil && syscall.Access(folder+"/cgroup.procs", write) == nil
	}
	for _, mark := range []string{"trusted.delegate", "user.delegate"} {
		value := make([]byte, 1)
		if n, err := syscall.Getxattr(folder, mark, value); err == nil && n == 1 && value[0] == '1' {
			return true
		}
	}
	return false
}

func (g *cgroup) isOpen() bool { return g.folder != "" }

// settle closes the descriptor that only the start needs.
func (g *cgroup) settle() {
	if g.fd > 0 {
		_ = syscall.Close(g.fd)
		g.fd = 0
	}
}

// kill sends SIGKILL to the whole group at once (Linux 5.14 and later).
func (g *cgroup) kill() {
	if g.isOpen() {
		_ = os.WriteFile(g.folder+"/cgroup.kill", []byte("1"), 0)
	}
}

// The group stays occupied until the last of its processes has left the kernel, a
// moment after it was waited for. One that is listed after longer is to stay: a
// person's browser.
const (
	removeEvery   = 5 * time.Millisecond
	listedWithin  = 200 * time.Millisecond
	removedWithin = time.Second
)

// remove removes the group. The system refuses that while a process is in it.
func (g *cgroup) remove() {
	g.settle()
	folder := g.folder
	g.folder = ""
	if folder == "" {
		return
	}
	for waited := time.Duration(0); waited <= removedWithin; waited += removeEvery {
		if err := syscall.Rmdir(folder); err != syscall.EBUSY {
			return
		}
		if waited >= listedWithin && len(slurp(folder+"/cgroup.procs")) > 0 {
			return
		}
		time.Sleep(removeEvery)
	}
}
