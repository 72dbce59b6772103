package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rotatedStamp is the time in the name of a rotated file, NAME-TIME.EXT.
const rotatedStamp = "2006-01-02T15-04-05.000"

// rotate gives the file the name of a rotated one, and removes what is too much: the next write
// begins a new file. A writer that is killed on the way loses nothing.
func (j *Journal) rotate(now time.Time) error {
	name, err := j.freeName(now)
	if err == nil {
		err = os.Rename(j.path, name)
	}
	if err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	rotated, _ := rotatedFiles(j.path) // a reader reports a folder that cannot be listed
	for _, file := range rotated[:max(0, len(rotated)-j.mostRotated)] {
		_ = os.Remove(file.name) // else the next rotation does
	}
	return nil
}

// freeName is a name for the file that no rotated one has. Two rotations can have the
// same time if the clock was set back.
func (j *Journal) freeName(now time.Time) (string, error) {
	ext := filepath.Ext(j.path)
	for at := now.UTC(); ; at = at.Add(time.Millisecond) {
		name := strings.TrimSuffix(j.path, ext) + "-" + at.Format(rotatedStamp) + ext
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}

// rotatedFile is a journal file that nobody writes to any more.
type rotatedFile struct {
	name string
	at   time.Time // when it was rotated
}

// rotatedFiles lists them, oldest first.
func rotatedFiles(path string) ([]rotatedFile, error) {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	var files []rotatedFile
	for _, entry := range entries {
		if at, isOurs := rotatedAt(filepath.Base(path), entry.Name()); isOurs {
			files = append(files, rotatedFile{filepath.Join(folder, entry.Name()), at})
		}
	}
	slices.SortStableFunc(files, func(a, b rotatedFile) int { return a.at.Compare(b.at) })
	return files, nil
}

// rotatedAt reads the name of a rotated file of a journal.
func rotatedAt(journal, name string) (at time.Time, isOurs bool) {
	ext := filepath.Ext(journal)
	stamp, hasName := strings.CutPrefix(name, strings.TrimSuffix(journal, ext)+"-")
	stamp, hasExt := strings.CutSuffix(stamp, ext)
	at, err := time.Parse(rotatedStamp, stamp)
	return at, hasName && hasExt && err == nil
}
