package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.Local)

// act is one act that was done at noon and some minutes.
func act(minute int, name string, result done.Result) Act {
	at := noon.Add(time.Duration(minute) * time.Minute)
	return Act{Entry: journal.Entry{
		Time: at, ID: fmt.Sprint("a", minute), Phase: journal.PhaseOutcome, Rule: "orphaned-servers", TargetID: fmt.Sprint(50+minute, ":100"),
		Name: name, Owner: "claude-code 44:100", Finding: "orphaned", FindingSince: at.Add(-time.Minute), Result: string(result),
		Evidence: []journal.Evidence{
			{Check: "stdin", Says: "orphaned", Proof: true, Text: "nobody holds the other end of its stdin"},
			{Check: "memory", Says: "silent", Text: "never seen before"},
		},
	}}
}

func written(t *testing.T, s Style, acts ...Act) []string {
	t.Helper()
	var out strings.Builder
	if err := (&History{Acts: acts}).Write(&out, s); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestAReasonIsWrittenOnceForTheActsThatItLedTo(t *testing.T) {
	other := act(3, "time", done.Exited)
	other.Owner = "codex 70:200"
	lines := written(t, Style{}, act(0, "memory", done.Exited), act(1, "memory", done.Killed), act(2, "git", done.Exited), other)
	want := []string{
		"4 reaped.", "",
		"rule orphaned-servers: orphaned; left by claude-code 44; nobody holds the other end of its stdin",
		"  2026-11-20 12:00:00  exited    memory 50  first seen 2026-11-20 11:59:00",
		"  2026-11-20 12:01:00  killed    memory 51  first seen 2026-11-20 12:00:00",
		"  2026-11-20 12:02:00  exited    git 52     first seen 2026-11-20 12:01:00", "",
		"rule orphaned-servers: orphaned, first seen 2026-11-20 12:02:00; left by codex 70; nobody holds the other end of its stdin",
		"  2026-11-20 12:03:00  exited    time 53",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// A time stands in a group's line only where all its acts share it.
func TestAGroupsTimesAreThoseOfAllItsActs(t *testing.T) {
	const why = "; nobody holds the other end of its stdin"
	early, late := noon.Add(-5*time.Minute), noon.Add(-4*time.Minute)
	for _, row := range []struct {
		says       string
		width      int
		seen, gone [2]time.Time // of the first act and of the second
		want       []string
	}{
		{"they share the second", 0, [2]time.Time{early, early.Add(time.Millisecond)}, [2]time.Time{}, []string{
			"rule orphaned-servers: orphaned, first seen 2026-11-20 11:55:00; left by claude-code 44" + why,
			"  2026-11-20 12:00:00  exited    memory 50",
			"  2026-11-20 12:01:00  exited    git 51",
		}},
		{"each has its own, and a line of its own where the row has no room", 60, [2]time.Time{early, late}, [2]time.Time{}, []string{
			"rule orphaned-servers: orphaned; left by claude-code 44;",
			"    nobody holds the other end of its stdin",
			"  2026-11-20 12:00:00  exited    memory 50",
			"    first seen 2026-11-20 11:55:00",
			"  2026-11-20 12:01:00  exited    git 51",
			"    first seen 2026-11-20 11:56:00",
		}},
		{"one is not known", 0, [2]time.Time{{}, late}, [2]time.Time{}, []string{
			"rule orphaned-servers: orphaned; left by claude-code 44" + why,
			"  2026-11-20 12:00:00  exited    memory 50",
			"  2026-11-20 12:01:00  exited    git 51     first seen 2026-11-20 11:56:00",
		}},
		{"the owner's end was seen long before one of them only", 0, [2]time.Time{early, early}, [2]time.Time{early, early.Add(-time.Hour)}, []string{
			"rule orphaned-servers: orphaned, first seen 2026-11-20 11:55:00; left by claude-code 44" + why,
			"  2026-11-20 12:00:00  exited    memory 50",
			"  2026-11-20 12:01:00  exited    git 51     owner gone since 2026-11-20 10:55:00",
		}},
	} {
		acts := []Act{act(0, "memory", done.Exited), act(1, "git", done.Exited)}
		for i := range acts {
			acts[i].FindingSince, acts[i].OwnerGoneSince = row.seen[i], row.gone[i]
		}
		if got := written(t, Style{Width: row.width}, acts...)[2:]; !slices.Equal(got, row.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", row.says, strings.Join(got, "\n"), strings.Join(row.want, "\n"))
		}
	}
}

func TestANarrowTerminalCutsNothing(t *testing.T) {
	a := act(0, "codebase-memory-mcp", done.Exited)
	a.FreedBytes, a.Detail = 12_000_000, "1 process exited within 4.2s of being asked"
	lines := written(t, Style{Width: 40}, a)
	for _, line := range lines {
		if human.Width(line) > 40 {
			t.Errorf("wider than 40: %q", line)
		}
	}
	words := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	for _, want := range []string{"2026-11-20 12:00:00 codebase-memory-mcp 50", "1 process exited within 4.2s of being asked; 12 MB freed"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

// Whatever the width, what identifies an act is whole, and so are its sums.
func TestNoWidthCutsWhatIdentifies(t *testing.T) {
	long, failed := act(0, "mcp-server-sequential-thinking", done.Exited), act(1, "fetch", done.Failed)
	long.TargetID, long.FreedBytes, failed.Detail = "1137205:100", 44_000_000, "it is still there after SIGKILL"
	h := History{Acts: []Act{long, failed}}
	for width := 40; width <= 120; width++ {
		for name, want := range map[string]struct {
			write func(io.Writer, Style) error
			style Style
			words []string
		}{
			"the list":      {h.Write, Style{Width: width}, []string{"mcp-server-sequential-thinking 1137205", "fetch 51", "44 MB", failed.Detail}},
			"the wide list": {h.Write, Style{Width: width, Wide: true}, []string{"mcp-server-sequential-thinking 1137205", "fetch 51", "44 MB", "rule orphaned-servers: "}},
			"the days":      {h.WriteDays, Style{Width: width}, []string{"2026-11-20", "44 MB"}},
		} {
			var out strings.Builder
			if err := want.write(&out, want.style); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if human.Width(strings.TrimSpace(line)) > width || strings.Contains(line, "…") {
					t.Errorf("%s at %d: %q is wider, or cut", name, width, line)
				}
			}
			text := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\u00a0", " ")), " ")
			for _, word := range want.words {
				if !strings.Contains(text, word) {
					t.Errorf("%s at %d: no %q in\n%s", name, width, word, out.String())
				}
			}
		}
	}
}

func TestDaysOnANarrowTerminalAreALineEach(t *testing.T) {
	h := History{Acts: []Act{act(0, "fetch", done.Exited), act(1, "git", done.Failed), act(24*60, "time", done.AlreadyGone)}}
	var out strings.Builder
	if err := h.WriteDays(&out, Style{Width: 60}); err != nil {
		t.Fatal(err)
	}
	const want = `1 reaped, 1 already gone, 1 failed or escaped.

2026-11-20  1 reaped, 1 failed or escaped
2026-11-21  0 reaped, 1 already gone
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestASecondLineTellsOnlyWhatTheFirstDoesNot(t *testing.T) {
	for _, row := range []struct {
		name, detail string
		processes    int
		result       done.Result
		told         bool
	}{
		{"it exited at once", "1 process exited within 21ms of being asked", 1, done.Exited, false},
		{"so did all of its processes", "3 processes exited within 150ms of being asked", 3, done.Exited, false},
		{"it took its time", "1 process exited within 3.2s of being asked", 1, done.Exited, true},
		{"more processes than were known", "4 processes exited within 150ms of being asked", 3, done.Exited, true},
		{"one had to be killed", "1 of 3 processes was killed after 5s", 3, done.Killed, true},
		{"there is a rest", "1 process exited within 21ms of being asked; 77 (node) began meanwhile and cannot be read", 1, done.Exited, true},
		{"it is a failure", "it is still there after SIGKILL", 1, done.Failed, true},
	} {
		a := act(0, "memory", row.result)
		a.Detail, a.Tree = row.detail, make([]journal.Process, row.processes)
		if got := strings.Contains(strings.Join(written(t, Style{}, a), "\n"), row.detail); got != row.told {
			t.Errorf("%s: told %v", row.name, got)
		}
		if got := strings.Contains(strings.Join(written(t, Style{Wide: true}, a), "\n"), row.detail); !got {
			t.Errorf("%s: the wide list has all", row.name)
		}
	}
}

func TestTheFirstLineIsBrokenOnANarrowTerminal(t *testing.T) {
	a := act(0, "fetch", done.Exited)
	a.FreedBytes = 86_000_000
	h := &History{Acts: []Act{a}, Query: Query{From: time.Date(2026, 11, 22, 18, 19, 8, 0, time.Local)}}
	for width, want := range map[int]string{
		0:  "1 reaped since 2026-11-22 18:19:08, 86 MB freed.\n\n",
		80: "1 reaped since 2026-11-22 18:19:08, 86 MB freed.\n\n",
		40: "1 reaped since 2026-11-22 18:19:08,\n86 MB freed.\n\n",
	} {
		for _, write := range []func(io.Writer, Style) error{h.Write, h.WriteDays} {
			var out strings.Builder
			got := ""
			if err := write(&out, Style{Width: width}); err == nil {
				got = strings.ReplaceAll(out.String(), "\u00a0", " ")
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("at %d columns:\n%s", width, got)
			}
		}
	}
}

func TestWhatTwoSweepsEndTogetherIsReapedOnce(t *testing.T) {
	first, second, later := act(0, "fetch", done.Exited), act(0, "fetch", done.Killed), act(5, "fetch", done.Exited)
	for i, a := range []*Act{&first, &second, &later} {
		a.ID, a.TargetID, a.FreedBytes = fmt.Sprint("a", i), "56:100", 1000
	}
	first.first, second.first, later.first = noon.Add(-2*time.Second), noon.Add(-time.Second), noon.Add(4*time.Minute)
	second.Time = noon.Add(time.Second)
	h := History{Acts: []Act{first, second, later}}
	markTogether(h.Acts)
	if sums := h.Sums(); sums.Reaped != 2 || sums.FreedBytes != 2000 || sums.AlreadyGone != 1 {
		t.Errorf("got %+v", sums)
	}
	lines := written(t, Style{}, h.Acts...)
	want := []string{
		"  2026-11-20 12:00:00  exited        1.0 kB  fetch 56  first seen 2026-11-20 11:59:00",
		"  2026-11-20 12:00:01  already gone          fetch 56  first seen 2026-11-20 11:59:00",
		"    another sweep was ending it at the same time",
		"  2026-11-20 12:05:00  exited        1.0 kB  fetch 56  first seen 2026-11-20 12:04:00",
	}
	if !slices.Equal(lines[3:], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines[3:], "\n"), strings.Join(want, "\n"))
	}
}

func TestSinceWhenIsToldAsItIsKnown(t *testing.T) {
	for _, row := range []struct {
		says string
		edit func(*Act)
		want string
	}{
		{"a daemon watched it", func(a *Act) { a.ForSeconds, a.HeldSeconds = 30, 30.2 }, "orphaned, first seen 2026-11-20 11:59:00; left by claude-code 44; nobody"},
		{"it was idle", func(a *Act) { a.Finding = "idle" }, "idle since 2026-11-20 11:59:00; owner claude-code 44"},
		{"a journal of before", func(*Act) {}, "orphaned, first seen 2026-11-20 11:59:00; left by claude-code 44; nobody"},
		{"a sweep by hand counted the age", func(a *Act) { a.ForSeconds, a.HeldSeconds, a.HeldByAge = 30, 93, true },
			"orphaned, first seen 2026-11-20 11:59:00; a sweep by hand counted its age for the 30s of the rule; left by claude-code 44; nobody"},
		{"a sweep by hand with --now, of what is younger", func(a *Act) { a.ForSeconds, a.HeldSeconds, a.HeldByAge = 30, 20, true },
			"orphaned, first seen 2026-11-20 11:59:00; a sweep by hand did not wait for the 30s of the rule; left by claude-code 44; nobody"},
		{"a sweep by hand with --now", func(a *Act) { a.ForSeconds, a.HeldSeconds = 30, 2 },
			"orphaned, first seen 2026-11-20 11:59:00; a sweep by hand did not wait for the 30s of the rule; left by claude-code 44; nobody"},
		{"a sweep by hand whose switch makes the rule act", func(a *Act) { a.ByHand = "sweep --duplicates" },
			"by hand: sweep --duplicates; orphaned, first seen 2026-11-20 11:59:00; left by claude-code 44; nobody"},
		{"a daemon that was started again", func(a *Act) { a.OwnerGoneSince = noon.Add(-10 * time.Minute) },
			"orphaned, first seen 2026-11-20 11:59:00; left by claude-code 44, gone since 2026-11-20 11:50:00; nobody"},
	} {
		a := act(0, "memory", done.Exited)
		row.edit(&a)
		if got := written(t, Style{}, a)[2]; !strings.HasPrefix(got, "rule orphaned-servers: "+row.want) {
			t.Errorf("%s:\n%s, want\n%s", row.says, got, row.want)
		}
	}
}

func TestAnOwnerThatLivesIsNoReasonForAnAct(t *testing.T) {
	a := act(0, "fetch", done.Exited)
	a.Finding = "disconnected"
	a.Evidence = []journal.Evidence{
		{Check: "ancestor", Says: "owned", Proof: true, Text: "codex 19 is above it"},
		{Check: "stdin", Says: "orphaned", Text: "nobody alive holds the other end of its stdin"},
		{Check: "memory", Says: "owned", Text: "codex 19 had it when last seen, and lives"},
	}
	lines := written(t, Style{}, a)
	if want := "; nobody alive holds the other end of its stdin"; !strings.HasSuffix(lines[2], want) || strings.Contains(lines[2], "above it") {
		t.Errorf("got %q, want %q", lines[2], want)
	}
}

func TestADuplicateIsReapedForWhatItDoes(t *testing.T) {
	a := act(0, "fetch", done.Exited)
	a.Rule, a.Finding = "duplicates", "duplicate"
	a.Evidence = []journal.Evidence{
		{Check: "stdin", Says: "owned", Proof: true, Text: "codex 19 holds its stdin"},
		{Check: "activity", Says: "silent", Proof: true, Text: "a newer copy, 51, serves the same owner, and this one has done nothing for 30m"},
	}
	lines := written(t, Style{}, a)
	if want := "; owner claude-code 44; a newer copy, 51, serves the same owner, and this one has done nothing for 30m"; !strings.HasSuffix(lines[2], want) {
		t.Errorf("got %q, want %q", lines[2], want)
	}
}

func TestASessionThatWasEndedIsListedWithItsFolder(t *testing.T) {
	a := act(0, "codex", done.Exited)
	a.Kind, a.Cwd, a.Finding = "session", "/src/infra", "idle"
	if got := (Style{Home: "/home/dev"}).what(&a); got != "codex 50 in /src/infra" {
		t.Errorf("got %q", got)
	}
	h := History{Acts: []Act{a}}
	if got, want := h.WaysBack(map[string]string{"codex": "codex resume"}), "To go on with the codex session that has ended, in /src/infra: codex resume"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h.Acts[0].Name, h.Acts[0].Cwd = "opencode", ""
	if got, want := h.WaysBack(map[string]string{"opencode": "opencode -s"}), "To go on with a session of opencode that has ended, in its folder: opencode -s"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	orphan := History{Acts: []Act{act(0, "fetch", done.Exited)}}
	if got := orphan.WaysBack(nil); len(got) > 0 {
		t.Errorf("nobody misses an orphan: %q", got)
	}
}

func TestWhatGoesWithItsSessionHasNoReasonOfItsOwn(t *testing.T) {
	first, second, head := act(0, "memory", done.Exited), act(1, "git", done.Exited), act(2, "codex", done.Exited)
	first.With, second.With = "codex 70:200", "codex 70:200" // its evidence says whose they are
	lines := written(t, Style{}, first, second, head)
	want := []string{
		"3 reaped.", "",
		"rule orphaned-servers: goes with codex 70",
		"  2026-11-20 12:00:00  exited    memory 50",
		"  2026-11-20 12:01:00  exited    git 51", "",
		"rule orphaned-servers: orphaned, first seen 2026-11-20 12:01:00; left by claude-code 44; nobody holds the other end of its stdin",
		"  2026-11-20 12:02:00  exited    codex 52",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestAtEveryWidthTheReasonIsWholeAndNoLineIsWider(t *testing.T) {
	failed := act(0, "a-server-with-a-long-name", done.Failed)
	failed.Detail = "it is still there after SIGKILL: process 50 is in a system call that does not end"
	for width := 40; width <= 200; width += 20 {
		lines := written(t, Style{Width: width}, failed)
		for _, line := range lines {
			if human.Width(line) > width {
				t.Errorf("%d columns: %q is wider", width, line)
			}
		}
		words := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		for _, want := range []string{"nobody holds the other end of its stdin", failed.Detail} {
			if !strings.Contains(words, want) {
				t.Errorf("%d columns: %q is not whole in\n%s", width, want, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestAContainerIsCalledByItsName(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for want, container := range map[string]*journal.Container{
		"github brave_curie": {ID: id, Name: "brave_curie"}, "github 0123456789ab": {ID: id},
	} {
		a := act(0, "github", done.Killed)
		a.TargetID, a.Container = id, container
		if got := (Style{Home: "/home/dev"}).what(&a); got != want {
			t.Errorf("called %q, want %q", got, want)
		}
	}
}

// TestAContainersActIsFoundByAllThatNamesIt: as explain and sweep take it.
func TestAContainersActIsFoundByAllThatNamesIt(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	entry := act(0, "github", done.Killed).Entry
	entry.TargetID, entry.Container, entry.Tree = id, &journal.Container{ID: id, Name: "brave_curie", PID: 275}, nil
	for _, q := range []Query{{Name: "github"}, {Name: "git*"}, {Name: "brave_curie"}, {Name: "brave*"}, {Name: id[:12]}, {PID: 275}} {
		if !q.chooses(&entry) {
			t.Errorf("%+v does not find it", q)
		}
	}
	for _, q := range []Query{{Name: "curie"}, {Name: "brave"}, {PID: 27}, {PID: 2750}, {Name: id[1:12]}} {
		if q.chooses(&entry) {
			t.Errorf("%+v finds it", q)
		}
	}
}

func TestATailSaysAReasonAgainOnlyWhenItChanges(t *testing.T) {
	var tail tail
	intention := act(0, "memory", "").Entry
	intention.Phase = journal.PhaseIntend
	if lines := tail.next(intention, Style{}); len(lines) > 0 {
		t.Errorf("an intention is shown: %q", lines)
	}
	first, second := tail.next(act(0, "memory", done.Exited).Entry, Style{}), tail.next(act(1, "git", done.Exited).Entry, Style{})
	if len(first) != 2 || len(second) != 1 || !strings.HasPrefix(first[0], "rule orphaned-servers: orphaned; left by") || !strings.HasSuffix(first[1], "memory 50  first seen 2026-11-20 11:59:00") || !strings.HasSuffix(second[0], "git 51  first seen 2026-11-20 12:00:00") {
		t.Errorf("first %q, then %q", first, second)
	}
	if narrow := tail.next(act(1, "git", done.Exited).Entry, Style{Width: 60}); len(narrow) != 2 || narrow[1] != "    first seen 2026-11-20 12:00:00" {
		t.Errorf("on a narrow terminal %q", narrow)
	}
	changed := act(2, "git", done.Exited).Entry
	changed.Finding = "disconnected"
	if third := tail.next(changed, Style{}); len(third) != 3 || third[0] != "" {
		t.Errorf("then %q", third)
	}
}

// TestATailTellsOnceWhatTwoSweepsEndTogether, as the history does.
func TestATailTellsOnceWhatTwoSweepsEndTogether(t *testing.T) {
	first, second, later := act(0, "fetch", done.Exited).Entry, act(0, "fetch", done.Killed).Entry, act(5, "fetch", done.Exited).Entry
	for i, entry := range []*journal.Entry{&first, &second, &later} {
		entry.ID, entry.TargetID, entry.FreedBytes = fmt.Sprint("a", i), "56:100", 1000
	}
	second.Time = noon.Add(time.Second)
	begunAt := func(entry journal.Entry, at time.Time) journal.Entry {
		entry.Phase, entry.Result, entry.Time = journal.PhaseIntend, "", at
		return entry
	}
	var tail tail
	var lines []string
	for _, entry := range []journal.Entry{
		begunAt(first, noon.Add(-2*time.Second)), begunAt(second, noon.Add(-time.Second)), first, second, begunAt(later, noon.Add(4*time.Minute)), later,
	} {
		lines = append(lines, tail.next(entry, Style{})...)
	}
	want := []string{
		"  2026-11-20 12:00:00  exited         1.0 kB  fetch 56  first seen 2026-11-20 11:59:00",
		"  2026-11-20 12:00:01  already gone           fetch 56  first seen 2026-11-20 11:59:00",
		"    another sweep was ending it at the same time",
		"  2026-11-20 12:05:00  exited         1.0 kB  fetch 56  first seen 2026-11-20 12:04:00",
	}
	if len(lines) == 0 || !slices.Equal(lines[1:], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestEntriesOfAnActAreJoined(t *testing.T) {
	begun := journal.Entry{ID: "a", Phase: journal.PhaseIntend, Time: noon}
	ended := journal.Entry{ID: "a", Phase: journal.PhaseOutcome, Time: noon.Add(2 * time.Second), Result: "killed"}
	givenUp := journal.Entry{ID: "a", Phase: journal.PhaseOutcome, Time: noon.Add(time.Minute), BegunAt: noon, Result: journal.ResultUnfinished}
	for _, row := range []struct {
		says    string
		entries []journal.Entry
		result  string
		at      time.Time
	}{
		{"an outcome follows", []journal.Entry{begun, ended}, "killed", noon.Add(2 * time.Second)},
		{"nothing follows", []journal.Entry{begun}, "unfinished", noon},
		{"it was given up on", []journal.Entry{begun, givenUp}, "unfinished", noon},
		{"it was given up on, and somebody was at it all the same", []journal.Entry{begun, givenUp, ended}, "killed", noon.Add(2 * time.Second)},
		{"the outcome is read first", []journal.Entry{ended, begun}, "killed", noon.Add(2 * time.Second)},
	} {
		var a Act
		for _, entry := range row.entries {
			a = a.join(entry)
		}
		if a.outcome() != row.result || !a.At().Equal(row.at) || !a.first.Equal(noon) || a.Unfinished != (row.result == "unfinished") {
			t.Errorf("%s: %s at %s, begun %s, unfinished %v", row.says, a.outcome(), a.At(), a.first, a.Unfinished)
		}
	}
}

// TestWhatTheDaemonHasNotBegunYetIsToldBesideWhatItIsAt: a docker run waits for its container, as status counts it.
func TestWhatTheDaemonHasNotBegunYetIsToldBesideWhatItIsAt(t *testing.T) {
	a := act(0, "memory", "")
	a.Phase, a.Unfinished = journal.PhaseIntend, true
	said := []serve.Begun{{Target: a.TargetID, Name: "memory", Rule: "r"}, {Target: "60:1", Name: "github", Rule: "r"}}
	const note = "note: 1 more act waits for the end of another: github 60"
	for _, row := range []struct {
		asked string
		query Query
		want  string
	}{
		{"everything", Query{}, note},
		{"the last hour", Query{From: noon.Add(-time.Hour)}, note},
		{"the last minute, in which no intention may be", Query{From: noon.Add(-time.Minute)}, ""},
		{"what came before", Query{To: noon}, ""},
		{"something else", Query{Name: "memory"}, ""},
		{"another rule", Query{Rule: "other"}, ""},
	} {
		h := History{Acts: []Act{a}, Query: row.query}
		h.markUnderWay(state.Daemon{Since: noon.Add(-time.Hour)}, said, noon.Add(time.Second))
		if got := strings.Join(h.Remarks(), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.asked, got, row.want)
		}
	}
}

func TestAnActIsUnderWayWhereTheDaemonThatBeganItRuns(t *testing.T) {
	for _, row := range []struct {
		says  string
		since time.Duration // of the daemon, before the act
		later time.Duration
		said  string // the target that the daemon says it is at
		want  string
		note  string
	}{
		{"the daemon that began it runs", time.Hour, 10 * time.Second, "", "under way", ""},
		{"one runs that was started later", -time.Second, 10 * time.Second, "", "unfinished", "reaperd was ended in between, or a sweep by hand is at it"},
		{"it takes longer than other acts, and the daemon is at it", time.Hour, stillAt, "50:100", "under way", ""},
		{"it takes longer than other acts, and the daemon is at another", time.Hour, stillAt, "51:100", "unfinished", "reaperd was ended in between"},
		{"a sweep by hand began it, and still runs", time.Hour, time.Hour, "runs", "under way", ""},
		{"a sweep by hand began it, and was killed", time.Hour, 10 * time.Second, "killed", "unfinished", "reaperd was ended in between"},
	} {
		a := act(0, "memory", "")
		a.Phase, a.Unfinished = journal.PhaseIntend, true
		if row.said == "runs" || row.said == "killed" {
			a.Reaper, row.said = row.said, ""
		}
		h := History{Acts: []Act{a}, asOf: noon.Add(row.later), Query: Query{Rule: "orphaned-servers"}}
		h.markByHand(func(entry *journal.Entry) bool { return entry.Reaper == "runs" })
		h.markUnderWay(state.Daemon{Since: noon.Add(-row.since)}, []serve.Begun{{Target: row.said}}, h.asOf)
		if got := h.Acts[0].outcome(); got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
		var days strings.Builder
		if err := h.WriteDays(&days, Style{}); err != nil || !strings.HasPrefix(days.String(), "0 reaped, 1 "+row.want+".\n") || strings.Contains(days.String(), "UNDER WAY") != (row.want == "under way") {
			t.Errorf("%s: %v, of the day\n%s", row.says, err, days.String())
		}
		if sums := h.Sums(); sums.Unfinished != 1 {
			t.Errorf("%s: to a program %d are unfinished, want 1", row.says, sums.Unfinished)
		}
		want := []string{"note: 1 act begun and not finished: " + row.note}
		if row.note == "" {
			want = nil
		}
		if got := h.Remarks(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", row.says, got, want)
		}
	}
}

// TestAnUnfinishedActThatALaterOneMadeGoodNeedsNoRemark. Another target's end, or one before, is none.
func TestAnUnfinishedActThatALaterOneMadeGoodNeedsNoRemark(t *testing.T) {
	for _, row := range []struct {
		says    string
		minutes int
		target  string
		remarks int
	}{{"a later act", 5, "56:100", 0}, {"an earlier act", -5, "56:100", 1}, {"a later act on another", 5, "57:100", 1}} {
		begun, ended := act(0, "fetch", ""), act(row.minutes, "fetch", done.Killed)
		begun.Phase, begun.Unfinished = journal.PhaseIntend, true
		begun.TargetID, ended.TargetID = "56:100", row.target
		if got := (&History{Acts: []Act{begun, ended}}).Remarks(); len(got) != row.remarks {
			t.Errorf("%s: %q", row.says, got)
		}
	}
}

func TestASilentJournalIsNoDenialWhereSomethingIsMissing(t *testing.T) {
	path := t.TempDir()
	for _, row := range []struct {
		says    string
		missing Missing
		history string
		fate    string
		known   bool
		alone   bool // no daemon runs
	}{
		{"nothing is missing", Missing{}, "No act on process 4711 is in the journal PATH.", "4711 is not running here, and reaperd never touched it, as far as its journal tells.", true, false},
		{"nothing is missing, and nobody watched", Missing{}, "No act on process 4711 is in the journal PATH.",
			"4711 is not running here, and reaperd never touched it, as far as its journal tells. Only a daemon that runs knows what ended by itself.", true, true},
		{"another journal was not read", Missing{Beside: beside.Daemons{{User: "root", PID: 741}}}, "No act on process 4711 is in the journal PATH.", "4711 is not running here, and the journal does not name it.", false, false},
		{"a line was cut short", Missing{Unread: true}, "No act on process 4711 is in what can be read of the journal PATH.", "4711 is not running here, and reaperd never touched it, as far as its journal can be read.", false, false},
		{"the daemon could not write an outcome", Missing{Unwritten: 1}, "No act on process 4711 is in the journal PATH; the daemon could not write 1 outcome to its journal.",
			"4711 is not running here, and the journal does not name it; the daemon could not write 1 outcome to its journal.", false, false},
	} {
		h := History{Query: Query{PID: 4711}, Path: path, Missing: row.missing}
		if got := strings.ReplaceAll(h.Nothing(), path, "PATH"); got != row.history {
			t.Errorf("%s: history says %q, want %q", row.says, got, row.history)
		}
		f := Fate{Subject: "4711", Missing: row.missing, NoDaemon: row.alone}
		var out strings.Builder
		if err := f.Write(&out); err != nil || out.String() != row.fate+"\n" || (f.Touched() != nil) != row.known {
			t.Errorf("%s: the fate is %q, touched %v, %v", row.says, out.String(), f.Touched(), err)
		}
		if notes := f.Notes(); len(notes) == 0 || notes[len(notes)-1] != "hint: reaperd scan   shows what there is" {
			t.Errorf("%s: %q", row.says, notes)
		}
	}
}

func TestNoJournalIsSaid(t *testing.T) {
	h := History{Path: filepath.Join(t.TempDir(), "none")}
	if got := h.Nothing(); !strings.Contains(got, "there is no journal at "+h.Path) {
		t.Errorf("got %q", got)
	}
}

func TestALineOfAStreamHasItsVersionFirst(t *testing.T) {
	lines, err := JSONLine(act(0, "memory", done.Exited).Entry)
	var line struct {
		Version int
		ID      string
	}
	if err != nil || len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &line) != nil || line.Version != 1 || line.ID != "a0" || !strings.HasPrefix(lines[0], `{"version":1,`) || strings.Contains(lines[0], "\n") {
		t.Errorf("%q, %v", lines, err)
	}
}

// On a terminal no line is longer than it is wide, and nothing of a reason is lost.
func TestTheWideTableFoldsTheReasonOnATerminal(t *testing.T) {
	a := act(0, "memory", done.Exited)
	reason := reasonOf(&a)
	for width, folds := range map[int]bool{0: false, 60: true, 80: true, 400: false} {
		lines := written(t, Style{Wide: true, Width: width}, a, act(1, "git", done.Killed))
		if got := len(lines) > 5; got != folds {
			t.Errorf("%d columns: %d lines:\n%s", width, len(lines), strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if width > 0 && human.Width(line) > width {
				t.Errorf("wider than %d: %q", width, line)
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(lines, " ")), " "); !strings.Contains(got, reason.text()) {
			t.Errorf("%d columns: %q is missing in\n%s", width, reason.text(), strings.Join(lines, "\n"))
		}
	}
}

func TestASessionsFolderIsWrittenFromTheReadersHome(t *testing.T) {
	a := act(0, "codex", done.Exited)
	a.Kind, a.Cwd = "session", "/home/dev/src/blog"
	if got := (Style{Home: "/home/dev"}).what(&a); got != "codex 50 in ~/src/blog" {
		t.Error(got)
	}
}

// Each line of a problem is a remark of its own, and a journal that cannot be reached is not
// denied.
func TestAJournalThatCannotBeReadIsNotDenied(t *testing.T) {
	h := History{Path: "/dev/null/journal.jsonl", Missing: Missing{Unread: true}, Problems: []error{errors.Join(errors.New("read journal: open a: no"), errors.New("read journal: open b: no"))}}
	if got := h.Remarks(); !slices.Equal(got, []string{"warning: read journal: open a: no", "warning: read journal: open b: no"}) {
		t.Errorf("%q", got)
	}
	if got := h.Nothing(); got != "No act is in what can be read of the journal /dev/null/journal.jsonl." {
		t.Error(got)
	}
}

// TestWhatARuleNamesWithoutAFindingIsSaidToBeNamed: "none" is no reason.
func TestWhatARuleNamesWithoutAFindingIsSaidToBeNamed(t *testing.T) {
	a := act(0, "memory", done.Exited)
	a.Finding, a.Owner = "none", "codex 50:1"
	if got := reasonOf(&a).text(); !strings.HasPrefix(got, "named by its rule, which ignores who owns it; ") || strings.Contains(got, "none") {
		t.Errorf("got %q", got)
	}
}
