package inventory

import (
	"slices"
	"strings"
)

// ContainerIn finds the innermost container in a cgroup path and returns its full id,
// or "". It knows the paths of Docker, containerd, CRI-O and Podman, with the
// cgroupfs and the systemd driver. LXC has no such ids.
func ContainerIn(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range slices.Backward(segments) {
		id := strings.TrimSuffix(segment, ".scope")
		if dash := strings.LastIndexByte(id, '-'); dash >= 0 && isEngine(id[:dash]) {
			id = id[dash+1:]
		}
		if IsContainerID(id) && !slices.ContainsFunc(segments[:i], isLXC) {
			return id
		}
	}
	return ""
}

func isEngine(prefix string) bool {
	return slices.Contains([]string{"docker", "cri-containerd", "crio", "libpod", "nerdctl"}, prefix)
}

func isLXC(segment string) bool {
	return segment == "lxc" || strings.HasPrefix(segment, "lxc.") || strings.HasPrefix(segment, "lxc-")
}

// IsContainerID reports a full id: 64 lower case hex digits.
func IsContainerID(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
