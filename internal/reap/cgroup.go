package reap

import (
	"path"
	"strings"
)

// execGroupIn finds in /proc/PID/cgroup the version 2 group that `reaperd exec` made for its
// server (newCgroup of internal/supervise): "reaperd-exec-" and its PID. It is "" for any
// other group, and for one outside this namespace.
func execGroupIn(cgroup string) string {
	for line := range strings.Lines(cgroup) {
		at, unified := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		pid, named := strings.CutPrefix(path.Base(at), "reaperd-exec-")
		isOfExec := named && pid != "" && strings.Trim(pid, "0123456789") == ""
		if unified && isOfExec && path.IsAbs(at) && at == path.Clean(at) && !strings.HasPrefix(at, "/..") {
			return at
		}
	}
	return ""
}
