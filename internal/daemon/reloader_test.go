package daemon

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// files are policies that say something else when they are edited.
type files struct {
	edited bool // since they were read
	faulty bool
	reads  int
}

func (f *files) filesChanged() bool { return f.edited }

func (f *files) load() *policy.Policy {
	f.edited = false
	f.reads++
	if f.faulty {
		return nil
	}
	return &policy.Policy{}
}

func TestWhenThePolicyIsReadAgain(t *testing.T) {
	for _, row := range []struct {
		says   string
		before files
		event  func(f *files, changes chan<- struct{}, hangups chan<- os.Signal)
		reads  int
		loaded int
		wakes  []human.Trigger
	}{
		{says: "nothing happens"},
		{says: "a file changed while the daemon started", before: files{edited: true}, reads: 1, loaded: 1},
		{says: "a file changes", reads: 1, loaded: 1, event: func(f *files, changes chan<- struct{}, _ chan<- os.Signal) {
			f.edited = true
			changes <- struct{}{}
		}},
		{says: "a file changes and changes back", event: func(_ *files, changes chan<- struct{}, _ chan<- os.Signal) {
			changes <- struct{}{}
		}},
		{says: "a file gets faults: the next look tells that", reads: 1, wakes: []human.Trigger{human.TriggerSignal}, event: func(f *files, changes chan<- struct{}, _ chan<- os.Signal) {
			f.edited, f.faulty = true, true
			changes <- struct{}{}
		}},
		{says: "a hangup, and no file has changed", reads: 1, loaded: 1, wakes: []human.Trigger{human.TriggerSignal},
			event: func(_ *files, _ chan<- struct{}, hangups chan<- os.Signal) { hangups <- syscall.SIGHUP }},
	} {
		t.Run(row.says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, hangups, changes := row.before, make(chan os.Signal), make(chan struct{})
				r := newReloader(&f, hangups)
				var told []string
				var wakes []human.Trigger
				r.tell = func(state string) { told = append(told, state) }
				r.wake = func(by human.Trigger) { wakes = append(wakes, by) }
				ctx, end := context.WithCancel(t.Context())
				loaded := 0
				go func() {
					for {
						select {
						case <-r.loaded:
							loaded++
						case <-ctx.Done():
							return
						}
					}
				}()
				go r.run(ctx, changes)
				synctest.Wait() // it has looked once, and waits
				if row.event != nil {
					go row.event(&f, changes, hangups)
				}
				synctest.Wait()
				if f.reads != row.reads || loaded != row.loaded || !slices.Equal(wakes, row.wakes) {
					t.Errorf("read %d times, %d loaded, woke for %v", f.reads, loaded, wakes)
				}
				if len(told) != 2*row.reads || row.reads > 0 && (!strings.HasPrefix(told[0], "RELOADING=1\nMONOTONIC_USEC=") || told[1] != "READY=1") {
					t.Errorf("told the service manager %q", told)
				}
				end()
				synctest.Wait()
			})
		})
	}
}

func TestAPolicyThatNobodyTakesDoesNotKeepTheDaemonFromEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReloader(&files{edited: true}, nil)
		r.tell = func(string) {}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.run(ctx, nil); close(ended) }()
		synctest.Wait()
		end()
		<-ended
	})
}
