package journal

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Remedy is what a person can do if the journal takes no record: err is why.
func Remedy(err error) string {
	const elsewhere = "or name a journal elsewhere with --journal"
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return "make room on the disk, " + elsewhere
	}
	return "see to it that the file can be written, " + elsewhere
}
