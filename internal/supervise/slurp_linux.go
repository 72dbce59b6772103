package supervise

import (
	"errors"
	"strconv"
	"syscall"
)

// slurp reads a file of /proc or /sys with as few system calls as possible. Package
// os would first ask whether the file can be polled, and keeps the memory that this
// takes.
func slurp(path string) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	text := make([]byte, 0, 1024)
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil
		case n == 0:
			return text
		default:
			text = text[:len(text)+n]
		}
	}
}

// numbers are the entries of a folder that are numbers.
func numbers(folder string) []int {
	fd, err := syscall.Open(folder, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var names []string
	for buffer := make([]byte, 4096); ; {
		n, err := syscall.ReadDirent(fd, buffer)
		if err != nil || n == 0 {
			break
		}
		_, _, names = syscall.ParseDirent(buffer[:n], -1, names)
	}
	found := make([]int, 0, len(names))
	for _, name := range names {
		if number, err := strconv.Atoi(name); err == nil {
			found = append(found, number)
		}
	}
	return found
}
