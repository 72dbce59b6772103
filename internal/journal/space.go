package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// outcomeExtra is how much longer, in bytes, a cut outcome may be than its intention:
// result, a detail of maxText characters that JSON escapes with six bytes each, and
// some survivors.
const outcomeExtra = 2048

// errIrregular is the error for a journal that is no regular file: it could keep
// nothing, or block its writer.
var errIrregular = errors.New("it is no regular file")

// openFile opens the file for appending, and ends a line that was cut short.
func (j *Journal) openFile() (*os.File, error) {
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
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
