package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// outcomeExtra is by how many bytes an outcome that was cut may be longer than its
// intention: result, a detail of maxText signs that JSON escapes with six bytes
// each, and some survivors.
const outcomeExtra = 2048

// errIrregular is a journal that keeps nothing, or that could hold its writer up.
var errIrregular = errors.New("it is no regular file")

// openFile opens the file for writing at its end, and closes a line that was cut
// short.
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

// endsTorn reports whether the file's last byte is not the end of a line.
func endsTorn(file *os.File, size int64) bool {
	last := make([]byte, 1)
	_, err := file.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}

// setAside makes sure that the disk has room for so many bytes behind those that
// were promised before. Space that is set aside stays with the file when it is
// closed, and is taken by the next lines.
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

// appendLine writes a line whole or not at all.
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
