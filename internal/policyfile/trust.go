package policyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// distrustError refuses a file that others can have written, or that is none, or a link to none. remedy is its hint.
type distrustError struct {
	path   string
	err    error
	remedy string
}

func (e *distrustError) Error() string { return e.path + ": " + e.err.Error() }
func (e *distrustError) Unwrap() error { return e.err }

// Texts are an error of [Load] for where its hint is not shown: line by line, one for each fault, with what
// makes a file trustworthy.
func Texts(err error) []string {
	text := strings.TrimRight(err.Error(), "\n")
	var distrusted *distrustError
	if errors.As(err, &distrusted) {
		text += ": " + distrusted.remedy
	}
	return strings.Split(text, "\n")
}

// read reads a file that this user or root wrote. If the file cannot be trusted, the
// error has a hint.
func read(path string) ([]byte, error) {
	data, err := ownfile.Read(path, ownfile.Terms{Owner: os.Geteuid(), Most: most, Links: true, Folders: ownfile.AllFolders})
	if err == nil {
		return data, nil
	}
	if help := remedy(path, err); help != "" {
		return nil, &distrustError{path, err, help}
	}
	if link := deadLink(path); link != "" && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is a link that leads nowhere", link)
		return nil, &distrustError{path, err, "mend that link, or remove it: " + human.Shell("rm", link)}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// deadLink is the link in the place of a file, or of a folder above it, that leads nowhere; "" is none. Who
// has put it there means a file to be there: that is not the same as no file.
func deadLink(path string) string {
	for {
		info, err := os.Lstat(path)
		above := filepath.Dir(path)
		if err != nil && above != path {
			path = above
			continue
		}
		if _, broken := os.Stat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 && errors.Is(broken, fs.ErrNotExist) {
			return path
		}
		return ""
	}
}

// remedy is the command that makes a file trustworthy; "" if none is known.
func remedy(path string, err error) string {
	var folder *ownfile.FolderError
	if errors.As(err, &folder) {
		path = folder.Folder
	}
	switch {
	case errors.Is(err, ownfile.ErrWritable):
		return human.Shell("chmod", "go-w", path)
	case errors.Is(err, ownfile.ErrForeign):
		return "chown it to root, or move the file to a folder that is yours or root's alone; under sudo, sudo -H goes by root's"
	case errors.Is(err, ownfile.ErrIrregular):
		return "name a regular file"
	}
	return ""
}
