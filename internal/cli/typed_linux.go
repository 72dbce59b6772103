package cli

import "golang.org/x/sys/unix"

// discardTyped throws away what was typed and not yet read (termios(3), tcflush).
func discardTyped(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
