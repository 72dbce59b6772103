package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// rotation is a journal with a file of one entry, before it is rotated.
type rotation struct {
	*Journal
	t *testing.T
}

func newRotation(t *testing.T) rotation {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), FileName))
	must(t, err)
	return rotation{j, t}
}

// firstRotation is when the first rotation of a test is.
func firstRotation() time.Time { return time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC) }

// write writes an entry and rotates the file at that time.
func (r rotation) write(id string, at time.Time) {
	r.t.Helper()
	must(r.t, r.Intend(act(id)), r.Done(act(id)), r.rotate(at))
}

// ids are those of all entries that readers find, once each.
func (r rotation) ids() []string {
	r.t.Helper()
	h := &History{Path: r.path}
	var ids []string
	for entry, err := range h.Read(Filter{}) {
		must(r.t, err)
		if entry.Phase == PhaseOutcome {
			ids = append(ids, entry.ID)
		}
	}
	if h.Torn() != 0 {
		r.t.Errorf("%d torn lines", h.Torn())
	}
	slices.Sort(ids)
	return ids
}

func TestARotationAtATimeThatAnotherHadTakesNothingFromIt(t *testing.T) {
	r := newRotation(t)
	for _, id := range []string{"a", "b", "c"} { // the clock is set back each time
		r.write(id, firstRotation())
	}
	if got := r.ids(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("read %q", got)
	}
}

func TestAFileThatCannotBeRenamedStays(t *testing.T) {
	r := newRotation(t)
	if err := r.rotate(firstRotation()); err == nil {
		t.Error("what is not there was rotated")
	}
}

func TestSoManyRotatedFilesAreKept(t *testing.T) {
	r := newRotation(t)
	r.mostRotated = 3
	for i := range 5 {
		r.write(fmt.Sprint(i), firstRotation().Add(time.Duration(i)*time.Hour))
	}
	if got := r.ids(); !slices.Equal(got, []string{"2", "3", "4"}) {
		t.Errorf("kept %q", got)
	}
}

// rotatorEnv makes the test binary a writer that rotates after every entry and
// says the id of each on stdout once it is recorded: "PATH NAME".
const rotatorEnv = "JOURNAL_TEST_ROTATOR"

func rotator(args []string) int {
	j, err := Open(args[0])
	j.mostRotated = 10_000
	for i := 0; err == nil; i++ {
		id := fmt.Sprintf("%s-%03d", args[1], i)
		if err = errors.Join(j.Intend(act(id)), j.Done(act(id))); err != nil {
			break
		}
		fmt.Println(id)
		var release func()
		if release, err = j.acquire(); err == nil {
			err = j.rotate(time.Now())
			release()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func TestWritersThatAreKilledWhileTheyRotateLoseNothing(t *testing.T) {
	r := newRotation(t)
	self, err := os.Executable()
	must(t, err)
	var recorded []string
	for n := range 20 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %02d", rotatorEnv, r.path, n))
		out, err := cmd.StdoutPipe()
		must(t, err, cmd.Start())
		lines := bufio.NewScanner(out)
		for range n%4 + 1 {
			if !lines.Scan() {
				t.Fatal("the writer ended by itself")
			}
			recorded = append(recorded, lines.Text())
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() { // recorded before it was killed
			recorded = append(recorded, lines.Text())
		}
		_ = cmd.Wait()
	}
	got := r.ids()
	for _, id := range recorded {
		if at, found := slices.BinarySearch(got, id); !found || at+1 < len(got) && got[at+1] == id {
			t.Errorf("%s: recorded, and read once: %v", id, found)
		}
	}
	t.Logf("%d entries of 20 writers", len(recorded))
}
