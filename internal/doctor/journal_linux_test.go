package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFullDiskIsAFaultOfTheJournal(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root for a small disk")
	}
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	got := journalSymptom(filepath.Join(disk, "journal.jsonl"))
	if got.State != stateFault || !strings.Contains(got.Text, "no space left") || !strings.HasPrefix(got.Remedy, "free space") {
		t.Errorf("%+v", got)
	}
	if got := journalSymptom(filepath.Join(t.TempDir(), "journal.jsonl")); got.State != stateOK {
		t.Errorf("a disk with room: %+v", got)
	}
}
