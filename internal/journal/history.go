package journal

import (
	"bufio"
	"cmp"
	"compress/gzip"
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
		defer files.close()
		if err != nil && !yield(Entry{}, err) {
			return
		}
		for _, file := range files.open {
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
		reader := h.reader(filter)
		defer reader.Close()
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			for entry, err := range reader.Next() {
				if !yield(entry, err) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// Reader reads a journal bit by bit. It misses no entry when the journal is rotated.
// Close it after use.
type Reader struct {
	history *History
	filter  Filter
	since   time.Time
	tail    tail
}

func (h *History) reader(filter Filter) *Reader {
	return &Reader{history: h, filter: filter, since: filter.Since, tail: tail{path: File(h.Path), read: map[string]bool{}}}
}

// Next yields at first what [History.Read] does, and later what was written since its
// last call.
func (r *Reader) Next() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		since := r.since
		r.since = time.Time{} // what appears from now on is read, whatever its name
		r.history.catchUp(&r.tail, r.filter, since, yield)
	}
}

// Close closes the file that is read.
func (r *Reader) Close() { r.tail.close() }

// tail is the position in a followed journal.
type tail struct {
	path    string
	read    map[string]bool // rotated files that need no reading any more
	current *source         // the file that is written; nil where there is none yet
}

func (t *tail) close() {
	if t.current != nil {
		t.current.close()
	}
}

// catchUp yields what was written since its last call: the rest of the open file and,
// if that was rotated, the files after it.
func (h *History) catchUp(t *tail, filter Filter, since time.Time, yield func(Entry, error) bool) bool {
	if t.current != nil {
		t.current.done = t.current.rotated(t.path)
		if !h.readFile(t.current, filter, yield) {
			return false
		}
		if !t.current.done {
			return true
		}
		t.leaveCurrent()
	}
	files, err := openAll(t.path, since)
	defer t.keepCurrent(files)
	if err != nil && !yield(Entry{}, err) {
		return false
	}
	for _, file := range files.open {
		if !t.read[file.base] && !h.readFile(file, filter, yield) {
			return false
		}
	}
	return true
}

// leaveCurrent closes the file that was written and has been rotated, once it is read to
// its end. Of the rotated files that are not yet noted as read it is the oldest.
func (t *tail) leaveCurrent() {
	t.current.close()
	t.current = nil
	rotated, _ := rotatedFiles(t.path) // openAll reports a folder that cannot be listed
	for _, file := range rotated {
		if !t.read[file.base] {
			t.read[file.base] = true
			return
		}
	}
}

// keepCurrent closes every file but the one that is written.
func (t *tail) keepCurrent(files files) {
	for _, file := range files.open {
		if file.base == "" {
			t.current = file
			continue
		}
		file.close()
	}
	for _, rotated := range files.rotated {
		t.read[rotated.base] = true
	}
}

// source is one open file of the journal.
type source struct {
	name    string
	base    string // the name without compression; "" for the current file
	done    bool   // nobody writes to it any more: a last line without end is torn
	file    *os.File
	lines   *bufio.Reader
	partial []byte // the beginning of a line that is still being written
}

func (s *source) close() { s.file.Close() }

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
func openAll(path string, since time.Time) (files, error) {
	release := holdStill(path)
	defer release()
	var all files
	var err error
	all.rotated, err = rotatedFiles(path)
	problems := []error{err}
	for _, rotated := range all.rotated {
		if since.IsZero() || !rotated.at.Add(clockSlack).Before(since) {
			problems = append(problems, all.add(rotated.name, rotated.base))
		}
	}
	problems = append(problems, all.add(path, ""))
	return all, errors.Join(problems...)
}

// files are the journal's files, oldest first: those open for reading, and the names
// of all rotated ones.
type files struct {
	open    []*source
	rotated []rotatedFile
}

// add opens one more file, if it still exists.
func (f *files) add(name, base string) error {
	file, err := openSource(name, base)
	if file != nil {
		f.open = append(f.open, file)
	}
	return err
}

func (f *files) close() {
	for _, file := range f.open {
		file.close()
	}
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

// openSource opens one file; nil if it is gone.
func openSource(name, base string) (*source, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	s := &source{name: name, base: base, done: base != "", file: file}
	var reader io.Reader = file
	if strings.HasSuffix(name, gzipSuffix) {
		reader = &lazyGzip{file: file}
	}
	s.lines = bufio.NewReaderSize(reader, 2*maxLine)
	return s, nil
}

// lazyGzip reads a compressed file. It reads the header with the first data.
type lazyGzip struct {
	file *os.File
	zip  *gzip.Reader
}

func (z *lazyGzip) Read(p []byte) (n int, err error) {
	if z.zip == nil {
		if z.zip, err = gzip.NewReader(z.file); err != nil {
			return 0, err
		}
	}
	return z.zip.Read(p)
}
