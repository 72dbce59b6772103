package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"github.com/reaperd/reaperd/internal/ownfile"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/eventually"
)

// When this is set the test binary is a second writer: "PATH NAME COUNT".
const writerEnv = "JOURNAL_TEST_WRITER"

func TestMain(m *testing.M) {
	if args := os.Getenv(writerEnv); args != "" {
		os.Exit(writer(strings.Fields(args)))
	}
	if args := os.Getenv(rotatorEnv); args != "" {
		os.Exit(rotator(strings.Fields(args)))
	}
	os.Exit(m.Run())
}

// writer writes COUNT big intentions and their outcomes.
func writer(args []string) int {
	count, _ := strconv.Atoi(args[2])
	j, err := Open(args[0])
	j.maxSize, j.lockWait = 1<<20, time.Minute
	for i := 0; i < count && err == nil; i++ {
		entry := act(fmt.Sprintf("%s-%d", args[1], i))
		entry.Detail = strings.Repeat("x", 30<<10)
		err = errors.Join(j.Intend(entry), j.Done(entry))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func act(id string) Entry {
	return Entry{ID: id, TargetID: "141:153644", Rule: "orphaned-servers", Kind: "server", Name: "playwright-mcp",
		Tree: []Process{{PID: 141, Start: 153644, Argv: []string{"npm", "exec", "@playwright/mcp"}, MemoryBytes: new(uint64(4096))}, {PID: 150, Start: 153650}}}
}

func open(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// ids reads the whole journal as "id/phase" in order.
func ids(t *testing.T, h *History, filter Filter) []string {
	t.Helper()
	var got []string
	for entry, err := range h.Read(filter) {
		must(t, err)
		got = append(got, entry.ID+"/"+string(entry.Phase))
	}
	return got
}

func TestAnActStandsTwiceWithOneID(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "reaperd")
	j := open(t, folder+"/")
	done := act("s1-1")
	done.Result, done.FreedBytes = "killed", 4096
	must(t, j.Intend(act("s1-1")), j.Intend(act("s1-2")), j.Done(done))

	h := &History{Path: folder}
	if got, want := strings.Join(ids(t, h, Filter{}), " "), "s1-1/intend s1-2/intend s1-1/outcome"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	unfinished, err := h.Unfinished(time.Time{})
	must(t, err)
	if len(unfinished) != 1 || unfinished[0].ID != "s1-2" || len(unfinished[0].Tree) != 2 {
		t.Errorf("unfinished: got %+v", unfinished)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, j.Path(): 0o600, j.Path() + ".lock": 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s: mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

func TestAnActThatWasGivenUpOnIsUnfinishedNoMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	begun := act("a")
	begun.Time = time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, j.Intend(begun))
	h := &History{Path: path}
	unfinished, err := h.Unfinished(time.Time{})
	must(t, err)
	if len(unfinished) != 1 {
		t.Fatalf("got %+v", unfinished)
	}
	must(t, j.Abandon(unfinished[0], "the daemon was killed while it was at it"))

	var last Entry
	for entry, err := range h.Read(Filter{}) {
		must(t, err)
		last = entry
	}
	if last.ID != "a" || last.Phase != PhaseOutcome || last.Result != ResultUnfinished || last.Detail == "" || len(last.Tree) != 2 {
		t.Errorf("got %+v", last)
	}
	if !last.BegunAt.Equal(begun.Time) || !last.Time.After(begun.Time) {
		t.Errorf("begun at %v, given up at %v", last.BegunAt, last.Time)
	}
	if unfinished, err := h.Unfinished(time.Time{}); err != nil || len(unfinished) != 0 {
		t.Errorf("unfinished: %v, %v", unfinished, err)
	}
}

func TestUnfinishedSinceATimeReadsNoFileThatIsOlder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "journal.jsonl")
	boot := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	rotated := func(at time.Time) string {
		return filepath.Join(folder, "journal-"+at.Format(rotatedStamp)+".jsonl")
	}
	line := func(id string, phase Phase, at time.Time) string {
		entry := act(id)
		entry.Time, entry.Phase = at, phase
		data, err := encode(entry, maxLine)
		must(t, err)
		return string(data)
	}
	must(t,
		os.WriteFile(rotated(boot.AddDate(0, 0, -7)), []byte("no entry\n"), 0o600),
		os.WriteFile(rotated(boot.Add(time.Hour)), []byte(
			line("before", PhaseIntend, boot.Add(-time.Second))+
				line("at-boot", PhaseIntend, boot)+
				line("ended", PhaseIntend, boot.Add(time.Minute))), 0o600),
		os.WriteFile(path, []byte(
			line("ended", PhaseOutcome, boot.Add(2*time.Hour))+
				line("late", PhaseIntend, boot.Add(3*time.Hour))), 0o600))
	h := &History{Path: path}
	unfinished, err := h.Unfinished(boot)
	if err != nil || h.Torn() != 0 {
		t.Errorf("the old file is not to be read: %v, torn %d", err, h.Torn())
	}
	var got []string
	for _, entry := range unfinished {
		got = append(got, entry.ID)
	}
	if want := "at-boot late"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if all, err := h.Unfinished(time.Time{}); err != nil || len(all) != 3 || h.Torn() != 1 {
		t.Errorf("of all times: %d, %v, torn %d", len(all), err, h.Torn())
	}
}

