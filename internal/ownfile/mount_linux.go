package ownfile

import "golang.org/x/sys/unix"

// isReadOnlyMount reports that something is mounted read-only at exactly this path
// (statx since Linux 5.8; false on an older one).
func isReadOnlyMount(path string) bool {
	var at unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_NO_AUTOMOUNT, unix.STATX_BASIC_STATS, &at); err != nil {
		return false
	}
	if at.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0 {
		return false
	}
	var system unix.Statfs_t
	return unix.Statfs(path, &system) == nil && system.Flags&unix.ST_RDONLY != 0
}
