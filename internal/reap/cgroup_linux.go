package reap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cgroup is the folder of a version 2 control group; "" is none.
type cgroup string

// cgroupOf is the control group of a process.
func cgroupOf(pid int) cgroup {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	lines, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return ""
	}
	mount, path := unifiedMount(string(mounts)), unifiedPath(string(lines))
	if mount == "" || path == "" {
		return ""
	}
	return cgroup(filepath.Join(mount, path))
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

func (c cgroup) write(name, text string) error {
	file, err := os.OpenFile(c.file(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// freeze freezes the group and waits until it is frozen, at most for within.
func (c cgroup) freeze(within time.Duration) error {
	if err := c.write("cgroup.freeze", "1"); err != nil {
		return err
	}
	for deadline := time.Now().Add(within); ; rest(time.Millisecond) {
		events, err := os.ReadFile(c.file("cgroup.events"))
		if err != nil || isFrozen(string(events)) || time.Now().After(deadline) {
			return err
		}
	}
}

func (c cgroup) thaw() error { return c.write("cgroup.freeze", "0") }

// kill kills the whole group, processes that are just being forked included.
func (c cgroup) kill() error { return c.write("cgroup.kill", "1") }

// thawFrozen thaws a group that was left frozen. It reports whether it was.
func thawFrozen(c cgroup) (bool, error) {
	if c == "" {
		return false, nil
	}
	text, err := os.ReadFile(c.file("cgroup.freeze"))
	if err != nil || strings.TrimSpace(string(text)) != "1" {
		return false, nil
	}
	return true, c.thaw()
}
