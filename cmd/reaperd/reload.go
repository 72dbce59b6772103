package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/fsnotify/fsnotify"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

// settleFile is how long a changed policy file is left alone before it is read:
// editors write in several steps.
const settleFile = 200 * time.Millisecond

// awaitPolicy waits for a policy to start with: the file had faults, which were
// said. Nothing is acted on meanwhile.
func (d *daemon) awaitPolicy(ctx context.Context, reloads <-chan *policy.Policy) *policy.Policy {
	alive := time.NewTicker(aliveEvery())
	defer alive.Stop()
	for {
		select {
		case p := <-reloads:
			d.describe(p)
			return p
		case <-alive.C:
			d.beat()
		case <-ctx.Done():
			return nil
		}
	}
}

// aliveEvery is how often the service manager is told that the daemon lives: twice
// within the time after which it would end it (WATCHDOG_USEC).
func aliveEvery() time.Duration {
	within, err := systemd.SdWatchdogEnabled(false)
	if err != nil || within <= 0 {
		return 20 * time.Second
	}
	return within / 2
}

// load reads the policy; nil where it has faults, which are said.
func (d *daemon) load() *policy.Policy {
	p, err := loadPolicy(d.policies)
	if err != nil {
		d.refuse(err)
		return nil
	}
	d.governed.Store(true)
	p = d.modeOf(p)
	d.metrics.PolicyReloaded(serve.PolicyOf(p, d.originOf(p)), time.Now())
	return p
}

func (d *daemon) refuse(err error) {
	var faults policy.Faults
	texts := []string{err.Error()}
	if errors.As(err, &faults) {
		texts = texts[:0]
		for _, fault := range faults {
			texts = append(texts, fault.Error())
		}
	}
	d.metrics.PolicyRefused(texts)
	text := "policy refused; the one before holds"
	if !d.governed.Load() {
		text = "policy refused, and there is none before it"
	}
	d.log.Error(text, "faults", texts)
}

// replaceOn hands every policy that was read anew to the loop.
func (d *daemon) replaceOn(ctx context.Context, reloads <-chan *policy.Policy, replace chan<- *sweep.Sweeper) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-reloads:
			d.next.Store(p)
			d.describe(p)
			select {
			case replace <- d.sweeperOf(p):
			case <-ctx.Done():
				return
			}
		}
	}
}

// watchPolicy reads the policy again on SIGHUP and when a file that it may come
// from changes. It watches folders, because editors replace the file.
func (d *daemon) watchPolicy(ctx context.Context, reloads chan<- *policy.Policy) {
	watch := newFileWatch(policyFiles(d.policies))
	defer watch.close()
	if watch.problem != nil {
		d.log.Warn("the policy's folder cannot be watched; SIGHUP reads it again", "err", watch.problem)
	}
	last := d.read
	changes := watch.changes(ctx)
	if now := fingerprint(watch.files); now != last { // since it was read first
		last = now
		d.reload(ctx, reloads)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.hangups:
			last = fingerprint(watch.files)
			d.reload(ctx, reloads)
			d.wake(sweep.TriggerSignal)
		case <-d.recheck:
			d.reload(ctx, reloads)
		case <-changes:
			if now := fingerprint(watch.files); now != last {
				last = now
				d.reload(ctx, reloads)
			}
		}
	}
}

func (d *daemon) reload(ctx context.Context, reloads chan<- *policy.Policy) {
	d.notify(systemd.SdNotifyReloading + "\n" + monotonic())
	defer d.notify(systemd.SdNotifyReady)
	p := d.load()
	if p == nil {
		return
	}
	select {
	case reloads <- p:
	case <-ctx.Done():
	}
}

// policyFiles are the files that a policy may come from.
func policyFiles(named string) []string {
	if named != "" {
		return []string{named}
	}
	return policyPaths()
}

// fingerprint is equal while the files say the same, and may or may not be gone by.
func fingerprint(files []string) string {
	var b strings.Builder
	for _, file := range files {
		data, err := readSteering(file)
		if err != nil {
			b.WriteString("-" + err.Error())
		}
		b.Write(data)
		b.WriteByte(0)
	}
	return b.String()
}

// fileWatch watches the folders of some files, also those that do not exist yet,
// as far as a folder above them does.
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

// changes tells until ctx ends that one of the files says something else, a while
// after it began to change.
func (w *fileWatch) changes(ctx context.Context) <-chan struct{} {
	out := make(chan struct{})
	last := fingerprint(w.files)
	go func() {
		var settled <-chan time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.errors(): // something may have been missed
				settled = time.After(settleFile)
			case <-w.changed():
				if settled == nil { // a busy folder must not put it off for ever
					settled = time.After(settleFile)
				}
			case <-settled:
				settled = nil
				w.again()
				now := fingerprint(w.files)
				if now == last {
					continue
				}
				last = now
				select {
				case out <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
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

// followLink watches where a link leads, as a mounted ConfigMap's does.
func (w *fileWatch) followLink(file string) {
	if target, err := filepath.EvalSymlinks(file); err == nil && target != file {
		_ = w.watcher.Add(filepath.Dir(target)) // the folder above is watched in any case
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (w *fileWatch) changed() <-chan fsnotify.Event {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Events
}

func (w *fileWatch) errors() <-chan error {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Errors
}

func (w *fileWatch) close() {
	if w.watcher != nil {
		_ = w.watcher.Close()
	}
}
