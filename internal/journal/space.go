package journal

import (
	"errors"
	"os"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// outcomeExtra is how much longer, in bytes, a cut outcome may be than its intention:
// result, a detail of maxText characters that JSON escapes with six bytes each, and
// some survivors.
const outcomeExtra = 2048

// openFile opens the file for appending, and ends a line that was cut short.
func (j *Journal) openFile() (*os.File, error) {
	file, err := ownfile.Open(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && endsTorn(file, info.Size()) {
		err = appendLine(file, []byte{'\n'})
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// endsTorn reports that the file's last byte does not end a line.
func endsTorn(file *os.File, size int64) bool {
	last := make([]byte, 1)
	_, err := file.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}

// setAside reserves disk space for so many bytes behind those reserved before. The
// space stays with the file when it is closed, and the next lines use it.
func (j *Journal) setAside(file *os.File, bytes int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for _, room := range j.promised {
		bytes += room
	}
	return allocate(file, info.Size(), int64(bytes))
}

// probe writes as much as an act may take, as far into another file as the journal's end is: what has been in the journal
// itself would have been seen by its readers.
func (j *Journal) probe(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	other, err := ownfile.Open(j.path+".probe", os.O_CREATE|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = other.WriteAt(make([]byte, 2*maxLine), info.Size())
	return errors.Join(err, other.Close(), os.Remove(other.Name()))
}

// appendLine writes a line completely or not at all.
func appendLine(file *os.File, line []byte) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if _, err := file.Write(line); err != nil {
		return errors.Join(err, file.Truncate(info.Size()))
	}
	return nil
}
