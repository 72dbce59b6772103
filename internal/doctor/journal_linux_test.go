package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/state"
)

func TestAFullDiskIsAFaultOfTheJournalAndOfTheState(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root for a small disk")
	}
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	got := journalSymptom(filepath.Join(disk, "journal.jsonl"))
	if got.State != stateFault || !strings.Contains(got.Text, "no space left") || !strings.HasPrefix(got.Remedy, "make room on the disk") {
		t.Errorf("%+v", got)
	}
	if got := roomSymptoms(state.Dir(disk)); len(got) > 0 {
		t.Errorf("there is room for pins: %+v", got)
	}
	if err := os.WriteFile(filepath.Join(disk, "other"), make([]byte, 64<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("it was not filled: ", err)
	}
	if got := roomSymptoms(state.Dir(disk)); len(got) != 1 || got[0].State != stateFault || !strings.Contains(got[0].Text, "pin, unpin and pause fail") {
		t.Errorf("full: %+v", got)
	}
	if got := journalSymptom(filepath.Join(t.TempDir(), "journal.jsonl")); got.State != stateOK {
		t.Errorf("a disk with room: %+v", got)
	}
}
