package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Folder is a folder in which only this user, or root, can make and replace files. Whatever becomes of its path, files
// are opened in this one.
type Folder struct {
	file *os.File
	path string
}

// OpenFolder takes hold of a folder. It need not be readable.
func OpenFolder(path string) (*Folder, error) {
	fd, err := unix.Open(path, folderFlags|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	folder := &Folder{os.NewFile(uintptr(fd), path), path}
	info, err := folder.file.Stat()
	if err == nil {
		err = (Terms{Owner: os.Geteuid(), Folders: AllFolders}).admitOpened(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// Close lets the folder go. Files that were opened in it stay open.
func (f *Folder) Close() error { return f.file.Close() }

// Open opens or makes a file of this user's: a regular one that no other name leads to, and no link. It never waits.
func (f *Folder) Open(name string, flags int, mode fs.FileMode) (*os.File, error) {
	path := filepath.Join(f.path, name)
	fd, err := unix.Openat(int(f.file.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, uint32(mode.Perm()))
	switch {
	case errors.Is(err, unix.ELOOP):
		err = ErrLink
	case errors.Is(err, unix.ENXIO): // a FIFO that nobody reads
		err = ErrIrregular
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	info, err := file.Stat()
	if err == nil {
		err = admitOwn(info)
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: path, Err: err}, file.Close())
	}
	return file, nil
}

// admitOwn returns why a file is not this user's alone. Its mode is for whoever opens it to mend.
func admitOwn(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return ErrIrregular
	case !ok || int(stat.Uid) != os.Geteuid():
		return ErrForeign
	case stat.Nlink > 1:
		return ErrNames
	}
	return nil
}

// UserFolder is a base directory of the XDG specification: the variable's value if it
// is an absolute path, else the folder below the home; "" without a home.
func UserFolder(variable, below string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(below))
}
