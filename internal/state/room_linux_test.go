package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
)

func TestADiskIsFullForThoseWhoCannotWrite(t *testing.T) {
	for _, row := range []struct {
		world string
		disk  unix.Statfs_t
		uid   int
		full  bool
	}{
		{"there is room", unix.Statfs_t{Blocks: 100, Bfree: 9, Bavail: 4, Files: 50, Ffree: 7}, 1000, false},
		{"no block is left", unix.Statfs_t{Blocks: 100, Files: 50, Ffree: 7}, 0, true},
		{"the rest is root's, for a user", unix.Statfs_t{Blocks: 100, Bfree: 5, Files: 50, Ffree: 7}, 1000, true},
		{"the rest is root's, for root", unix.Statfs_t{Blocks: 100, Bfree: 5, Files: 50, Ffree: 7}, 0, false},
		{"no inode is left", unix.Statfs_t{Blocks: 100, Bfree: 9, Bavail: 4, Files: 50}, 1000, true},
		{"a file system that counts no inodes", unix.Statfs_t{Blocks: 100, Bfree: 9, Bavail: 4}, 1000, false},
		{"a file system that counts nothing", unix.Statfs_t{}, 1000, false},
	} {
		if got := isFull(&row.disk, row.uid); got != row.full {
			t.Errorf("%s: full %v", row.world, got)
		}
	}
	if Dir(filepath.Join(t.TempDir(), "not-there")).IsFull() {
		t.Error("a directory that is not there yet is full")
	}
}

func TestOnAFullDiskPinAndPauseSayWhatToDo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root for a small disk")
	}
	dir := Dir(t.TempDir())
	if err := unix.Mount("none", string(dir), "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	defer unix.Unmount(string(dir), unix.MNT_DETACH)
	now := time.Now()
	if err := dir.Pin(os.Geteuid(), "boot", now, Pin{ID: "56:1"}); err != nil || dir.IsFull() {
		t.Fatalf("with room: %v, full %v", err, dir.IsFull())
	}
	if err := os.WriteFile(filepath.Join(string(dir), "other"), make([]byte, 1<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatal("it was not filled: ", err)
	}
	if !dir.IsFull() {
		t.Error("a full disk is not told")
	}
	_, unpinned := dir.Unpin("boot", now, func(Pin) bool { return true })
	for what, err := range map[string]error{
		"pin": dir.Pin(os.Geteuid(), "boot", now, Pin{ID: "57:1"}), "unpin": unpinned, "pause": dir.Pause(now, Pause{}),
	} {
		var advised *human.Error
		if !errors.As(err, &advised) || !strings.Contains(advised.Hint, string(dir)) || !errors.Is(err, unix.ENOSPC) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if pins, err := dir.Pins("boot", now); err != nil || len(pins) != 1 {
		t.Errorf("what was pinned before: %v, %v", pins, err)
	}
}
