package supervise

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFoldersOfKilledSupervisorsAreRemovedAfterADay(t *testing.T) {
	parent := t.TempDir()
	own, err := CIDFile(parent)
	if err != nil {
		t.Fatal(err)
	}
	const nobody = "reaperd-exec-999999999-"
	old, fresh := filepath.Join(parent, nobody+"old"), filepath.Join(parent, nobody+"fresh")
	for _, folder := range []string{old, fresh} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{own, filepath.Join(old, "cid"), filepath.Join(fresh, "cid")} {
		if err := os.WriteFile(file, []byte("id"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	longAgo := time.Now().Add(-2 * staleAfter)
	for _, file := range []string{own, filepath.Join(old, "cid")} {
		if err := os.Chtimes(file, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	next, err := CIDFile(parent)
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{filepath.Dir(own): true, filepath.Dir(next): true, fresh: true, old: false} {
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(folder), err == nil, want)
		}
	}
	if info, err := os.Stat(filepath.Dir(next)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look into the folder: %v %v", info.Mode(), err)
	}
}

func TestOnlyAFolderOfItsOwnIsRemoved(t *testing.T) {
	for file, want := range map[string]string{"/run/reaperd-exec-7-1/cid": "/run/reaperd-exec-7-1", "/home/dev/cid": "", "": ""} {
		if got := (Container{CIDFile: file}).folder(); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