func TestReadingANeverWrittenJournalIsNoError(t *testing.T) {
	h := &History{Path: filepath.Join(t.TempDir(), "none", "journal.jsonl")}
	if got := ids(t, h, Filter{}); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestFilter(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	server := act("p")
	server.Time = at
	for _, row := range []struct {
		name   string
		filter Filter
		want   bool
	}{
		{"nothing asked chooses all", Filter{}, true},
		{"since includes its moment", Filter{Since: at}, true},
		{"what was before is left out", Filter{Since: at.Add(time.Nanosecond)}, false},
		{"the caller chooses", Filter{Choose: func(e *Entry) bool { return e.ID == "p" }}, true},
		{"the caller leaves it out", Filter{Since: at, Choose: func(e *Entry) bool { return e.ID != "p" }}, false},
	} {
		if got := row.filter.chooses(&server); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestALineThatWasCutShortIsSkippedAndSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	must(t, j.Intend(act("a")))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(`{"time":"2026-11-20T23:24:00Z","id":"b","pha`)
	must(t, err, file.Close())

	h := &History{Path: path}
	if got := ids(t, h, Filter{}); len(got) != 1 || h.Torn() != 1 {
		t.Errorf("torn last line: got %v, torn %d", got, h.Torn())
	}
	must(t, j.Done(act("a"))) // the next writer closes it
	h = &History{Path: path}
	if got, want := strings.Join(ids(t, h, Filter{}), " "), "a/intend a/outcome"; got != want || h.Torn() != 1 {
		t.Errorf("got %s, torn %d, want %s, torn 1", got, h.Torn(), want)
	}
}

func TestATornLineIsCountedOnceHoweverOftenItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	must(t, os.WriteFile(path, []byte("{\"id\":\"a\n{\"id\":\"b\"}\n"), 0o600))
	h := &History{Path: path}
	for range 2 {
		if got := ids(t, h, Filter{}); len(got) != 1 || h.Torn() != 1 {
			t.Errorf("got %v, torn %d", got, h.Torn())
		}
	}
	if _, err := h.Unfinished(time.Time{}); err != nil || h.Torn() != 1 {
		t.Errorf("unfinished: %v, torn %d", err, h.Torn())
	}
}

func TestALineLongerThanAnyEntryIsSkipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	must(t, os.WriteFile(path, []byte(strings.Repeat("x", 5*maxLine)+"\n"), 0o600))
	j := open(t, path)
	must(t, j.Intend(act("a")))
	h := &History{Path: path}
	if got := ids(t, h, Filter{}); len(got) != 1 || h.Torn() != 1 {
		t.Errorf("got %v, torn %d", got, h.Torn())
	}
}

