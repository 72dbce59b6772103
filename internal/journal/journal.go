package journal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// FileName is the journal's name in a state directory.
const FileName = "journal.jsonl"

// fileMode is that of every file of the journal.
const fileMode fs.FileMode = 0o600

// The journal's use of the disk: a file is rotated before it grows beyond maxSize bytes, and mostRotated
// rotated files are kept.
const (
	maxSize     = 8 << 20
	mostRotated = 10
)

// maxBacklog is how many outcomes may wait in memory. Beyond it the oldest are
// dropped.
const maxBacklog = 1024

// Journal writes entries. It is safe for concurrent use, and several processes may
// write to one file.
type Journal struct {
	path        string
	maxSize     int64
	mostRotated int
	lockWait    time.Duration // for another writer

	mu       sync.Mutex
	backlog  [][]byte       // outcomes that are not written yet, oldest first
	promised map[string]int // by id of an intention, the bytes kept free for its outcome
	failures Failures
	takes    bool // the last write succeeded
}

// Open prepares the journal at path, a file or a directory, and checks that it can be
// written. The Journal is usable even with an error: every write tries again.
func Open(path string) (*Journal, error) {
	j := &Journal{path: File(path), maxSize: maxSize, mostRotated: mostRotated, lockWait: 2 * time.Second, promised: map[string]int{}}
	release, err := j.acquire()
	if err != nil {
		return j, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	release()
	return j, nil
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

// Ready reports that the journal can take an intention and an outcome of any length,
// by reserving their space. Space that is reserved may still take no write, where no file may grow further: unless the
// last write succeeded, one is tried. If it returns an error, nothing may be acted on.
func (j *Journal) Ready() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counted(j.locked(func(file *os.File) error {
		err := j.setAside(file, 2*maxLine)
		if err == nil && !j.takes {
			err = j.probe(file)
		}
		j.takes = err == nil
		return err
	}))
}

// Intend writes an intention and reserves the space of its outcome. If it returns an
// error, neither has happened, and the act must not begin.
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

// Done writes an outcome. If the disk is full, it is cut to the space that its
// intention has reserved.
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

// finish writes an outcome, or a shorter one if the whole does not fit.
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

// Abandon closes an act of an earlier writer: it writes an outcome with the same id,
// the result [ResultUnfinished], and the detail, which says what is known.
// [History.Unfinished] returned the entry and returns it no more. The real outcome
// stays unknown: it counts neither as reaped nor as failed.
func (j *Journal) Abandon(entry Entry, detail string) error {
	entry.BegunAt, entry.Time = entry.Time, time.Now()
	entry.Result, entry.Detail = ResultUnfinished, detail
	entry.Survivors, entry.FreedBytes, entry.TookSeconds = nil, 0, 0
	return j.Done(entry)
}

// Failures are the writes that failed at first, and what came of them. An intention that
// could not be written is no act: only an outcome can be missing from the file.
type Failures struct {
	Writes uint64    // that failed at first
	Last   time.Time // when the last of them was; zero if there was none
	// Unwritten counts the outcomes that are not in the file: those that wait, and those
	// that were dropped.
	Unwritten uint64
}

// Failures are those since the journal was opened.
func (j *Journal) Failures() Failures {
	j.mu.Lock()
	defer j.mu.Unlock()
	failures := j.failures
	failures.Unwritten += uint64(len(j.backlog))
	return failures
}

// Close writes the entries that wait.
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
		j.takes = false
		j.failures.Writes++
		j.failures.Last = time.Now()
	}
	return err
}

func (j *Journal) enqueue(line []byte) {
	if len(j.backlog) >= maxBacklog {
		j.backlog = j.backlog[1:]
		j.failures.Unwritten++
	}
	j.backlog = append(j.backlog, line)
}

// locked opens the file under the writers' lock, writes the waiting lines, and calls
// do. If any of that fails, the lines in waits are added to those that wait.
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
	if err := j.makeRoom(); err != nil {
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

// drain writes the waiting lines, oldest first.
func (j *Journal) drain(file *os.File) error {
	for len(j.backlog) > 0 {
		if err := appendLine(file, j.backlog[0]); err != nil {
			return err
		}
		j.backlog = j.backlog[1:]
	}
	return nil
}

// makeRoom rotates the file if it is large. A file with reserved space is not rotated: the outcomes
// would go to the new file.
func (j *Journal) makeRoom() error {
	if len(j.promised) > 0 {
		return nil
	}
	file, err := j.open(filepath.Base(j.path), os.O_RDONLY)
	if err != nil {
		return nil // there is none, or it is told when it is opened for writing
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size()+2*maxLine <= j.maxSize {
		return err
	}
	return j.rotate(time.Now())
}

// acquire makes the directory if it does not exist, and takes the writers' lock.
func (j *Journal) acquire() (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return nil, err
	}
	file, err := j.open(filepath.Base(lockPath(j.path)), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := Exclusive(file, j.lockWait); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

func lockPath(path string) string { return path + ".lock" }
