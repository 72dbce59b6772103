package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/terminal"
)

// did is one act that a test's journal holds.
func did(id, target, name, result string, at time.Time, pids ...int) journal.Entry {
	entry := journal.Entry{
		Time: at, ID: id, Rule: "orphaned-servers", Action: "terminate", TargetID: target, Kind: "server", Name: name,
		Owner: "claude-code 44:100", Finding: "orphaned", FindingSince: at.Add(-time.Minute), Result: result,
		Evidence: []journal.Evidence{
			{Check: "stdin", Says: "orphaned", Proof: true, Text: "nobody holds the other end of its stdin"},
			{Check: "memory", Says: "silent", Text: "never seen before"},
		},
	}
	for _, pid := range pids {
		entry.Tree = append(entry.Tree, journal.Process{PID: pid, Start: 100})
	}
	if result == "exited" || result == "killed" {
		entry.FreedBytes = 85_000_000
	}
	return entry
}

// write puts acts into the journal of the state directory, each as intention and
// outcome; one without a result has an intention alone.
func write(t *testing.T, entries ...journal.Entry) string {
	t.Helper()
	j, err := journal.Open(journalPath(""), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, entry := range entries {
		begun := entry
		begun.Time, begun.Result, begun.FreedBytes = entry.Time.Add(-2*time.Second), "", 0
		if err := j.Intend(begun); err != nil {
			t.Fatal(err)
		}
		if entry.Result == "" {
			continue
		}
		if err := j.Done(entry); err != nil {
			t.Fatal(err)
		}
	}
	return j.Path()
}

// someDay is a day of last week at noon, local time.
func someDay() time.Time {
	now := time.Now().AddDate(0, 0, -5)
	return time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.Local)
}

var longID = strings.Repeat("0123456789abcdef", 4)

// oneOfEachKind is a journal with one act of each kind.
func oneOfEachKind(t *testing.T) (day time.Time, path string) {
	t.Helper()
	ownState(t)
	day = someDay()
	container := did("a2", longID, "github", "killed", day.Add(time.Hour))
	container.Rule, container.Container = "orphaned-containers", &journal.Container{ID: longID}
	path = write(t,
		did("a1", "56:100", "playwright-mcp", "exited", day, 56, 57, 58),
		container,
		did("a3", "70:100", "github-mcp", "changed", day.AddDate(0, 0, 1), 70),
		did("a4", "71:100", "memory", "failed", day.AddDate(0, 0, 1).Add(time.Minute), 71),
		did("a5", "72:100", "memory", "", day.AddDate(0, 0, 2), 72),
	)
	return day, path
}

type told struct {
	Complete bool           `json:"complete"`
	Summary  map[string]int `json:"summary"`
	Days     []struct {
		Day    string `json:"day"`
		Reaped int    `json:"reaped"`
	} `json:"days"`
	Entries []struct {
		ID         string `json:"id"`
		Unfinished bool   `json:"unfinished"`
	} `json:"entries"`
	Older int `json:"older_entries"`
	Torn  int `json:"torn_lines"`
}

func (h told) ids() []string {
	var ids []string
	for _, entry := range h.Entries {
		ids = append(ids, entry.ID)
	}
	return ids
}

func historyJSON(t *testing.T, args ...string) told {
	t.Helper()
	got := command(t, append([]string{"history", "-o", "json"}, args...)...)
	var h told
	if err := json.Unmarshal([]byte(got.out), &h); err != nil || got.code != exitOK {
		t.Fatalf("history %v: %v, %+v", args, err, got)
	}
	return h
}

