package scan

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// cgroupOf reads /proc/PID/cgroup: the path below the cgroup root, and the
// innermost container it lies in (empty is none known). Of version 1's many
// hierarchies one that names a container is taken, else systemd's own, else
// the longest.
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

// containerInMounts finds a container's id in /proc/PID/mountinfo, where an
// engine has put the files it writes for every container. It serves where the
// cgroup namespace shows nothing but "/"; empty is not known.
func containerInMounts(data string) string {
	for line := range strings.Lines(data) {
		words := strings.Fields(line)
		if len(words) < 5 || !slices.Contains([]string{"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"}, words[4]) {
			continue
		}
		segments := strings.Split(words[3], "/")
		for i := 1; i < len(segments); i++ {
			if isFullID(segments[i]) && strings.HasSuffix(segments[i-1], "containers") {
				return segments[i]
			}
		}
	}
	return ""
}

// hidesProcesses reads the mount options of the proc file system at root from
// /proc/self/mountinfo: whether other users' processes may be hidden. The last
// mount on a place is the one that shows.
func hidesProcesses(mountinfo, root string) bool {
	hides := false
	for line := range strings.Lines(mountinfo) {
		words := strings.Fields(line)
		if len(words) < 5 || words[4] != root {
			continue
		}
		hides = slices.ContainsFunc(strings.Split(words[len(words)-1], ","), func(option string) bool {
			value, ok := strings.CutPrefix(option, "hidepid=")
			return ok && value != "0" && value != "off"
		})
	}
	return hides
}
