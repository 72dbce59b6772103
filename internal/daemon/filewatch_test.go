package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestManyEventsAreOneChangeOfWhatTheFilesSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, problems, says, told := make(chan fsnotify.Event), make(chan error), "one", 0
		m := movements{events: events, errors: problems, settle: func() string { return says }, last: "one", out: make(chan struct{})}
		ctx, end := context.WithCancel(t.Context())
		go m.run(ctx)
		go func() {
			for range m.out {
				told++
			}
		}()
		after := func(step string, want int) {
			t.Helper()
			time.Sleep(2 * settleFile)
			synctest.Wait()
			if told != want {
				t.Errorf("%s: told %d times, want %d", step, told, want)
			}
		}
		says = "half"
		for _, text := range []string{"half", "nearly", "two"} { // an editor writes in steps
			says = text
			events <- fsnotify.Event{}
		}
		after("written in three steps", 1)
		events <- fsnotify.Event{}
		after("another file of the folder", 1)
		says = "three"
		problems <- errors.New("queue overflow")
		after("an event was missed", 2)
		says = "four"
		for range 20 { // a busy folder
			events <- fsnotify.Event{}
			time.Sleep(settleFile / 4)
		}
		if synctest.Wait(); told < 3 {
			t.Error("a busy folder puts it off")
		}
		end()
		synctest.Wait()
		close(m.out)
	})
}

func TestAFileInAFolderThatDoesNotExistYetIsWatched(t *testing.T) {
	folder := t.TempDir()
	w := newFileWatch([]string{filepath.Join(folder, "config", "reaperd", "policies.yaml")})
	defer w.close()
	if w.problem != nil {
		t.Skip("this system watches no folders: ", w.problem)
	}
	if got := w.watcher.WatchList(); len(got) != 1 || got[0] != folder {
		t.Errorf("watches %q", got)
	}
	if err := os.MkdirAll(filepath.Join(folder, "config", "reaperd"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.again()
	if got := w.watcher.WatchList(); len(got) != 2 {
		t.Errorf("watches %q after the folder came", got)
	}
}
