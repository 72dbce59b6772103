package state

import "golang.org/x/sys/unix"

// uidOf is the effective user of a process; -1 if there is none.
func uidOf(pid int) int {
	process, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(process.Proc.P_pid) != pid {
		return -1
	}
	return int(process.Eproc.Ucred.Uid)
}
