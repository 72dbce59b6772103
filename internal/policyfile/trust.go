package policyfile

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// distrustError refuses a file that others can have written, or that is none. remedy is its hint.
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
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// remedy is the command that makes a file trustworthy; "" if none is known.
func remedy(path string, err error) string {
	var folder *ownfile.FolderError
	if errors.As(err, &folder) {
		path = folder.Folder
	}
	switch {
	case errors.Is(err, ownfile.ErrWritable):
		return "chmod go-w " + human.Shell(path)
	case errors.Is(err, ownfile.ErrForeign) && folder != nil:
		return "move the file to a folder that is yours or root's alone"
	case errors.Is(err, ownfile.ErrForeign):
		return "chown it to " + ownName() + ", or copy it"
	case errors.Is(err, ownfile.ErrIrregular):
		return "name a regular file"
	}
	return ""
}

// ownName is this user as chown takes it.
func ownName() string {
	if uid := os.Geteuid(); uid != 0 {
		return strconv.Itoa(uid)
	}
	return "root"
}
