package ownfile

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// OpenAdmitted opens a file for reading once it is held and admitted: what has
// taken its place since it was found, a device or a FIFO, is looked at and not
// opened.
func OpenAdmitted(root *os.Root, name string, admit func(fs.FileInfo) error) (*os.File, error) {
	held, err := root.OpenFile(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	info, err := held.Stat()
	if err == nil {
		err = admit(info)
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(held.Fd())), os.O_RDONLY|unix.O_NONBLOCK, 0)
}
