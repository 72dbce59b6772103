package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestTheFoldersAboveAFileCountToo(t *testing.T) {
	for _, row := range []struct {
		name  string
		mode  fs.FileMode // of the folder above the file's own
		inner fs.FileMode // of the file's own
		want  error
	}{
		{"both its owner's alone", 0o755, 0o700, nil},
		{"anybody can write its own", 0o755, 0o777, ErrWritable},
		{"a group can write its own", 0o755, 0o775, ErrWritable},
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
