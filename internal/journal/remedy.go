package journal

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// Remedy is what a person can do if the journal takes no record: err is why.
func Remedy(err error) string {
	const elsewhere = "or name a journal elsewhere with --journal"
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return "make room on the disk, " + elsewhere
	}
	if errors.Is(err, ownfile.ErrWritable) || errors.Is(err, ownfile.ErrForeign) || errors.Is(err, ownfile.ErrLink) || errors.Is(err, ownfile.ErrNames) {
		return "keep it in a folder that only this user can write, " + elsewhere
	}
	return "see to it that the file can be written, " + elsewhere
}
