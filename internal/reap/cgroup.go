package reap

import (
	"path"
	"strings"
)

// unifiedMount finds in /proc/self/mountinfo where control groups of version 2 are
// mounted from their root on; empty is nowhere. The last mount on a place counts.
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

// unifiedPath finds in /proc/PID/cgroup the group of version 2; empty is none that
// could be a tree's own: the root, or one outside of this namespace.
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

// isFrozen reads cgroup.events.
func isFrozen(events string) bool {
	for line := range strings.Lines(events) {
		if strings.TrimSuffix(line, "\n") == "frozen 1" {
			return true
		}
	}
	return false
}
