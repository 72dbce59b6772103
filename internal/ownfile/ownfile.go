// Package ownfile reads files in places where a user can put anything: below a home,
// in a state directory. It reads a regular file of bounded size that only its owner,
// or root, can have written.
//
// A device or FIFO in the place of a file cannot block the reader. The type is
// checked before the file is opened, because opening a device can have effects, and
// again afterwards, because the file may have been replaced meanwhile. Opening never
// waits.
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

// The reasons why a file is not read.
var (
	ErrForeign   = errors.New("it is another user's")
	ErrIrregular = errors.New("it is no regular file")
	ErrLink      = errors.New("it is a symbolic link")
	ErrNames     = errors.New("it has another name too, as a hard link")
	ErrWritable  = errors.New("others can write it")
)

// Anyone means that any user may own the file, and may write it.
const Anyone = -1

// Terms are the conditions on which a file is read.
type Terms struct {
	Owner int   // the user whom it may belong to besides root, or [Anyone]
	Most  int64 // bytes
	Links bool  // a symbolic link is followed
	// Folders are those above the file that the owner or root must own too, so that
	// nobody else can replace the file. They need an Owner.
	Folders Folders
}

// Folders says which folders above a file are checked.
type Folders uint8

// The folders.
const (
	NoFolders  Folders = iota
	ItsFolder          // the one that it is in
	AllFolders         // every one, as the path names them and as they are without links
)

// Read reads a whole file. If it does not exist, the error is [fs.ErrNotExist].
// Errors do not name the path; the caller does.
func Read(path string, terms Terms) ([]byte, error) {
	look, flags := os.Lstat, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW
	if terms.Links {
		look, flags = os.Stat, os.O_RDONLY|syscall.O_NONBLOCK
	}
	info, err := look(path)
	if err == nil && terms.Folders != NoFolders && info.Mode().IsRegular() { // all else is refused, and a pipe is in no folder
		path, err = terms.walk(path)
	}
	if err == nil {
		err = terms.admit(info, path)
	}
	if err != nil {
		return nil, Cause(err)
	}
	file, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, Cause(err)
	}
	defer file.Close()
	data, err := terms.read(file)
	return data, Cause(err)
}

// read reads an open file, if it is still the one that was checked.
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

// admit returns why a file is not read. The owner is checked first: another user's
// file is refused for that, whatever else is wrong.
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

// ownedBy reports that a file is a user's or root's. If the system does not tell, it
// is false.
func ownedBy(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == uid || stat.Uid == 0)
}

// FolderError names a folder above the file in which somebody else can replace files.
type FolderError struct {
	Folder string
	Err    error // [ErrForeign] or [ErrWritable]
}

func (e *FolderError) Error() string { return fmt.Sprintf("its folder %s: %v", e.Folder, e.Err) }

func (e *FolderError) Unwrap() error { return e.Err }

// walk checks the folders above a file, both as the path names them and without
// symbolic links. It returns the path without links.
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

// admitFolder returns why the files in a folder may be somebody else's. In a sticky
// folder, such as /tmp, nobody can replace another user's files.
func (t Terms) admitFolder(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	return t.admitOpened(folder, info)
}

func (t Terms) admitOpened(folder string, info fs.FileInfo) error {
	switch {
	case isReadOnlyMount(folder):
		return nil
	case !ownedBy(info, t.Owner):
		return &FolderError{folder, ErrForeign}
	case t.othersCanWrite(info) && info.Mode()&fs.ModeSticky == 0:
		return &FolderError{folder, ErrWritable}
	}
	return nil
}

// isGiven reports that a file or its folder is a read-only mount, as a container's
// configuration is. Whoever runs the host has put it there; its owner and mode belong
// to another system.
func isGiven(path string) bool { return isReadOnlyMount(path) || isReadOnlyMount(filepath.Dir(path)) }

// Cause is a file error without the system call and the path, which the caller names: of a file that is
// replaced as a whole the error names a temporary one beside it.
func Cause(err error) error {
	var opened *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &opened):
		return opened.Err
	case errors.As(err, &renamed):
		return renamed.Err
	}
	return err
}
