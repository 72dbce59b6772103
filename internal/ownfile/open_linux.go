package ownfile

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// OpenAdmitted opens a file for reading after it has taken hold of it and admit has
// accepted it: a device or FIFO that has replaced the file meanwhile is examined and
// not opened.
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