func TestAHugeTreeIsCutToOneLineAndSaysSo(t *testing.T) {
	entry := act("a")
	for pid := range 3000 {
		entry.Tree = append(entry.Tree, Process{PID: 200 + pid, Argv: []string{strings.Repeat("é", 500)}})
	}
	line, err := encode(entry, maxLine)
	must(t, err)
	if len(line) > maxLine {
		t.Errorf("line has %d bytes, more than %d", len(line), maxLine)
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	must(t, os.WriteFile(path, line, 0o600))
	for got, err := range (&History{Path: path}).Read(Filter{}) {
		must(t, err)
		if got.TreeOmitted+len(got.Tree) != len(entry.Tree) {
			t.Errorf("kept %d, omitted %d of %d", len(got.Tree), got.TreeOmitted, len(entry.Tree))
		}
	}
}

func TestAnIntentionThatCannotBeWrittenIsAnErrorAndLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	blocked := filepath.Join(folder, "state")
	must(t, os.WriteFile(blocked, nil, 0o600)) // a file where the folder should be
	j, err := Open(filepath.Join(blocked, "journal.jsonl"))
	if err == nil || j.Ready() == nil || j.Intend(act("a")) == nil || j.Intend(act("b")) == nil {
		t.Fatal("want errors while the folder cannot be made")
	}
	if got := j.Failures(); got.Writes != 3 || got.Unwritten != 0 {
		t.Errorf("got %+v, want 3 writes that failed, and no outcome that is missing", got)
	}
	must(t, os.Remove(blocked), j.Ready(), j.Intend(act("c")), j.Done(act("c")))
	if got, want := strings.Join(ids(t, &History{Path: blocked}, Filter{}), " "), "c/intend c/outcome"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnOutcomeThatCannotBeWrittenIsWrittenBeforeTheNextLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	j.lockWait = time.Millisecond
	must(t, j.Intend(act("a")))
	release, err := j.acquire()
	must(t, err)
	if err := j.Done(act("a")); !errors.Is(err, ownfile.ErrHeld) {
		t.Errorf("got %v", err)
	}
	if got := j.Failures(); got.Writes != 1 || got.Unwritten != 1 || got.Last.IsZero() {
		t.Errorf("while the outcome waits: %+v", got)
	}
	release()
	must(t, j.Intend(act("b")))
	if got := j.Failures(); got.Writes != 1 || got.Unwritten != 0 {
		t.Errorf("when it is written: %+v", got)
	}
	if got, want := strings.Join(ids(t, &History{Path: path}, Filter{}), " "), "a/intend a/outcome b/intend"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAJournalThatIsNoRegularFileTakesNothingAndHoldsUpNobody(t *testing.T) {
	folder := t.TempDir()
	for name, row := range map[string]struct {
		make func(path string) error
		want error
	}{
		"a FIFO":              {func(path string) error { return unix.Mkfifo(path, 0o600) }, ownfile.ErrIrregular},
		"a device that loses": {func(path string) error { return os.Symlink("/dev/null", path) }, ownfile.ErrLink},
		"a device that fills": {func(path string) error { return os.Symlink("/dev/full", path) }, ownfile.ErrLink},
	} {
		path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		must(t, row.make(path))
		j, _ := Open(path)
		if err := j.Intend(act("a")); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", name, err, row.want)
		}
	}
}

// Whoever can make files in the journal's folder could lead its lines, or its lock, into any file of the writer's.
func TestAJournalIsWrittenWhereNobodyElseMakesFiles(t *testing.T) {
	mine := filepath.Join(t.TempDir(), ".bashrc")
	must(t, os.WriteFile(mine, []byte("mine"), 0o600))
	for says, row := range map[string]struct {
		plant func(folder string) error
		want  error // nil: it is written
	}{
		"nothing is planted":                 {func(string) error { return nil }, nil},
		"the journal is a link":              {func(f string) error { return os.Symlink(mine, filepath.Join(f, FileName)) }, ownfile.ErrLink},
		"the lock is a link":                 {func(f string) error { return os.Symlink(mine, lockPath(filepath.Join(f, FileName))) }, ownfile.ErrLink},
		"the journal is a hard link":         {func(f string) error { return os.Link(mine, filepath.Join(f, FileName)) }, ownfile.ErrNames},
		"anybody can write the folder":       {func(f string) error { return os.Chmod(f, 0o777) }, ownfile.ErrWritable},
		"anybody can make files, as in /tmp": {func(f string) error { return os.Chmod(f, 0o777|fs.ModeSticky) }, nil},
		"the folder is another user's": {func(f string) error {
			if os.Geteuid() != 0 {
				return ownfile.ErrForeign
			}
			return os.Chown(f, 1234, 1234)
		}, ownfile.ErrForeign},
	} {
		t.Run(says, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "state")
			must(t, os.Mkdir(folder, 0o700))
			if err := row.plant(folder); errors.Is(err, ownfile.ErrForeign) {
				t.Skip("left out: giving a folder away needs root")
			} else {
				must(t, err)
			}
			j, _ := Open(filepath.Join(folder, FileName))
			if err := j.Intend(act("a")); !errors.Is(err, row.want) || row.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, row.want)
			}
			if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
				t.Errorf("my own file is %q now (%v)", text, err)
			}
		})
	}
}

