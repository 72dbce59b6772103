package reap

import (
	"path"
	"strings"
)

// unifiedMount finds in /proc/self/mountinfo the mount point of cgroup version 2's
// root; "" if there is none. If several mounts share a place, the last one counts.
func unifiedMount(mountinfo string) string {
	at := ""
	for line := range strings.Lines(mountinfo) {
		place, source, _ := strings.Cut(line, " - ")
		words, kind := strings.Fields(place), strings.Fields(source)
		if len(words) >= 5 && len(kind) > 0 && kind[0] == "cgroup2" && words[3] == "/" {
			at = words[4]
		}
	}
	return at
}

// unifiedPath finds in /proc/PID/cgroup the process's version 2 group; "" if it
// cannot be a tree's own: the root, or a group outside this namespace.
func unifiedPath(cgroup string) string {
	for line := range strings.Lines(cgroup) {
		if at, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			if at == "/" || at != path.Clean(at) || strings.HasPrefix(at, "/..") || !strings.HasPrefix(at, "/") {
				return ""
			}
			return at
		}
	}
	return ""
}

// isOfExec reports the name of a group that `reaperd exec` makes for its server (newCgroup of
// internal/supervise): "reaperd-exec-" and its PID.
func isOfExec(group string) bool {
	pid, ok := strings.CutPrefix(path.Base(group), "reaperd-exec-")
	return ok && pid != "" && strings.Trim(pid, "0123456789") == ""
}
