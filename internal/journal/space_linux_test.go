package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// smallDisk is a folder on a disk of its own of so many bytes, for this test's
// goroutine alone; nothing of it is seen outside.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("left out: a disk of its own needs root")
	}
	folder := t.TempDir()
	runtime.LockOSThread() // never unlocked: the thread ends with the test's goroutine
	must(t, unix.Unshare(unix.CLONE_FS|unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	must(t, unix.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)))
	t.Cleanup(func() { must(t, unix.Unmount(folder, unix.MNT_DETACH)) })
	return folder
}

// fill takes what is left of a disk, and returns how to give it back.
func fill(t *testing.T, folder string) (empty func()) {
	t.Helper()
	name := filepath.Join(folder, "filler")
	file, err := os.Create(name)
	must(t, err)
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	return func() { must(t, os.Remove(name)) }
}

func TestWhatWasIntendedHasItsOutcomeOnADiskThatFilledUpMeanwhile(t *testing.T) {
	folder := smallDisk(t, 1<<20)
	path := filepath.Join(folder, FileName)
	j := open(t, path)
	must(t, j.Intend(act("a")), j.Intend(act("b")))
	empty := fill(t, folder)
	if err := j.Ready(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a full disk: got %v, want no space left", err)
	}
	long := act("a")
	long.Detail = strings.Repeat("<", 20<<10) // longer than what was set aside
	must(t, j.Done(long), j.Done(act("b")))
	refused := 0
	for i := range 100 {
		if err := j.Intend(act(fmt.Sprint("late", i))); err != nil {
			refused++
			continue
		}
		must(t, j.Done(act(fmt.Sprint("late", i))))
	}
	if refused == 0 {
		t.Error("a full disk took a hundred intentions")
	}
	h := &History{Path: path}
	unfinished, err := h.Unfinished(time.Time{})
	must(t, err)
	got := ids(t, h, Filter{})
	if len(unfinished) != 0 || h.Torn() != 0 || len(got) != 4+2*(100-refused) {
		t.Errorf("%d lines, %d refused, unfinished %v, torn %d", len(got), refused, unfinished, h.Torn())
	}
	empty()
	must(t, j.Ready(), j.Intend(act("c")), j.Done(act("c")))
}

func TestAFullDiskLeavesNoPieceOfALine(t *testing.T) {
	folder := smallDisk(t, 256<<10)
	path := filepath.Join(folder, FileName)
	must(t, os.WriteFile(path, nil, 0o600))
	fill(t, folder)
	j := open(t, path)
	long := act("a")
	long.Detail = strings.Repeat("x", 60<<10)
	if err := j.Intend(long); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("got %v, want no space left", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the file has %d bytes (%v)", info.Size(), err)
	}
}
