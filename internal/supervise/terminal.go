package supervise

import (
	"syscall"
	"unsafe"
)

// onTerminal reports that stdin is the controlling terminal. The server is then one job with
// reaperd, so that the keys that interrupt or stop a job, and the shell that continues it,
// reach both.
func onTerminal() bool {
	var group int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, 0, syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return errno == 0
}
