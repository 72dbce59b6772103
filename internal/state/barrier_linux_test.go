package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/test/nobody"
)

// TestAFileThatIsShutInAnOpenDirectoryIsNamed: the directory is not what is in the way.
func TestAFileThatIsShutInAnOpenDirectoryIsNamed(t *testing.T) {
	dir := Dir(nobody.Folder(t))
	for _, file := range []string{pauseFile, pinsFile} {
		if err := os.WriteFile(dir.path(file), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{string(dir), dir.path(pauseFile), dir.path(pinsFile)} {
		if err := os.Chown(path, nobody.UID, nobody.UID); err != nil && os.Geteuid() == 0 {
			t.Fatal(err)
		}
	}
	nobody.Runs(t, func() {
		_, err := dir.Pins("a boot", time.Now())
		want := " (its mode keeps its own user out: chmod u+rwX " + dir.path(pinsFile) + ")"
		if faults := dir.Faults(time.Now()); len(faults) != 2 || !strings.HasSuffix(faults[0], want) || strings.Contains(faults[1], "resume") {
			t.Errorf("faults: %q, want the first to end with %q", faults, want)
		}
		advised := &human.Error{}
		if err = dir.Advise(human.Failed("", "%w", err)); !errors.As(err, &advised) || !strings.HasPrefix(advised.Hint, "chmod u+rwX "+dir.path(pinsFile)+" ") {
			t.Errorf("%v, hint %q", err, advised.Hint)
		}
	})
}

func TestWhatKeepsAUserOutIsNamedWithItsRemedy(t *testing.T) {
	home, elsewhere := nobody.Folder(t), nobody.Folder(t)
	t.Setenv("HOME", home)
	for _, row := range []struct {
		says   string
		path   string
		mode   os.FileMode // of what is there
		owner  int
		isFile bool
		asks   string // below path; empty: path itself
		why    string
		remedy string
	}{
		{says: "the user's own, open", path: home + "/open", mode: 0o700, owner: nobody.UID},
		{says: "what an open folder can have", path: home + "/will", mode: 0o700, owner: nobody.UID, asks: "state/journal.jsonl"},
		{says: "the user's own file without rights", path: home + "/journal.jsonl", mode: 0, owner: nobody.UID, isFile: true,
			why: "its mode keeps its own user out", remedy: "chmod u+rwX " + home + "/journal.jsonl"},
		{says: "the user's own folder without rights", path: home + "/shut", mode: 0o500, owner: nobody.UID, asks: "journal.jsonl",
			why: "its mode keeps its own user out", remedy: "chmod u+rwX " + home + "/shut"},
		{says: "what sudo left at home", path: home + "/state", mode: 0o700, owner: 0, asks: "reaperd.sock",
			why: "it belongs to root", remedy: "sudo chown -R " + UserName(nobody.UID) + " " + home + "/state"},
		{says: "root's own", path: elsewhere + "/lib", mode: 0o700, owner: 0, why: "it belongs to root", remedy: "run it as root"},
	} {
		t.Run(row.says, func(t *testing.T) {
			var err error
			if row.isFile {
				err = os.WriteFile(row.path, nil, 0o600)
			} else {
				err = os.Mkdir(row.path, 0o700)
			}
			if err == nil {
				err = os.Chown(row.path, row.owner, row.owner)
			}
			if err == nil {
				err = os.Chmod(row.path, row.mode)
			}
			if err != nil {
				t.Fatal(err)
			}
			nobody.Runs(t, func() {
				why, remedy := Denied(filepath.Join(row.path, row.asks))
				if why != row.why || remedy != row.remedy {
					t.Fatalf("%q, %q", why, remedy)
				}
				denied := human.Failed("", "read: %w", &fs.PathError{Op: "open", Path: row.path, Err: fs.ErrPermission})
				if advised := Dir(row.path).Advise(denied); why != "" && (!strings.Contains(advised.Error(), row.why) || advised.(*human.Error).Hint != row.remedy+"   or name another folder with REAPERD_STATE_DIR") {
					t.Errorf("advised: %v", advised)
				}
				_, _, unknown := Dir(row.path).Paused(time.Now())
				if faults := Dir(row.path).Faults(time.Now()); errors.Is(unknown, fs.ErrPermission) && (len(faults) != 2 || !strings.HasSuffix(faults[1], " ("+row.why+": "+row.remedy+")")) {
					t.Errorf("of the pause: %q", faults)
				}
			})
		})
	}
}

// TestADirectoryThatTakesNoFileIsTold: what it holds can be read, and nothing of it changed.
func TestADirectoryThatTakesNoFileIsTold(t *testing.T) {
	for _, row := range []struct {
		says      string
		folder    os.FileMode // of the directory
		lock      os.FileMode // of the lock in it
		lockOwner int
		want      string // of the text, with DIR for the directory; empty: it takes files
		remedy    string
	}{
		{says: "it is open", folder: 0o700, lock: 0o600, lockOwner: nobody.UID},
		{says: "its names cannot be read, and that needs nobody", folder: 0o300, lock: 0o600, lockOwner: nobody.UID},
		{says: "it is read-only", folder: 0o500, lock: 0o600, lockOwner: nobody.UID,
			want:   "write DIR: permission denied (its mode keeps its own user out): pin, unpin, pause and resume fail, and a daemon does not start, or has no socket",
			remedy: "chmod u+rwX DIR"},
		{says: "sudo has left the lock", folder: 0o700, lock: 0o600,
			want: "open DIR/state.lock: permission denied (it belongs to root): pin, unpin, pause and resume fail, and a daemon does not start, or has no socket", remedy: "sudo chown -R " + UserName(nobody.UID) + " DIR/state.lock"},
	} {
		t.Run(row.says, func(t *testing.T) {
			home := nobody.Folder(t)
			t.Setenv("HOME", home)
			dir := Dir(home + "/reaperd")
			lock := dir.path(changeLock)
			if err := errors.Join(os.Mkdir(string(dir), 0o700), os.WriteFile(lock, nil, row.lock), os.Chown(lock, row.lockOwner, row.lockOwner),
				os.Chown(string(dir), nobody.UID, nobody.UID), os.Chmod(string(dir), row.folder)); err != nil && os.Geteuid() == 0 {
				t.Fatal(err)
			}
			nobody.Runs(t, func() {
				text, remedy := dir.Refusal()
				if want := strings.ReplaceAll(row.want, "DIR", string(dir)); text != want || remedy != strings.ReplaceAll(row.remedy, "DIR", string(dir)) {
					t.Errorf("%q, remedy %q", text, remedy)
				}
				if err := dir.Pin(os.Geteuid(), "boot", time.Now(), Pin{ID: "56:1"}); (err != nil) != (row.want != "") {
					t.Errorf("it says %q, and a pin %v", text, err)
				}
			})
		})
	}
}
