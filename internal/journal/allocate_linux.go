package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate reserves disk space behind the end of the file without making the file
// longer. Some file systems cannot (NFS before 4.2, some FUSE). There only the
// intention must be written before an act; if the disk is full, the outcome waits in
// memory.
func allocate(file *os.File, at, bytes int64) error {
	for {
		err := unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, at, bytes)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		case err != nil:
			return os.NewSyscallError("set space aside", err)
		}
		return nil
	}
}
