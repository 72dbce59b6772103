package journal

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Filter selects entries. Zero fields select all.
type Filter struct {
	Since time.Time // included
	// Choose tells which of them.
	Choose func(*Entry) bool
}

func (f Filter) chooses(entry *Entry) bool {
	return !entry.Time.Before(f.Since) && (f.Choose == nil || f.Choose(entry))
}

// History is a journal for reading. Path is its file, or the file's directory.
type History struct {
	Path string
	torn atomic.Int64
}

// Torn counts the incomplete or malformed lines that the last reading has met so far.
func (h *History) Torn() int { return int(h.torn.Load()) }

// Read yields the selected entries, oldest first, rotated files included. A file that
// cannot be read is yielded as an error, and reading continues behind it. If there is
// no journal, there are no entries.
func (h *History) Read(filter Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		h.torn.Store(0)
		files, err := openAll(File(h.Path), filter.Since)
		defer closeAll(files)
		if err != nil && !yield(Entry{}, err) {
			return
		}
		for _, file := range files {
			file.done = true
			if !h.readFile(file, filter, yield) {
				return
			}
		}
	}
}

// Unfinished are the intentions without an outcome, oldest first, written at since or
// later (zero: ever): acts of a reaperd that was killed. It opens only rotated files
// that may contain such entries, so with the time of the boot its cost does not grow
// with the journal.
func (h *History) Unfinished(since time.Time) ([]Entry, error) {
	var problems []error
	open := map[string]Entry{}
	for entry, err := range h.Read(Filter{Since: since}) {
		switch {
		case err != nil:
			problems = append(problems, err)
		case entry.Phase == PhaseIntend:
			open[entry.ID] = entry
		default:
			delete(open, entry.ID)
		}
	}
	unfinished := slices.SortedStableFunc(maps.Values(open), func(a, b Entry) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID))
	})
	return unfinished, errors.Join(problems...)
}

// followEvery is how often a followed journal is read.
const followEvery = 250 * time.Millisecond

// Follow yields what Read does and then every new entry, until ctx ends. It misses
// none when the journal is rotated.
func (h *History) Follow(ctx context.Context, filter Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		h.torn.Store(0)
		var newest *source
		defer func() { closeAll([]*source{newest}) }()
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			var goOn bool
			if newest, goOn = h.catchUp(newest, filter, yield); !goOn {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// catchUp yields what was written since its last call: the rest of the file that was the newest then and, if
// that was rotated, the files after it. It returns the newest; nil if there is none yet.
func (h *History) catchUp(before *source, filter Filter, yield func(Entry, error) bool) (newest *source, goOn bool) {
	path := File(h.Path)
	if before != nil && !before.rotated(path) {
		return before, h.readFile(before, filter, yield)
	}
	since := filter.Since
	if before != nil {
		since = time.Time{} // what follows is read, whatever its name
	}
	files, err := openAll(path, since)
	if before != nil {
		read := 1 + slices.IndexFunc(files, before.is) // 0: it was removed, and all are newer
		closeAll(files[:read])
		files = append([]*source{before}, files[read:]...)
	}
	goOn = err == nil || yield(Entry{}, err)
	for i, file := range files {
		file.done = i < len(files)-1
		goOn = goOn && h.readFile(file, filter, yield)
	}
	if len(files) == 0 {
		return nil, goOn
	}
	closeAll(files[:len(files)-1])
	return files[len(files)-1], goOn
}

// source is one open file of the journal.
type source struct {
	name    string
	done    bool // nobody writes to it any more: a last line without end is torn
	file    *os.File
	lines   *bufio.Reader
	partial []byte // the beginning of a line that is still being written
}

func closeAll(files []*source) {
	for _, file := range files {
		if file != nil {
			file.file.Close()
		}
	}
}

// is reports that two are one file.
func (s *source) is(other *source) bool {
	mine, err := s.file.Stat()
	its, unread := other.file.Stat()
	return err == nil && unread == nil && os.SameFile(mine, its)
}

// rotated reports that the journal's name now belongs to another file.
func (s *source) rotated(path string) bool {
	mine, err := s.file.Stat()
	if err != nil {
		return true
	}
	now, err := os.Stat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(mine, now)
}

// readFile yields the selected entries of one file, up to its present end. It returns
// false if the caller wants no more.
func (h *History) readFile(s *source, filter Filter, yield func(Entry, error) bool) bool {
	for {
		line, err := s.next()
		if line != nil && !h.yieldLine(line, filter, yield) {
			return false
		}
		if errors.Is(err, io.EOF) {
			if s.done && len(s.partial) > 0 {
				s.partial = nil
				h.torn.Add(1)
			}
			return true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			h.torn.Add(1)
			continue
		}
		if err != nil {
			return yield(Entry{}, fmt.Errorf("read journal %s: %w", s.name, err))
		}
	}
}

func (h *History) yieldLine(line []byte, filter Filter, yield func(Entry, error) bool) bool {
	var entry Entry
	if json.Unmarshal(line, &entry) != nil || entry.ID == "" {
		h.torn.Add(1)
		return true
	}
	return !filter.chooses(&entry) || yield(entry, nil)
}

// next is the next complete line. At the end of the file it keeps the beginning of a
// line for the next call. A line that is too long for an entry is skipped, and the
// error is bufio.ErrBufferFull.
func (s *source) next() ([]byte, error) {
	line, err := s.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(s.partial)+len(line) > 2*maxLine {
		return nil, s.skipLine(err)
	}
	if err != nil {
		s.partial = append(s.partial, line...)
		return nil, err
	}
	whole := append(s.partial, line...)
	s.partial = nil
	return whole, nil
}

// skipLine leaves the rest of a line that is too long unread.
func (s *source) skipLine(err error) error {
	s.partial = nil
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = s.lines.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return bufio.ErrBufferFull
}

// openAll opens the journal's files, oldest first, while no writer can rotate them;
// open files stay readable when they are renamed or removed. Rotated files that are
// older than since are left out. The error is about files that could not be opened;
// the others are returned.
func openAll(path string, since time.Time) ([]*source, error) {
	release := holdStill(path)
	defer release()
	rotated, err := rotatedFiles(path)
	var files []*source
	problems := []error{err}
	for _, file := range append(rotated, rotatedFile{name: path}) {
		if !file.at.IsZero() && file.at.Add(clockSlack).Before(since) {
			continue
		}
		opened, err := os.Open(file.name)
		if err == nil {
			files = append(files, &source{name: file.name, file: opened, lines: bufio.NewReaderSize(opened, 2*maxLine)})
		} else if !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, fmt.Errorf("read journal: %w", err))
		}
	}
	return files, errors.Join(problems...)
}

// clockSlack is how far the time in a file's name may lie before its last entry, if
// the clock was set back.
const clockSlack = 24 * time.Hour

// holdStill keeps writers from rotating while files are opened. Without the lock
// reading goes on, and may miss a file that is rotated at that moment.
func holdStill(path string) (release func()) {
	file, err := os.Open(lockPath(path))
	if err != nil {
		return func() {}
	}
	_ = Shared(file, time.Second)
	return func() { file.Close() }
}
