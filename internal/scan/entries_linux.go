package scan

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// entry is one directory entry whose name is a number.
type entry struct {
	number int
	inode  uint64
}

// numbers lists the numeric names of a directory, in ascending order.
func (r *reader) numbers(dir int, path string) ([]entry, error) { return r.list(nil, dir, path) }

// list is numbers, in memory that is there already.
func (r *reader) list(entries []entry, dir int, path string) ([]entry, error) {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	entries, err = r.appendEntries(entries, fd)
	if err != nil {
		return nil, err
	}
	byNumber := func(a, b entry) int { return a.number - b.number }
	if !slices.IsSortedFunc(entries, byNumber) {
		slices.SortFunc(entries, byNumber)
	}
	return entries, nil
}

// appendEntries reads an open directory to its end.
func (r *reader) appendEntries(entries []entry, fd int) ([]entry, error) {
	for {
		n, err := unix.Getdents(fd, r.buf)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return entries, nil
		default:
			entries = appendNumbers(entries, r.buf[:n])
		}
	}
}

// appendNumbers takes the numeric names out of linux_dirent64 records.
func appendNumbers(entries []entry, records []byte) []entry {
	const header = 19 // inode, offset, length, type
	for len(records) > header {
		length := int(binary.NativeEndian.Uint16(records[16:]))
		if length <= header || length > len(records) {
			return entries
		}
		number, digits := 0, 0
		for _, c := range records[header:length] {
			if c < '0' || c > '9' {
				if c != 0 {
					digits = 0
				}
				break
			}
			number, digits = number*10+int(c-'0'), digits+1
		}
		if digits > 0 {
			entries = append(entries, entry{number: number, inode: binary.NativeEndian.Uint64(records)})
		}
		records = records[length:]
	}
	return entries
}
