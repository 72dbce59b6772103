package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/DeRuina/timberjack"
	"golang.org/x/sys/unix"
)

// FileName is the journal's name in a state directory.
const FileName = "journal.jsonl"

// fileMode is that of every file of the journal.
const fileMode fs.FileMode = 0o600

// Options bound what a journal takes on disk. Zero is the default of each.
type Options struct {
	MaxSizeMB   int           // a file is rotated before it grows beyond; default 16
	RotateAfter time.Duration // or when its first entry is this old; default 30 days
	MaxBackups  int           // rotated files that are kept; default 20
	MaxAgeDays  int           // and for how long, in days; default 180
	LockWait    time.Duration // how long to wait for another writer; default 2s
}

func (o Options) withDefaults() Options {
	o.MaxSizeMB = orDefault(o.MaxSizeMB, 16)
	o.RotateAfter = orDefault(o.RotateAfter, 30*24*time.Hour)
	o.MaxBackups = orDefault(o.MaxBackups, 20)
	o.MaxAgeDays = orDefault(o.MaxAgeDays, 180)
	o.LockWait = orDefault(o.LockWait, 2*time.Second)
	return o
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// maxBacklog is how many lines wait in memory for a journal that cannot be
// written; beyond it the oldest are lost, and counted.
const maxBacklog = 1024

// Journal writes entries. It is safe for use by several goroutines, and several
// processes may write to the same file.
type Journal struct {
	path    string
	options Options

	mu      sync.Mutex
	backlog [][]byte // lines that are not written yet, oldest first
	failed  uint64
	lost    uint64
}

// Open prepares the journal at path, a file or a directory to hold one, and
// looks whether it can be written. The Journal is usable also where that is an
// error: every write tries again.
func Open(path string, options Options) (*Journal, error) {
	j := &Journal{path: File(path), options: options.withDefaults()}
	release, err := j.acquire()
	if err != nil {
		return j, err
	}
	defer release()
	j.makePrivate()
	return j, nil
}

// makePrivate takes other users' rights to the journal's files from them, where
// an earlier writer or somebody else left any.
func (j *Journal) makePrivate() {
	makePrivate(j.path)
	rotated, _ := rotatedFiles(j.path) // what cannot be listed is the reader's to say
	for _, file := range rotated {
		makePrivate(file.name)
	}
}

// makePrivate leaves a file to its owner alone. Only a regular one, and no link,
// which may lead to a file that is not the journal's. What cannot be changed
// stays as it is.
func makePrivate(name string) {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&^fileMode != 0 {
		_ = file.Chmod(fileMode)
	}
}

// File is the journal's file for a path that may also be a directory.
func File(path string) string {
	if strings.HasSuffix(path, string(filepath.Separator)) {
		return filepath.Join(path, FileName)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, FileName)
	}
	return path
}

// Path is the file that is written.
func (j *Journal) Path() string { return j.path }

// Intend writes what is about to be done.
func (j *Journal) Intend(entry Entry) error {
	entry.Phase = PhaseIntend
	return j.write(entry)
}

// Done writes what came of it.
func (j *Journal) Done(entry Entry) error {
	entry.Phase = PhaseOutcome
	return j.write(entry)
}

// Abandon closes an act that a writer before this one began and did not end: it
// writes an outcome with the same id, [ResultUnfinished] and the detail, which
// says what is known of it. The entry is one that [History.Unfinished] returned;
// it is not returned again. What the act itself came to stays unknown: it counts
// as neither reaped nor failed.
func (j *Journal) Abandon(entry Entry, detail string) error {
	entry.BegunAt, entry.Time = entry.Time, time.Now()
	entry.Result, entry.Detail = ResultUnfinished, detail
	entry.Survivors, entry.FreedBytes, entry.TookSeconds = nil, 0, 0
	return j.Done(entry)
}

// WriteErrors counts the writes that did not succeed at once.
func (j *Journal) WriteErrors() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failed
}

// Lost counts the entries that were given up because too many waited.
func (j *Journal) Lost() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}

// Close writes what still waits. There is nothing else to close.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.backlog) == 0 {
		return nil
	}
	return j.counted(j.flush())
}

func (j *Journal) write(entry Entry) error {
	if entry.Time.IsZero() {
		entry.Time = time.Now()
	}
	line, err := encode(entry)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		return j.counted(err)
	}
	j.enqueue(line)
	return j.counted(j.flush())
}

func (j *Journal) enqueue(line []byte) {
	if len(j.backlog) >= maxBacklog {
		j.backlog = j.backlog[1:]
		j.lost++
	}
	j.backlog = append(j.backlog, line)
}

func (j *Journal) counted(err error) error {
	if err != nil {
		j.failed++
	}
	return err
}

// flush appends the backlog to the file, each line in one write, under the lock.
func (j *Journal) flush() (err error) {
	release, err := j.acquire()
	if err != nil {
		return err
	}
	defer release()
	out := j.logger()
	defer func() { err = errors.Join(err, out.Close()) }() // waits for its goroutine
	if err := j.prepare(out); err != nil {
		return fmt.Errorf("write journal %s: %w", j.path, err)
	}
	for len(j.backlog) > 0 {
		if _, err := out.Write(j.backlog[0]); err != nil {
			return fmt.Errorf("write journal %s: %w", j.path, err)
		}
		j.backlog = j.backlog[1:]
	}
	return nil
}

// logger is a new rotating file; it opens nothing before its first write.
func (j *Journal) logger() *timberjack.Logger {
	return &timberjack.Logger{
		Filename:    j.path,
		MaxSize:     j.options.MaxSizeMB,
		MaxAge:      j.options.MaxAgeDays,
		MaxBackups:  j.options.MaxBackups,
		Compression: "gzip",
		FileMode:    fileMode,
	}
}

// prepare makes the file private, rotates one whose first entry is old, and
// closes a line that was cut short.
func (j *Journal) prepare(out *timberjack.Logger) error {
	makePrivate(j.path) // before it is rotated: its copies take its mode
	file, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	first, known := firstTime(file)
	if known && time.Since(first) >= j.options.RotateAfter {
		return out.RotateWithReason("age")
	}
	if endsTorn(file) {
		_, err = out.Write([]byte{'\n'})
	}
	return err
}

// firstTime is when the file's first entry was written.
func firstTime(file io.Reader) (time.Time, bool) {
	line, err := bufio.NewReaderSize(file, maxLine).ReadSlice('\n')
	if err != nil {
		return time.Time{}, false
	}
	var entry struct{ Time time.Time }
	if json.Unmarshal(line, &entry) != nil || entry.Time.IsZero() {
		return time.Time{}, false
	}
	return entry.Time, true
}

// endsTorn reports whether the file's last byte is not the end of a line.
func endsTorn(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// acquire makes the directory where it lacks and takes the writers' lock.
func (j *Journal) acquire() (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return nil, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	file, err := os.OpenFile(lockPath(j.path), os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	if err := lock(file, unix.LOCK_EX, j.options.LockWait); err != nil {
		file.Close()
		return nil, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	return func() { file.Close() }, nil
}

func lockPath(path string) string { return path + ".lock" }

// errLocked is a lock that another process did not give up in time.
var errLocked = errors.New("another process has it locked")

// lock takes the lock, and gives up after wait: a writer that was stopped while
// it held the lock must not hold up the reaping. Closing the file ends it.
func lock(file *os.File, how int, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; {
		err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err != unix.EWOULDBLOCK && err != unix.EINTR:
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		case time.Now().After(deadline):
			return fmt.Errorf("lock %s: %w", file.Name(), errLocked)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
