//go:build darwin || freebsd

package cli

import "golang.org/x/sys/unix"

// toRead is FREAD of sys/fcntl.h, by which TIOCFLUSH means the queue of input.
const toRead = 1

// discardTyped throws away what was typed and not yet read (tty(4), TIOCFLUSH).
func discardTyped(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, toRead) }
