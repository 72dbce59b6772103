package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// rotation is a journal with a file of one entry, before it is rotated.
type rotation struct {
	*Journal
	t *testing.T
}

func newRotation(t *testing.T, options Options) rotation {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), FileName), options)
	must(t, err)
	return rotation{j, t}
}

// firstRotation is when the first rotation of a test is.
func firstRotation() time.Time { return time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC) }

// write writes an entry and rotates the file at that time.
func (r rotation) write(id string, at time.Time) {
	r.t.Helper()
	must(r.t, r.Intend(act(id)), r.Done(act(id)), r.rotate(at, "size"))
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

// names are the files of the folder but for the lock.
func (r rotation) names() []string {
	r.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(r.path))
	must(r.t, err)
	var names []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".lock") {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestARotatedFileIsCompressedAndItsOwnersAlone(t *testing.T) {
	r := newRotation(t, Options{})
	r.write("a", firstRotation())
	want := []string{"journal-" + firstRotation().Format(rotatedStamp) + "-size.jsonl.gz"}
	if got := r.names(); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(r.path), want[0]))
	must(t, err)
	if info.Mode().Perm() != fileMode {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	if got := r.ids(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("read %q", got)
	}
}

func TestARotationAtATimeThatAnotherHadTakesNothingFromIt(t *testing.T) {
	r := newRotation(t, Options{})
	for _, id := range []string{"a", "b", "c"} { // the clock is set back each time
		r.write(id, firstRotation())
	}
	if got := r.ids(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("read %q of %q", got, r.names())
	}
}

// TestAWriterThatIsKilledInARotationLosesNothing leaves the folder as a writer does
// that is killed between two steps of a rotation, and lets the next one rotate.
func TestAWriterThatIsKilledInARotationLosesNothing(t *testing.T) {
	for _, c := range []struct {
		says string
		left func(plain string) error // changes what is there after the renaming
	}{
		{"before it compresses", func(string) error { return nil }},
		{"while it compresses", func(plain string) error {
			return os.WriteFile(plain+gzipSuffix+partSuffix, []byte("half of it"), 0o600)
		}},
		{"before the compressed file has its name", func(plain string) error {
			return writeCompressed(plain+gzipSuffix+partSuffix, plain)
		}},
		{"before it removes the source", func(plain string) error { return writeCompressed(plain+gzipSuffix, plain) }},
	} {
		t.Run(c.says, func(t *testing.T) {
			r := newRotation(t, Options{})
			must(t, r.Intend(act("a")), r.Done(act("a")))
			plain, err := r.freeName(firstRotation(), "size")
			must(t, err, os.Rename(r.path, plain), c.left(plain))
			if got := r.ids(); !slices.Equal(got, []string{"a"}) {
				t.Errorf("after the kill: read %q of %q", got, r.names())
			}
			r.write("b", firstRotation().Add(time.Hour))
			if got := r.ids(); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("after the next rotation: read %q of %q", got, r.names())
			}
			for _, name := range r.names() {
				if !strings.HasSuffix(name, gzipSuffix) {
					t.Errorf("left behind: %s", name)
				}
			}
		})
	}
}

func TestWhatCannotBeCompressedStaysAsItIs(t *testing.T) {
	r := newRotation(t, Options{})
	must(t, r.Intend(act("a")), r.Done(act("a")))
	plain, err := r.freeName(firstRotation(), "size")
	must(t, err, os.MkdirAll(filepath.Join(plain+gzipSuffix+partSuffix, "in the way"), 0o700))
	must(t, r.rotate(firstRotation(), "size"))
	if got := r.ids(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("read %q of %q", got, r.names())
	}
}

func TestAFileThatCannotBeRenamedStays(t *testing.T) {
	r := newRotation(t, Options{})
	if err := r.rotate(firstRotation(), "size"); err == nil {
		t.Error("what is not there was rotated")
	}
}

func TestSoManyRotatedFilesAreKeptForSoLong(t *testing.T) {
	r := newRotation(t, Options{MaxBackups: 3, MaxAgeDays: 10})
	for i := range 5 {
		r.write(fmt.Sprint(i), firstRotation().Add(time.Duration(i)*time.Hour))
	}
	if got := r.ids(); !slices.Equal(got, []string{"2", "3", "4"}) {
		t.Errorf("kept %q", got)
	}
	r.write("late", firstRotation().AddDate(0, 0, 10).Add(3*time.Hour))
	if got := r.ids(); !slices.Equal(got, []string{"3", "4", "late"}) {
		t.Errorf("kept %q", got)
	}
	r.write("later", firstRotation().AddDate(0, 0, 10).Add(4*time.Hour+time.Second))
	if got := r.ids(); !slices.Equal(got, []string{"late", "later"}) {
		t.Errorf("kept %q", got)
	}
}

// rotatorEnv makes the test binary a writer that rotates after every entry and
// says the id of each on stdout once it is recorded: "PATH NAME".
const rotatorEnv = "JOURNAL_TEST_ROTATOR"

func rotator(args []string) int {
	j, err := Open(args[0], Options{MaxBackups: 10_000})
	for i := 0; err == nil; i++ {
		id := fmt.Sprintf("%s-%03d", args[1], i)
		if err = errors.Join(j.Intend(act(id)), j.Done(act(id))); err != nil {
			break
		}
		fmt.Println(id)
		var release func()
		if release, err = j.acquire(); err == nil {
			err = j.rotate(time.Now(), "size")
			release()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func TestWritersThatAreKilledWhileTheyRotateLoseNothing(t *testing.T) {
	r := newRotation(t, Options{MaxBackups: 10_000})
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
