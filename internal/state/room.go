package state

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
)

// IsFull reports that the disk of the directory has no room for a file: what is pinned or
// paused cannot be changed. False if that cannot be told.
func (d Dir) IsFull() bool {
	var disk unix.Statfs_t
	return unix.Statfs(string(d), &disk) == nil && isFull(&disk, os.Geteuid())
}

// isFull asks for blocks and for inodes. Root may use the blocks that are reserved for it. A
// file system that counts none of a kind has a total of 0.
func isFull(disk *unix.Statfs_t, uid int) bool {
	blocksGone := disk.Bfree == 0 || disk.Bavail == 0 && uid != 0
	return disk.Blocks > 0 && blocksGone || disk.Files > 0 && disk.Ffree == 0
}

// withRemedy adds what to do to an error of a full disk.
func (d Dir) withRemedy(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return human.Failed("make room on the disk of "+string(d), "%w", err)
	}
	return err
}
