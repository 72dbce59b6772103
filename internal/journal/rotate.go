package journal

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// How a rotated file is named: NAME-TIME-REASON.EXT, and .gz when compressed.
const (
	gzipSuffix   = ".gz"
	partSuffix   = ".part" // behind .gz, while that is written
	rotatedStamp = "2006-01-02T15-04-05.000"
)

// rotate gives the file the name of a rotated one; the next write begins a new
// file. Then it compresses what is not compressed and removes what is too much.
//
// A writer that is killed on the way loses nothing. After the renaming the file is
// one of the rotated, which readers take plain or compressed, and the next rotation
// compresses it. A compressed file has its name only when it is whole and on the
// disk, and its source goes after that; where both are there readers take one. So
// what fails behind the renaming is left to the next rotation.
func (j *Journal) rotate(now time.Time, reason string) error {
	name, err := j.freeName(now, reason)
	if err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	if err := os.Rename(j.path, name); err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	j.tidy(now)
	return nil
}

// freeName is a name for the file that no rotated one has. Two rotations can have the
// same time if the clock was set back.
func (j *Journal) freeName(now time.Time, reason string) (string, error) {
	ext := filepath.Ext(j.path)
	for at := now.UTC(); ; at = at.Add(time.Millisecond) {
		name := strings.TrimSuffix(j.path, ext) + "-" + at.Format(rotatedStamp) + "-" + reason + ext
		taken, err := anyExists(name, name+gzipSuffix)
		if err != nil || !taken {
			return name, err
		}
	}
}

func anyExists(names ...string) (bool, error) {
	for _, name := range names {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// tidy removes surplus rotated files and compresses the others.
func (j *Journal) tidy(now time.Time) {
	rotated, _ := rotatedFiles(j.path) // a reader reports a folder that cannot be listed
	oldest := now.AddDate(0, 0, -j.options.MaxAgeDays)
	slices.Reverse(rotated)
	for i, file := range rotated {
		plain := filepath.Join(filepath.Dir(j.path), file.base)
		switch {
		case i >= j.options.MaxBackups || file.at.Before(oldest):
			_, _ = os.Remove(plain), os.Remove(plain+gzipSuffix)
		case file.name == plain:
			_ = compress(plain)
		}
	}
}

// compress replaces a rotated file with a compressed one.
func compress(name string) error {
	if _, err := os.Lstat(name + gzipSuffix); err == nil { // a writer was killed before it removed the source
		return os.Remove(name)
	}
	part := name + gzipSuffix + partSuffix
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // a killed writer's
		return err
	}
	err := writeCompressed(part, name)
	if err == nil {
		err = os.Rename(part, name+gzipSuffix)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Remove(name)
}

// writeCompressed writes the compressed content of a file into a new one, which is on
// the disk when it returns.
func writeCompressed(part, name string) error {
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	defer to.Close()
	zip := gzip.NewWriter(to)
	if _, err := io.Copy(zip, from); err != nil {
		return err
	}
	return errors.Join(zip.Close(), to.Sync())
}

// rotatedFile is a journal file that nobody writes to any more.
type rotatedFile struct {
	name string
	base string    // the name without folder and compression
	at   time.Time // when it was rotated
}

// rotatedFiles lists them, oldest first. A file that exists both plain and compressed
// counts once.
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
	for _, entry := range entries { // in order of names: NAME before NAME.gz
		file, ok := parseRotated(filepath.Base(path), entry.Name())
		if !ok {
			continue
		}
		if n := len(files); n > 0 && files[n-1].base == file.base {
			continue
		}
		file.name = filepath.Join(folder, entry.Name())
		files = append(files, file)
	}
	slices.SortStableFunc(files, func(a, b rotatedFile) int { return a.at.Compare(b.at) })
	return files, nil
}

// parseRotated reads a rotated file's name.
func parseRotated(journal, name string) (rotatedFile, bool) {
	ext := filepath.Ext(journal)
	base := strings.TrimSuffix(name, gzipSuffix)
	rest, isOurs := strings.CutPrefix(base, strings.TrimSuffix(journal, ext)+"-")
	rest, hasExt := strings.CutSuffix(rest, ext)
	dash := strings.LastIndexByte(rest, '-')
	if !isOurs || !hasExt || dash < 0 {
		return rotatedFile{}, false
	}
	at, err := time.Parse(rotatedStamp, rest[:dash])
	return rotatedFile{base: base, at: at}, err == nil
}
