// Package ownfile reads files that lie where their user can put anything: below
// a home, in a state directory. A file is read where it is a regular file of
// bounded size that nobody but its owner, or root, can have written.
//
// A device or FIFO in a file's place cannot hold the reader up. The file's type is
// checked before it is opened, because opening a device can have effects, and again
// afterwards, because it may have been replaced in between. Opening never blocks.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Why a file is not read.
var (
	ErrForeign   = errors.New("it is another user's")
	ErrIrregular = errors.New("it is no regular file")
	ErrLink      = errors.New("it is a symbolic link")
	ErrWritable  = errors.New("others can write it")
)

// Anyone is the owner where a file may be anybody's, and anybody may write it.
const Anyone = -1

// Terms are what a file must be like to be read.
type Terms struct {
	Owner int   // the user whom it may belong to besides root, or [Anyone]
	Most  int64 // bytes
	Links bool  // a symbolic link is followed
	// Folders are those above it that must be the owner's or root's too, so that
	// nobody else can put another file in its place. For an Owner alone.
	Folders Folders
}

// Folders tells which folders above a file are looked at.
type Folders uint8

// The folders.
const (
	NoFolders  Folders = iota
	ItsFolder          // the one that it is in
	AllFolders         // every one, as the path names them and as they are without links
)

// Read reads a file as a whole. What is not there is [fs.ErrNotExist]. An error
// does not name the path, which the caller does.
func Read(path string, terms Terms) ([]byte, error) {
	look, flags := os.Lstat, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW
	if terms.Links {
		look, flags = os.Stat, os.O_RDONLY|syscall.O_NONBLOCK
	}
	info, err := look(path)
	if err == nil && terms.Folders != NoFolders {
		path, err = terms.walk(path)
	}
	if err == nil {
		err = terms.admit(info, path)
	}
	if err != nil {
		return nil, cause(err)
	}
	file, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, cause(err)
	}
	defer file.Close()
	data, err := terms.read(file)
	return data, cause(err)
}

// read reads what was opened, if that is still what was looked at.
func (t Terms) read(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err == nil {
		err = t.admit(info, file.Name())
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, t.Most+1))
	if err == nil && int64(len(data)) > t.Most {
		err = t.tooLarge()
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// admit reports why a file is not read. Whose it is comes first: what another
// user puts there is theirs, whatever it is.
func (t Terms) admit(info fs.FileInfo, path string) error {
	anyones := t.Owner == Anyone || t.Folders == AllFolders && isGiven(path)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrLink
	case !anyones && !ownedBy(info, t.Owner):
		return ErrForeign
	case !info.Mode().IsRegular():
		return ErrIrregular
	case !anyones && t.othersCanWrite(info):
		return ErrWritable
	case info.Size() > t.Most:
		return t.tooLarge()
	}
	return nil
}

func (t Terms) tooLarge() error { return fmt.Errorf("it is larger than %d KiB", t.Most>>10) }

// ownedBy reports whether a file is a user's or root's; it is nobody's where the
// system does not say.
func ownedBy(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == uid || stat.Uid == 0)
}

// FolderError is a folder above a file, in which somebody else can put another file
// in its place.
type FolderError struct {
	Folder string
	Err    error // [ErrForeign] or [ErrWritable]
}

func (e *FolderError) Error() string { return fmt.Sprintf("its folder %s: %v", e.Folder, e.Err) }

func (e *FolderError) Unwrap() error { return e.Err }

// walk looks at the folders above a file, both as the path names them and as they
// are without symbolic links, and returns the path without links.
func (t Terms) walk(path string) (string, error) {
	named, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", err
	}
	for _, file := range []string{named, real} {
		for folder := filepath.Dir(file); ; folder = filepath.Dir(folder) {
			if err := t.admitFolder(folder); err != nil {
				return "", err
			}
			if t.Folders == ItsFolder || folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return real, nil
}

// admitFolder reports why what is in a folder may be somebody else's. In a sticky
// one, such as /tmp, nobody can replace a file of another's.
func (t Terms) admitFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return err
	case isReadOnlyMount(folder):
		return nil
	case !ownedBy(info, t.Owner):
		return &FolderError{folder, ErrForeign}
	case t.othersCanWrite(info) && info.Mode()&fs.ModeSticky == 0:
		return &FolderError{folder, ErrWritable}
	}
	return nil
}

// isGiven reports whether a file, or the folder that it is in, was mounted read-only
// at this very place, as a container's configuration is: whoever runs the host has
// put it there, and its owner and mode are another system's.
func isGiven(path string) bool { return isReadOnlyMount(path) || isReadOnlyMount(filepath.Dir(path)) }

// cause is an error of a file without the system call and the path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
