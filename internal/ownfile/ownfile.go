// Package ownfile reads files that lie where their user can put anything: below
// a home, in a state directory. A file is read where it is a regular file of
// bounded size that nobody but its owner, or root, can have written.
//
// Nothing that stands in a file's place holds the reader up: what it is is
// looked at before it is opened, since to open a device can do something, and
// once more afterwards, since it may have been replaced. Opening waits for
// nobody, should a FIFO have taken its place in between.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
}

// Read reads a file as a whole. What is not there is [fs.ErrNotExist]. An error
// does not name the path, which the caller does.
func Read(path string, terms Terms) ([]byte, error) {
	look, flags := os.Lstat, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW
	if terms.Links {
		look, flags = os.Stat, os.O_RDONLY|syscall.O_NONBLOCK
	}
	info, err := look(path)
	if err == nil {
		err = terms.admit(info)
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
		err = t.admit(info)
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
func (t Terms) admit(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrLink
	case t.Owner != Anyone && !ownedBy(info, t.Owner):
		return ErrForeign
	case !info.Mode().IsRegular():
		return ErrIrregular
	case t.Owner != Anyone && info.Mode().Perm()&0o022 != 0:
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

// cause is an error of a file without the system call and the path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
