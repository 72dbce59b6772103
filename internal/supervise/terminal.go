package supervise

import (
	"os/signal"
	"syscall"
	"unsafe"
)

// terminal is the terminal on stdin, on which the server is the foreground job in
// reaperd's place. The zero value is none.
type terminal struct {
	on         bool
	foreground bool // at the start
}

// openTerminal finds out whether stdin is the controlling terminal.
func openTerminal() terminal {
	group, ok := foreground()
	return terminal{on: ok, foreground: ok && group == syscall.Getpgrp()}
}

// claim lets reaperd change the foreground job although it is not the foreground job
// itself. It is called after the start: the server would inherit it.
func (t terminal) claim() {
	if t.on {
		signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
	}
}

// suspend stops reaperd after the server was stopped, so that the shell notices.
func (t terminal) suspend() {
	if t.on {
		t.takeBack()
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	}
}

// resume continues the server after the shell has continued reaperd. It returns false
// if stdin is no terminal.
func (t terminal) resume(server int) bool {
	if !t.on {
		return false
	}
	if group, ok := foreground(); ok && group == syscall.Getpgrp() {
		setForeground(server)
	}
	_ = syscall.Kill(-server, syscall.SIGCONT)
	return true
}

// takeBack makes reaperd the foreground job again, unless the server was started in
// the background.
func (t terminal) takeBack() {
	if t.on {
		setForeground(syscall.Getpgrp())
	}
}

func foreground() (group int, ok bool) {
	var id int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, 0, syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&id)))
	return int(id), errno == 0
}

func setForeground(group int) {
	id := int32(group)
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, 0, syscall.TIOCSPGRP, uintptr(unsafe.Pointer(&id)))
}
