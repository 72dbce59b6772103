package journal

import (
	"bufio"
	"cmp"
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

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/flock"
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
	o.MaxSizeMB = cmp.Or(o.MaxSizeMB, 16)
	o.RotateAfter = cmp.Or(o.RotateAfter, 30*24*time.Hour)
	o.MaxBackups = cmp.Or(o.MaxBackups, 20)
	o.MaxAgeDays = cmp.Or(o.MaxAgeDays, 180)
	o.LockWait = cmp.Or(o.LockWait, 2*time.Second)
	return o
}

// maxBacklog is how many outcomes wait in memory for a journal that cannot be
// written; beyond it the oldest are lost, and counted.
const maxBacklog = 1024

// Journal writes entries. It is safe for use by several goroutines, and several
// processes may write to the same file.
type Journal struct {
	path    string
	options Options

	mu       sync.Mutex
	backlog  [][]byte       // outcomes that are not written yet, oldest first
	promised map[string]int // by id of an intention, the bytes kept free for its outcome
	failed   uint64
	lost     uint64
}

// Open prepares the journal at path, a file or a directory to hold one, and
// looks whether it can be written. The Journal is usable also where that is an
// error: every write tries again.
func Open(path string, options Options) (*Journal, error) {
	j := &Journal{path: File(path), options: options.withDefaults(), promised: map[string]int{}}
	release, err := j.acquire()
	if err != nil {
		return j, fmt.Errorf("write journal %s: %w", j.path, err)
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

// Ready reports whether the journal can take an intention and its outcome of any
// length: it sets their space aside. An error means that nothing may be acted on.
func (j *Journal) Ready() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counted(j.locked(func(file *os.File) error { return j.setAside(file, 2*maxLine) }))
}

// Intend writes what is about to be done, and sets aside the space of its outcome.
// An error means that neither happened: the act must not begin.
func (j *Journal) Intend(entry Entry) error {
	entry.Phase = PhaseIntend
	line, err := encode(entry.dated(), maxLine)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		return j.counted(err)
	}
	return j.counted(j.locked(func(file *os.File) error { return j.intend(file, entry.ID, line) }))
}

func (j *Journal) intend(file *os.File, id string, line []byte) error {
	room := min(len(line)+outcomeExtra, maxLine)
	if err := j.setAside(file, len(line)+room); err != nil {
		return err
	}
	if err := appendLine(file, line); err != nil {
		return err
	}
	j.promised[id] = room
	return nil
}

// Done writes what came of it. Where an intention was written before, the outcome
// is cut to the space that was set aside for it, if there is no more.
func (j *Journal) Done(entry Entry) error {
	entry.Phase = PhaseOutcome
	entry = entry.dated()
	line, err := encode(entry, maxLine)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		return j.counted(err)
	}
	err = j.locked(func(file *os.File) error { return j.finish(file, entry, line) }, line)
	delete(j.promised, entry.ID)
	return j.counted(err)
}

// finish writes an outcome, and a shorter one where the whole does not fit.
func (j *Journal) finish(file *os.File, entry Entry, line []byte) error {
	room, promised := j.promised[entry.ID]
	err := appendLine(file, line)
	if err != nil && promised && len(line) > room {
		if line, encodeErr := encode(entry, room); encodeErr == nil {
			err = appendLine(file, line)
		}
	}
	return err
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
	return j.counted(j.locked(func(*os.File) error { return nil }))
}

func (j *Journal) counted(err error) error {
	if err != nil {
		j.failed++
	}
	return err
}

func (j *Journal) enqueue(line []byte) {
	if len(j.backlog) >= maxBacklog {
		j.backlog = j.backlog[1:]
		j.lost++
	}
	j.backlog = append(j.backlog, line)
}

// locked opens the file under the writers' lock, writes what waits, and does the
// rest. The lines of waits are put behind what waits where any of that fails.
func (j *Journal) locked(do func(*os.File) error, waits ...[]byte) error {
	err := j.exclusively(do)
	if err == nil {
		return nil
	}
	for _, line := range waits {
		j.enqueue(line)
	}
	return fmt.Errorf("write journal %s: %w", j.path, err)
}

func (j *Journal) exclusively(do func(*os.File) error) error {
	release, err := j.acquire()
	if err != nil {
		return err
	}
	defer release()
	if err := j.prepare(); err != nil {
		return err
	}
	file, err := j.openFile()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := j.drain(file); err != nil {
		return err
	}
	return do(file)
}

// drain writes what waits, oldest first.
func (j *Journal) drain(file *os.File) error {
	for len(j.backlog) > 0 {
		if err := appendLine(file, j.backlog[0]); err != nil {
			return err
		}
		j.backlog = j.backlog[1:]
	}
	return nil
}

// prepare makes the file private, and rotates one that is large or whose first
// entry is old. A file with space set aside for outcomes is not rotated: the space
// belongs to the file, and the outcomes would go to the new one.
func (j *Journal) prepare() error {
	makePrivate(j.path) // before it is rotated: its copies take its mode
	file, err := os.OpenFile(j.path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || len(j.promised) > 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // openFile says what it is
	}
	if info.Size()+2*maxLine > int64(j.options.MaxSizeMB)<<20 {
		return j.rotate(time.Now(), "size")
	}
	if first, known := firstTime(file); known && time.Since(first) >= j.options.RotateAfter {
		return j.rotate(time.Now(), "age")
	}
	return nil
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

// acquire makes the directory where it lacks and takes the writers' lock.
func (j *Journal) acquire() (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(lockPath(j.path), os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	if err := flock.Exclusive(file, j.options.LockWait); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

func lockPath(path string) string { return path + ".lock" }
