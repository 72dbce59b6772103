package ownfile

import "golang.org/x/sys/unix"

// isReadOnlyMount reports whether a file or folder is where something is mounted,
// and read-only (statx since Linux 5.8; an older one says no).
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
