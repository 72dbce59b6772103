package reap

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroup is the folder of a version 2 control group; "" is none.
type cgroup string

// unified are the places where version 2 is mounted: alone, and beside version 1.
func unified() []string { return []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} }

// execGroupOf is the control group that `reaperd exec` made for a process; "" if it runs in
// another. Its folder belongs to the process's user: nobody but he and root could have made
// it, and put the process there.
func execGroupOf(pid int) cgroup {
	lines, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	below := execGroupIn(string(lines))
	if err != nil || below == "" {
		return ""
	}
	for _, mount := range unified() {
		group := cgroup(filepath.Join(mount, below))
		var folder, process unix.Stat_t
		if unix.Stat(string(group), &folder) == nil && unix.Stat(fmt.Sprintf("/proc/%d", pid), &process) == nil && folder.Uid == process.Uid && group.canKill() {
			return group
		}
	}
	return ""
}

// processes are the PIDs in the group and in those below it; 0 stands for a process
// of another PID namespace.
func (c cgroup) processes() (pids []int, err error) {
	err = filepath.WalkDir(string(c), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(name, "cgroup.procs"))
		if err != nil {
			return err
		}
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				return err
			}
			pids = append(pids, pid)
		}
		return nil
	})
	return pids, err
}

// canKill reports that the kernel can kill a group as a whole (5.14 and later) and
// that this process may ask for it.
func (c cgroup) canKill() bool {
	file, err := os.OpenFile(c.file("cgroup.kill"), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return file.Close() == nil
}

func (c cgroup) file(name string) string { return filepath.Join(string(c), name) }

// kill kills the whole group, processes that are just being forked included.
func (c cgroup) kill() error { return os.WriteFile(c.file("cgroup.kill"), []byte("1"), 0) }