// A file that may not grow takes space that is set aside, and no write.
func TestAJournalThatMayNotGrowIsNotReady(t *testing.T) {
	var before unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &before))
	j, err := Open(filepath.Join(t.TempDir(), FileName))
	must(t, err)
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: before.Max}))
	atFirst, acted, then := j.Ready(), j.Intend(act("a")), j.Ready()
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &before))
	for says, err := range map[string]error{"at first": atFirst, "an act": acted, "then": then} {
		if !errors.Is(err, unix.EFBIG) {
			t.Errorf("%s: got %v, want that the file is too large", says, err)
		}
	}
	if err := j.Ready(); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestABacklogIsBounded(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "state")
	must(t, os.WriteFile(blocked, nil, 0o600))
	j, _ := Open(filepath.Join(blocked, "journal.jsonl"))
	for i := range maxBacklog + 5 {
		_ = j.Done(act(strconv.Itoa(i)))
	}
	if oldest := string(j.backlog[0]); len(j.backlog) != maxBacklog || !strings.Contains(oldest, `"id":"5"`) {
		t.Errorf("%d entries wait, want %d; the oldest is %s", len(j.backlog), maxBacklog, oldest)
	}
}

func TestAWriterThatHoldsTheLockForEverHoldsUpNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	j.lockWait = 10 * time.Millisecond
	release, err := j.acquire()
	must(t, err)
	if err := j.Intend(act("a")); !errors.Is(err, ownfile.ErrHeld) {
		t.Errorf("got %v, want it locked", err)
	}
	release()
	must(t, j.Intend(act("b")))
	if got := ids(t, &History{Path: path}, Filter{}); len(got) != 1 {
		t.Errorf("after the lock was given up: got %v", got)
	}
}

func TestALargeFileIsRotatedOnceItsActsHaveOutcomes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	must(t, j.Intend(act("old")))
	j.maxSize = 0
	must(t, j.Intend(act("between")), j.Done(act("between")))
	if rotated, err := rotatedFiles(path); err != nil || len(rotated) != 0 {
		t.Fatalf("rotated with an act that has no outcome yet: %+v, %v", rotated, err)
	}
	must(t, j.Done(act("old")), j.Intend(act("new")))
	rotated, err := rotatedFiles(path)
	must(t, err)
	if len(rotated) != 1 {
		t.Fatalf("rotated: got %+v, want one file", rotated)
	}
	info, err := os.Stat(rotated[0].name)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("rotated file: mode %o", info.Mode().Perm())
	}
	h := &History{Path: path}
	if got, want := strings.Join(ids(t, h, Filter{}), " "), "old/intend between/intend between/outcome old/outcome new/intend"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWritingLeavesNoGoroutineAndNoOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	before := runtime.NumGoroutine()
	for i := range 20 {
		must(t, j.Intend(act(strconv.Itoa(i))))
	}
	eventually.Holds(t, "no goroutine left", func() bool { return runtime.NumGoroutine() <= before })
}

