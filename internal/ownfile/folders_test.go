package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// groupWritable is what comes of a folder that its group can write: root's may hold
// others, a user's own holds nobody.
func groupWritable() error {
	folder, err := os.MkdirTemp("", "reaperd-group-")
	if err != nil {
		return err
	}
	defer os.Remove(folder)
	if info, err := os.Stat(folder); err == nil && os.Geteuid() > 0 && hasOwnGroup(info, os.Geteuid()) {
		return nil
	}
	return ErrWritable
}

func TestTheFoldersAboveAFileCountToo(t *testing.T) {
	for _, row := range []struct {
		name  string
		mode  fs.FileMode // of the folder above the file's own
		inner fs.FileMode // of the file's own
		want  error
	}{
		{"both its owner's alone", 0o755, 0o700, nil},
		{"anybody can write its own", 0o755, 0o777, ErrWritable},
		{"a group can write its own", 0o755, 0o775, groupWritable()},
		{"anybody can replace its own", 0o777, 0o700, ErrWritable},
		{"anybody can write above, and replace nothing of others", 0o777 | fs.ModeSticky, 0o700, nil},
		{"it lies in such a folder itself", 0o755, 0o777 | fs.ModeSticky, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			outer := filepath.Join(t.TempDir(), "outer")
			inner := filepath.Join(outer, "inner")
			must(t, os.MkdirAll(inner, 0o700))
			must(t, os.Chmod(outer, row.mode))
			must(t, os.Chmod(inner, row.inner))
			file := shelf{t, inner}.file("policies.yaml", "text", 0o644)
			link := filepath.Join(t.TempDir(), "policies.yaml")
			must(t, os.Symlink(file, link))
			for _, path := range []string{file, link} {
				_, err := read(t, path, Terms{Owner: os.Geteuid(), Most: 100, Links: true, Folders: AllFolders})
				var folder *FolderError
				if !errors.Is(err, row.want) || row.want != nil && (!errors.As(err, &folder) || folder.Folder == "") {
					t.Errorf("%s: got %v, want %v of a folder", path, err, row.want)
				}
			}
		})
	}
}

func TestALinkInAFolderOfAnybodysIsAnybodys(t *testing.T) {
	good, bad := t.TempDir(), filepath.Join(t.TempDir(), "bad")
	file := shelf{t, good}.file("policies.yaml", "text", 0o644)
	must(t, os.Mkdir(bad, 0o700))
	must(t, os.Chmod(bad, 0o777))
	link := filepath.Join(bad, "policies.yaml")
	must(t, os.Symlink(file, link))
	if _, err := read(t, link, Terms{Owner: os.Geteuid(), Most: 100, Links: true, Folders: AllFolders}); !errors.Is(err, ErrWritable) {
		t.Errorf("got %v, want %v", err, ErrWritable)
	}
}

func TestAnotherUsersFolderIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("left out: giving a folder away needs root")
	}
	folder := filepath.Join(t.TempDir(), "theirs")
	must(t, os.Mkdir(folder, 0o755))
	file := shelf{t, folder}.file("policies.yaml", "text", 0o644)
	must(t, os.Chown(folder, 1234, 1234))
	if _, err := read(t, file, Terms{Owner: 0, Most: 100, Folders: AllFolders}); !errors.Is(err, ErrForeign) {
		t.Errorf("read by root: got %v, want %v", err, ErrForeign)
	}
	if text, err := read(t, file, Terms{Owner: 1234, Most: 100, Folders: AllFolders}); err != nil || text != "text" {
		t.Errorf("read for its owner: got %q, %v", text, err)
	}
}

func TestAUsersOwnGroupIsNobodyElse(t *testing.T) {
	const groups = "root:x:0:\nalice:x:1000:\nbob:x:1001:bob\nstaff:x:50:alice,bob\ncarol:x:1002:dave\ndouble:x:1003:\nteam:x:1003:\n"
	for _, row := range []struct {
		name, user, gid string
		want            bool
	}{
		{"it bears the user's name and is empty", "alice", "1000", true},
		{"it holds the user alone", "bob", "1001", true},
		{"it bears another name", "alice", "50", false},
		{"it holds somebody else", "carol", "1002", false},
		{"another group has the same number", "double", "1003", false},
		{"it is not there", "erin", "1004", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := isOwnGroup(groups, row.user, row.gid); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
