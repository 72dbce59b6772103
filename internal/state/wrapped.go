package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// wrappedDocument is the content of the file with the names of clients' files that start servers by
// reaperd exec: nobody finds a project's again who does not stand in its folder.
type wrappedDocument struct {
	Version int      `json:"version"`
	Files   []string `json:"files"`
}

// Wrapped are the clients' files that `reaperd wrap` has changed, and not changed back, as the user owner
// has recorded: absolute paths. They may have changed since, or be gone.
func (d Dir) Wrapped(owner int) ([]string, error) {
	var document wrappedDocument
	err := d.read(wrappedFile, owner, &document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.path(wrappedFile), err)
	}
	return document.Files, nil
}

// NoteWrapped records the clients' files that `reaperd wrap` has changed, and forgets those that it has
// changed back.
func (d Dir) NoteWrapped(changed, back []string) error {
	return d.change(func() error {
		files, err := d.Wrapped(os.Geteuid())
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(append(files, changed...), func(file string) bool { return slices.Contains(back, file) })
		slices.Sort(files)
		if err := d.write(wrappedFile, wrappedDocument{Version: version, Files: slices.Compact(files)}); err != nil {
			return fmt.Errorf("write %s: %w", d.path(wrappedFile), err)
		}
		return nil
	})
}