func TestHistoryChooses(t *testing.T) {
	day, _ := oneOfEachKind(t)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"everything, the oldest first", nil, []string{"a1", "a2", "a3", "a4", "a5"}},
		{"since a time", []string{"--since", human.Moment(day.Add(time.Minute).Local())}, []string{"a2", "a3", "a4", "a5"}},
		{"before a time, which is not included", []string{"--until", human.Moment(day.Add(time.Hour - 2*time.Second).Local())}, []string{"a1"}},
		{"between two, as RFC 3339", []string{"--since", day.Add(time.Second).Format(time.RFC3339), "--until", day.Add(2 * time.Hour).UTC().Format(time.RFC3339)}, []string{"a2"}},
		{"of one day", []string{"--since", day.Format(time.DateOnly), "--until", day.AddDate(0, 0, 1).Format(time.DateOnly)}, []string{"a1", "a2"}},
		{"a minute around a time", []string{"--at", day.Format("2006-01-02 15:04")}, []string{"a1"}},
		{"by a process inside the tree", []string{"--pid", "58"}, []string{"a1"}},
		{"by name", []string{"--name", "GitHub*"}, []string{"a2", "a3"}},
		{"by rule", []string{"--rule", "orphaned-containers"}, []string{"a2"}},
		{"begun before the time asked for and shown with a later one", []string{"--until", human.Moment(day.Local())}, nil},
		{"begun in the last moment around a time", []string{"--at", human.Moment(day.Add(-time.Minute - time.Second).Local())}, []string{"a1"}},
		{"begun too late for the time asked for", []string{"--at", human.Moment(day.Add(-time.Minute - 2*time.Second).Local())}, nil},
		{"begun before the time asked for and ended in it", []string{"--since", human.Moment(day.Add(-time.Second).Local()), "--until", human.Moment(day.Add(time.Minute).Local())}, []string{"a1"}},
		{"of the last hour", []string{"--since", "1h"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := historyJSON(t, c.args...).ids(); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestHistorySumsUp(t *testing.T) {
	day, _ := oneOfEachKind(t)
	h := historyJSON(t)
	want := map[string]int{"reaped": 2, "freed_bytes": 170_000_000, "already_gone": 0, "left_alone": 1, "failed": 1, "unfinished": 1}
	for key, n := range want {
		if h.Summary[key] != n {
			t.Errorf("%s is %d, want %d", key, h.Summary[key], n)
		}
	}
	if len(h.Days) != 3 || h.Days[0].Day != day.Format(time.DateOnly) || h.Days[0].Reaped != 2 || h.Days[1].Reaped != 0 {
		t.Errorf("days: %+v", h.Days)
	}
	if !h.Complete || !h.Entries[4].Unfinished || h.Entries[0].Unfinished {
		t.Errorf("got %+v", h)
	}
	byDay := historyJSON(t, "--days")
	if byDay.Entries != nil || len(byDay.Days) != 3 {
		t.Errorf("--days: %+v", byDay)
	}
}

func TestTheNewestActsAreToldAndAllAreCounted(t *testing.T) {
	oneOfEachKind(t)
	h := historyJSON(t, "-n", "2")
	if !slices.Equal(h.ids(), []string{"a4", "a5"}) || h.Older != 3 || h.Summary["reaped"] != 2 || len(h.Days) != 3 {
		t.Errorf("got %+v", h)
	}
	if all := historyJSON(t, "-n", "9"); len(all.Entries) != 5 || all.Older != 0 {
		t.Errorf("of fewer: %+v", all)
	}
	const head = "2 reaped, 170 MB freed, 1 left alone, 1 failed or escaped, 1 unfinished. The newest 2 of 5 acts:\n\n"
	for _, format := range []string{"table", "wide"} {
		got := command(t, "history", "-n", "2", "-o", format)
		if !strings.HasPrefix(got.out, head) || strings.Count(got.out, "memory 7") != 2 || strings.Contains(got.out, "github") {
			t.Errorf("-o %s:\n%s", format, got.out)
		}
	}
	if got := command(t, "history", "-n", "5"); strings.Contains(got.out, "newest") {
		t.Errorf("all are told:\n%s", got.out)
	}
}

func TestHistoryForAPersonIsWhole(t *testing.T) {
	day, _ := oneOfEachKind(t)
	head := "2 reaped, 170 MB freed, 1 left alone, 1 failed or escaped, 1 unfinished.\n\n"
	want := head
	for i, act := range [][]any{
		{day, "exited", "85 MB", "playwright-mcp 56 (3 processes)"},
		{day.Add(time.Hour), "killed", "85 MB", "github 0123456789ab"},
		{day.AddDate(0, 0, 1), "changed", "", "github-mcp 70"},
		{day.AddDate(0, 0, 1).Add(time.Minute), "failed", "", "memory 71"},
		{day.AddDate(0, 0, 2).Add(-2 * time.Second), "unfinished", "", "memory 72"},
	} {
		at, seen := act[0].(time.Time), ""
		switch i {
		case 1:
			want += "\nrule orphaned-containers: " + why(at) + "\n"
		case 0:
			want += "rule orphaned-servers: " + why(at) + "\n"
		case 2:
			want += "\nrule orphaned-servers: orphaned; left by claude-code 44; nobody holds the other end of its stdin\n"
		}
		if began := time.Minute; i >= 2 { // they share no time
			if i == 4 {
				began -= 2 * time.Second
			}
			seen = "first seen " + human.Moment(at.Add(-began).Local())
		}
		want += strings.TrimRight(fmt.Sprintf("  %s  %-10s  %-5s  %-31s  %s", human.Moment(at.Local()), act[1], act[2], act[3], seen), " ") + "\n"
	}
	got := command(t, "history")
	if got.code != exitOK || got.out != want {
		t.Errorf("code %d\n%s\nwant\n%s", got.code, got.out, want)
	}
	if !strings.Contains(got.err, "1 act begun and not finished") {
		t.Errorf("said %q", got.err)
	}
	days := command(t, "history", "--days")
	if lines := strings.Split(days.out, "\n"); len(lines) != 7 || !strings.HasPrefix(lines[3], day.Format(time.DateOnly)+"  2       170 MB") {
		t.Errorf("--days:\n%s", days.out)
	}
}

func TestAWideHistoryHasEachActOnALineOfItsOwn(t *testing.T) {
	day, _ := oneOfEachKind(t)
	want := "2 reaped, 170 MB freed, 1 left alone, 1 failed or escaped, 1 unfinished.\n\n"
	for _, row := range [][]any{
		{"WHEN", "OUTCOME", "FREED", "WHAT", "RULE", "WHY"},
		{human.Moment(day.Local()), "exited", "85 MB", "playwright-mcp 56 (3 processes)", "orphaned-servers", why(day)},
		{human.Moment(day.Add(time.Hour).Local()), "killed", "85 MB", "github 0123456789ab", "orphaned-containers", why(day.Add(time.Hour))},
		{human.Moment(day.AddDate(0, 0, 1).Local()), "changed", "", "github-mcp 70", "orphaned-servers", why(day.AddDate(0, 0, 1))},
		{human.Moment(day.AddDate(0, 0, 1).Add(time.Minute).Local()), "failed", "", "memory 71", "orphaned-servers", why(day.AddDate(0, 0, 1).Add(time.Minute))},
		{human.Moment(day.AddDate(0, 0, 2).Add(-2 * time.Second).Local()), "unfinished", "", "memory 72", "orphaned-servers", why(day.AddDate(0, 0, 2))},
	} {
		want += fmt.Sprintf("%-19s  %-10s  %-5s  %-31s  %-19s  %s\n", row...)
	}
	if got := command(t, "history", "-o", "wide"); got.code != exitOK || got.out != want {
		t.Errorf("code %d\n%s\nwant\n%s", got.code, got.out, want)
	}
}

func TestTheVersionStandsFirstInJSON(t *testing.T) {
	oneOfEachKind(t)
	for _, args := range [][]string{{"-o", "json"}, {"-o", "json", "--days"}, {"-o", "yaml"}} {
		got := command(t, append([]string{"history"}, args...)...)
		if !strings.HasPrefix(strings.TrimLeft(got.out, "{ \n\""), "version") {
			t.Errorf("%v begins with %.40q", args, got.out)
		}
	}
}

func TestAnActIsUnderWayOnlyWhereADaemonIsAtIt(t *testing.T) {
	d := ownState(t)
	now := time.Now()
	write(t, did("a1", "56:100", "playwright-mcp", "", now.Add(-10*time.Second), 56))
	expect := func(when, want string) {
		t.Helper()
		if got := command(t, "history"); !strings.Contains(got.out, "  "+strings.TrimSpace(want)+"  ") {
			t.Errorf("%s: want %q in\n%s", when, want, got.out)
		}
	}
	expect("no daemon runs", "unfinished")
	for _, c := range []struct {
		name  string
		since time.Time
		want  string
	}{
		{"the daemon that began it runs", now.Add(-time.Hour), "under way "},
		{"one runs that was started later", now, "unfinished"},
	} {
		held, err := d.Lock(c.since)
		if err != nil {
			t.Fatal(err)
		}
		expect(c.name, c.want)
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnActThatWasGivenUpOnStaysUnfinished(t *testing.T) {
	ownState(t)
	day := someDay()
	path := write(t, did("a1", "56:100", "playwright-mcp", "", day, 56), did("a2", "70:100", "github-mcp", "", day, 70))
	j, err := journal.Open(path, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun, err := (&journal.History{Path: path}).Unfinished(time.Time{})
	if err != nil || len(begun) != 2 {
		t.Fatalf("%v, %v", begun, err)
	}
	for _, entry := range begun {
		if err := j.Abandon(entry, "the daemon was killed"); err != nil {
			t.Fatal(err)
		}
	}
	write(t, did("a2", "70:100", "github-mcp", "killed", day, 70)) // the outcome of an abandoned act arrives after all
	h := historyJSON(t)
	if !slices.Equal(h.ids(), []string{"a1", "a2"}) || !h.Entries[0].Unfinished || h.Entries[1].Unfinished {
		t.Errorf("got %+v", h.Entries)
	}
	if h.Summary["reaped"] != 1 || h.Summary["failed"] != 0 || h.Summary["unfinished"] != 1 {
		t.Errorf("summary: %v", h.Summary)
	}
	got := command(t, "history", "--pid", "56")
	if want := human.Moment(day.Add(-2*time.Second).Local()) + "  unfinished  "; !strings.Contains(got.out, want) || !strings.Contains(got.out, "\n    the daemon was killed\n") {
		t.Errorf("want %q in\n%s", want, got.out)
	}
}

func why(at time.Time) string {
	return "orphaned, first seen " + human.Moment(at.Add(-time.Minute).Local()) + "; left by claude-code 44; nobody holds the other end of its stdin"
}

func TestHistorySaysThatItNeverTouchedIt(t *testing.T) {
	day, path := oneOfEachKind(t)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a process", []string{"--pid", "4711"}, "No act on process 4711 is in the journal " + path + ".\n"},
		{"a name", []string{"--name", "dialpad*"}, "No act on anything named dialpad* is in the journal " + path + ".\n"},
		{"a part of a name", []string{"--name", "wright"}, "No act on anything named wright is in the journal " + path + ".\nhint: reaperd history --name playwright-mcp   the nearest name\n"},
		{"a rule", []string{"--rule", "duplicates"}, "No act by rule duplicates is in the journal " + path + ".\n"},
		{"a rule that is none", []string{"--rule", "nosuch"}, "No rule of the policy is called nosuch, and no act in " + path + " was by one.\n"},
		{"a slip in a rule's name", []string{"--rule", "orphaned-server"}, "No rule of the policy is called orphaned-server, and no act in " + path + " was by one.\nhint: reaperd history --rule orphaned-servers   the nearest name\n"},
		{"a process in a time", []string{"--pid", "56", "--since", human.Moment(day.Add(time.Hour).Local())}, "No act on process 56 since " + human.Moment(day.Add(time.Hour).Local()) + " is in the journal " + path + ".\n"},
		{"a time", []string{"--at", human.Moment(day.Add(-time.Hour).Local())}, "No act within a minute of " + human.Moment(day.Add(-time.Hour).Local()) + " is in the journal " + path + ".\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := command(t, append([]string{"history"}, c.args...)...); got.code != exitOK || got.out != "" || !strings.HasPrefix(got.err, c.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
	if err := os.WriteFile(path, append(mustRead(t, path), `{"time":"2026`...), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, did("b1", "90:100", "later", "exited", day, 90)) // closes the torn line
	got := command(t, "history", "--pid", "4711")
	if got.code != exitOK || !strings.Contains(got.err, "in what can be read of the journal "+path) || !strings.Contains(got.err, "1 line was cut short") {
		t.Errorf("with a torn line: %+v", got)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNoJournalIsNothingTouched(t *testing.T) {
	d := ownState(t)
	got := command(t, "history")
	if want := "No act is known: there is no journal at " + filepath.Join(string(d), journal.FileName) + ".\n"; got.code != exitOK || got.out != "" || !strings.HasPrefix(got.err, want) {
		t.Errorf("got %+v", got)
	}
	if got := command(t, "explain", "fetch", "--journal", filepath.Join(string(d), "none")); got.code != exitFailed || !strings.Contains(got.err, "no such file") {
		t.Errorf("explain: %+v", got)
	}
	if got := command(t, "history", "--journal", filepath.Join(string(d), "none")); got.code != exitFailed {
		t.Errorf("one that was named: %+v", got)
	}
}

func TestAJournalThatCannotBeReadIsNotAnEmptyOne(t *testing.T) {
	ownState(t)
	path := journalPath("")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, did("a1", "56:100", "playwright-mcp", "exited", someDay(), 56))
	rotated := filepath.Join(filepath.Dir(path), "journal-2026-11-01T00-00-00.000-size.jsonl.gz")
	if err := os.WriteFile(rotated, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, "history", "--pid", "4711")
	if got.code != exitIncomplete || !strings.Contains(got.err, "in what can be read of the journal "+path) || !strings.Contains(got.err, filepath.Base(rotated)) {
		t.Errorf("got %+v", got)
	}
}

func TestTextOfOthersDoesNotRuleTheTerminal(t *testing.T) {
	ownState(t)
	write(t, did("a1", "56:100", "evil\x1b[2J\nname", "exited", someDay(), 56))
	if got := command(t, "history"); strings.Contains(got.out, "\x1b") || strings.Count(got.out, "\n") != 4 {
		t.Errorf("got %q", got.out)
	}
}

func TestHistoryRefusesWhatItCannotMean(t *testing.T) {
	ownState(t)
	tomorrow := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no time", []string{"--since", "recently"}, `--since "recently": is no time`},
		{"no time of the clock", []string{"--at", "26:00"}, `--at "26:00": is no time`},
		{"a day that never was", []string{"--since", "2026-02-30"}, "is no time"},
		{"a day that has not come", []string{"--since", tomorrow}, "has not come yet"},
		{"at and since", []string{"--at", "1h", "--since", "2h"}, "neither --since nor --until"},
		{"an end before the beginning", []string{"--since", "1h", "--until", "2h"}, "is not after"},
		{"a sign", []string{"--since", "-2h"}, "no sign"},
		{"no PID", []string{"--pid", "0"}, "a PID is 1 or more"},
		{"following into the past", []string{"-f", "--until", "1h"}, "--follow"},
		{"following in YAML", []string{"-f", "-o", "yaml"}, "--follow"},
		{"none of the newest", []string{"-n", "0"}, "--newest 0: want 1 or more"},
		{"the newest days", []string{"-n", "3", "--days"}, "--newest: goes with single acts"},
		{"a format", []string{"-o", "csv"}, `-o "csv"`},
		{"a PID", []string{"4711"}, "reaperd history takes no \"4711\"\nhint: reaperd history --pid 4711\n"},
		{"a glob", []string{"git*"}, "reaperd history takes no \"git*\"\nhint: reaperd history --name 'git*'\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := command(t, append([]string{"history"}, c.args...)...); got.code != exitUsage || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// stream is a writer that reports when a text has arrived.
type stream struct {
	mu      sync.Mutex
	text    bytes.Buffer
	arrived chan struct{}
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.text.Write(p)
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return n, err
}

func (s *stream) waitFor(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		found := strings.Contains(s.text.String(), text)
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-s.arrived:
		case <-deadline:
			t.Fatalf("%q never came", text)
		}
	}
}

// areLines checks each line against its schema.
func areLines(t *testing.T, text string) {
	t.Helper()
	line, err := schemaOf("history-line")
	if err != nil {
		t.Fatal(err)
	}
	for one := range strings.Lines(text) {
		var value any
		if err := json.Unmarshal([]byte(one), &value); err != nil {
			t.Fatal(err)
		}
		if err := line.Validate(value); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
}

func TestFollowBeginsWithTheNewestActs(t *testing.T) {
	ownState(t)
	write(t, did("a1", "56:100", "oldest", "exited", someDay(), 56), did("a2", "57:100", "newest", "exited", someDay().Add(time.Hour), 57))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out := &stream{arrived: make(chan struct{}, 1)}
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"history", "-f", "-n", "1"}, terminal.Terminal{In: strings.NewReader(""), Out: out, Err: &stream{}})
	}()
	out.waitFor(t, "newest 57")
	write(t, did("a3", "70:100", "next", "killed", time.Now(), 70))
	out.waitFor(t, "next 70")
	interrupt()
	if <-code; strings.Contains(out.text.String(), "oldest") {
		t.Errorf("got\n%s", out.text.String())
	}
}

func TestFollowShowsWhatIsAndWhatComesUntilInterrupted(t *testing.T) {
	for _, format := range []string{"table", "json"} {
		t.Run(format, func(t *testing.T) {
			ownState(t)
			write(t, did("a1", "56:100", "playwright-mcp", "exited", someDay(), 56))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			out := &stream{arrived: make(chan struct{}, 1)}
			code := make(chan int)
			go func() {
				code <- run(ctx, []string{"history", "-f", "-o", format}, terminal.Terminal{In: strings.NewReader(""), Out: out, Err: &stream{}})
			}()
			out.waitFor(t, "playwright-mcp")
			write(t, did("a2", "70:100", "github-mcp", "killed", time.Now(), 70))
			out.waitFor(t, "github-mcp")
			interrupt()
			if got := <-code; got != exitInterrupted {
				t.Errorf("exit code %d, want %d as of every command that is interrupted", got, exitInterrupted)
			}
			if format == "json" {
				areLines(t, out.text.String())
			}
		})
	}
}

// TestFollowingTellsAtOnceWhyNothingMayCome, or a slip would be waited for without end.
func TestFollowingTellsAtOnceWhyNothingMayCome(t *testing.T) {
	ownState(t)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	const none = "note: no daemon runs: only sweeps by hand are recorded here\n"
	for rule, want := range map[string]string{"nosuch": none + "note: no rule of the policy is called nosuch\n", "duplicates": none} {
		var said strings.Builder
		code := run(ctx, []string{"history", "-f", "--rule", rule}, terminal.Terminal{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &said})
		if code != exitInterrupted || said.String() != want {
			t.Errorf("%s: exit code %d, said %q, want %q", rule, code, said.String(), want)
		}
	}
}

// TestWhatAnotherUserIsToAskKeepsTheQuestion: the note at another's journal names the same acts.
func TestWhatAnotherUserIsToAskKeepsTheQuestion(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "reaperd history",
		"--name gh* -o json":             "reaperd history --name 'gh*'",
		"-f --pid 4711":                  "reaperd history -f --pid 4711",
		"--days --since 7d --journal /x": "reaperd history --days --since 7d",
		"-n 5 --rule orphaned-servers":   "reaperd history --newest 5 --rule orphaned-servers",
	} {
		cmd := newHistory(&shared{})
		root := &cobra.Command{Use: "reaperd"}
		root.AddCommand(cmd)
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := asTyped(cmd); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
