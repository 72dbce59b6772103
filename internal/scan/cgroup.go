package scan

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// cgroupOf reads /proc/PID/cgroup: the path below the cgroup root, and the innermost
// container in it ("" if none is known). Of version 1's many hierarchies it takes one
// that names a container, else systemd's, else the longest.
func cgroupOf(data string) (cgroup, container string) {
	rank := -1
	for line := range strings.Lines(data) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, ok := strings.Cut(rest, ":")
		if !ok || path == "" {
			continue
		}
		id := inventory.ContainerIn(path)
		if r := cgroupRank(controllers, path, id); r > rank {
			rank, cgroup, container = r, path, id
		}
	}
	return cgroup, container
}

func cgroupRank(controllers, path, id string) int {
	switch {
	case id != "":
		return 3
	case path == "/":
		return 0
	case controllers == "" || controllers == "name=systemd":
		return 2
	}
	return 1
}

// containerInMounts finds a container's id in /proc/PID/mountinfo, among the files
// that engines mount into every container; "" if there is none. It helps where the
// cgroup namespace shows only "/".
func containerInMounts(data string) string {
	for line := range strings.Lines(data) {
		words := strings.Fields(line)
		if len(words) < 5 || !slices.Contains([]string{"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"}, words[4]) {
			continue
		}
		segments := strings.Split(words[3], "/")
		for i := 1; i < len(segments); i++ {
			if inventory.IsContainerID(segments[i]) && strings.HasSuffix(segments[i-1], "containers") {
				return segments[i]
			}
		}
	}
	return ""
}

// hidesProcesses reads the options of the mount at /proc from
// /proc/self/mountinfo, and reports that other users' processes may be hidden. The
// last mount on a place is the visible one.
func hidesProcesses(mountinfo string) bool {
	hides := false
	for line := range strings.Lines(mountinfo) {
		words := strings.Fields(line)
		if len(words) < 5 || words[4] != "/proc" {
			continue
		}
		hides = slices.ContainsFunc(strings.Split(words[len(words)-1], ","), func(option string) bool {
			value, ok := strings.CutPrefix(option, "hidepid=")
			return ok && value != "0" && value != "off"
		})
	}
	return hides
}
