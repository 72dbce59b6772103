//go:build linux || darwin

package supervise

import "syscall"

// hangsUp reports a descriptor with another end, which can be closed.
func hangsUp(fd int) bool {
	var stat syscall.Stat_t
	if syscall.Fstat(fd, &stat) != nil {
		return false
	}
	kind := stat.Mode & syscall.S_IFMT
	return kind == syscall.S_IFIFO || kind == syscall.S_IFSOCK
}