func TestTwoProcessesAndRotationLoseAndMixNothing(t *testing.T) {
	const each = 40 // 2 × 40 × 2 × 30 KiB: several rotations of 1 MB
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	self, err := os.Executable()
	must(t, err)
	var writers []*exec.Cmd
	for _, name := range []string{"tool", "daemon"} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", writerEnv, path, name, each))
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		writers = append(writers, cmd)
	}
	for _, cmd := range writers {
		must(t, cmd.Wait())
	}
	h := &History{Path: path}
	next := map[string]int{}
	for entry, err := range h.Read(Filter{}) {
		must(t, err)
		name, number, _ := strings.Cut(entry.ID, "-")
		if got, want := number, strconv.Itoa(next[name]/2); got != want {
			t.Fatalf("%s: got entry %s where %s was due", name, got, want)
		}
		next[name]++
	}
	rotated, err := rotatedFiles(path)
	must(t, err)
	if next["tool"] != 2*each || next["daemon"] != 2*each || h.Torn() != 0 || len(rotated) < 2 {
		t.Errorf("entries %v, want %d each; torn %d; %d rotated files", next, 2*each, h.Torn(), len(rotated))
	}
}

func TestFollowMissesNothingOverRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := open(t, path)
	j.maxSize = 1 << 20
	big := func(id string) Entry {
		entry := act(id)
		entry.Detail = strings.Repeat("x", 40<<10)
		return entry
	}
	must(t, j.Intend(big("0")))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const total = 90 // 3.5 MB: more than one rotation between two looks
	expected := 0
	for entry, err := range (&History{Path: path}).Follow(ctx, Filter{}) {
		must(t, err)
		if entry.ID != strconv.Itoa(expected) {
			t.Fatalf("got entry %s where %d was due", entry.ID, expected)
		}
		if expected++; expected == total {
			break
		}
		if expected == 1 {
			for i := 1; i < total; i++ {
				must(t, j.Intend(big(strconv.Itoa(i))))
			}
		}
	}
	if expected != total {
		t.Errorf("followed %d entries, want %d", expected, total)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range (&History{Path: t.TempDir()}).Follow(ctx, Filter{}) {
		t.Error("want no entry")
	}
}

func TestAFileThatCannotBeReadIsSaidAndTheRestIsRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "journal.jsonl")
	must(t, os.Mkdir(filepath.Join(folder, "journal-2026-11-04T18-30-00.000.jsonl"), 0o700))
	j := open(t, path)
	must(t, j.Intend(act("a")))
	var problems, entries int
	for _, err := range (&History{Path: path}).Read(Filter{}) {
		if err != nil {
			problems++
			continue
		}
		entries++
	}
	if problems != 1 || entries != 1 {
		t.Errorf("got %d problems and %d entries, want one each", problems, entries)
	}
}

func TestNamesOfRotatedFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"journal-2026-11-04T18-30-00.000.jsonl":     true,
		"journal-2026-11-04T18-30-00.000.jsonl.tmp": false,
		"journal.jsonl":                       false,
		"journal.jsonl.lock":                  false,
		"journal-old.jsonl":                   false,
		"other-2026-11-04T18-30-00.000.jsonl": false,
	} {
		if _, got := rotatedAt("journal.jsonl", name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func FuzzReadAnything(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\"}\n{\"id\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{done: true, lines: bufio.NewReaderSize(strings.NewReader(string(data)), 2*maxLine)}
		h := &History{}
		entries := 0
		h.readFile(s, Filter{}, func(_ Entry, err error) bool {
			if err != nil {
				t.Fatal(err)
			}
			entries++
			return true
		})
		if lines := strings.Count(string(data), "\n") + 1; entries+h.Torn() > lines {
			t.Errorf("%d entries and %d torn of %d lines", entries, h.Torn(), lines)
		}
	})
}

func TestAnOwnerIsCalledWithoutItsStartMark(t *testing.T) {
	for who, want := range map[string]string{
		"claude-code 44:1500": "claude-code 44", "Claude Desktop 44:1500": "Claude Desktop 44",
		"mcp.service": "mcp.service", "unit:that has a colon": "unit:that has a colon", "": "",
	} {
		if got := Called(who); got != want {
			t.Errorf("%q is called %q, want %q", who, got, want)
		}
	}
}
