package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate takes disk space behind the end of the file without making the file
// longer. A file system that cannot do that (NFS before 4.2, some FUSE) promises
// nothing: there the intention has to be written before an act, and an outcome may
// wait in memory for a disk that is full.
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
