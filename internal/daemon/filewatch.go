package daemon

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/reaperd/reaperd/internal/policyfile"
)

// settleFile is how long the watch waits before it reads a changed file: editors
// write in several steps.
const settleFile = 200 * time.Millisecond

// fileWatch watches the folders of some files, even of files that do not exist yet if
// a folder above them does. It watches folders because editors replace files.
type fileWatch struct {
	files   []string
	watcher *fsnotify.Watcher // nil where the system has none
	problem error
}

func newFileWatch(files []string) *fileWatch {
	w := &fileWatch{files: files}
	w.watcher, w.problem = fsnotify.NewWatcher()
	if w.problem == nil {
		w.again()
	}
	return w
}

// changes reports, until ctx ends, that the content of one of the files has changed,
// a while after the change began.
func (w *fileWatch) changes(ctx context.Context) <-chan struct{} {
	moves := movements{
		settle: func() string { w.again(); return policyfile.Fingerprint(w.files) },
		last:   policyfile.Fingerprint(w.files),
		out:    make(chan struct{}),
	}
	if w.watcher != nil {
		moves.events, moves.errors = w.watcher.Events, w.watcher.Errors
	}
	go moves.run(ctx)
	return moves.out
}

// movements turns many events below a folder into one for each change of the files'
// content.
type movements struct {
	events <-chan fsnotify.Event
	errors <-chan error
	settle func() string // what the files say by now
	last   string        // what they said when out was told last
	out    chan struct{}
}

func (m *movements) run(ctx context.Context) {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.errors: // something may have been missed
			settled = time.After(settleFile)
		case <-m.events:
			if settled == nil { // else events that do not cease would put it off for ever
				settled = time.After(settleFile)
			}
		case <-settled:
			settled = nil
			now := m.settle()
			if now == m.last {
				continue
			}
			m.last = now
			select {
			case m.out <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// again watches the nearest folders that exist now.
func (w *fileWatch) again() {
	if w.watcher == nil {
		return
	}
	for _, file := range w.files {
		folder := filepath.Dir(file)
		for !isFolder(folder) && folder != filepath.Dir(folder) {
			folder = filepath.Dir(folder)
		}
		if !slices.Contains(w.watcher.WatchList(), folder) {
			if err := w.watcher.Add(folder); err != nil && w.problem == nil {
				w.problem = err
			}
		}
		w.followLink(file)
	}
}

// followLink watches the target of a link, such as a mounted ConfigMap's.
func (w *fileWatch) followLink(file string) {
	if target, err := filepath.EvalSymlinks(file); err == nil && target != file {
		_ = w.watcher.Add(filepath.Dir(target)) // the folder above is watched in any case
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (w *fileWatch) close() {
	if w.watcher != nil {
		_ = w.watcher.Close()
	}
}
