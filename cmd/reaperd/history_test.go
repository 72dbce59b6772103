package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
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
	j, err := journal.Open(journalPath(""))
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
		{"by a process inside the tree", []string{"--pid", "58"}, []string{"a1"}},
		{"by name", []string{"--name", "GitHub*"}, []string{"a2", "a3"}},
		{"by rule", []string{"--rule", "orphaned-containers"}, []string{"a2"}},
		{"begun before the time asked for and shown with a later one", []string{"--until", human.Moment(day.Local())}, nil},
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
}

func TestTheVersionStandsFirstInJSON(t *testing.T) {
	oneOfEachKind(t)
	for _, args := range [][]string{{"-o", "json"}, {"-o", "yaml"}} {
		got := command(t, append([]string{"history"}, args...)...)
		if !strings.HasPrefix(strings.TrimLeft(got.out, "{ \n\""), "version") {
			t.Errorf("%v begins with %.40q", args, got.out)
		}
	}
}

func TestAnActThatWasGivenUpOnStaysUnfinished(t *testing.T) {
	ownState(t)
	day := someDay()
	path := write(t, did("a1", "56:100", "playwright-mcp", "", day, 56), did("a2", "70:100", "github-mcp", "", day, 70))
	j, err := journal.Open(path)
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
	if got := command(t, "history", "--pid", "56", "--all"); !strings.Contains(got.out, "playwright-mcp 56 of claude-code 44: no outcome was written") {
		t.Errorf("got\n%s", got.out)
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
		{"a day that never was", []string{"--since", "2026-02-30"}, "is no time"},
		{"a day that has not come", []string{"--since", tomorrow}, "has not come yet"},
		{"an end before the beginning", []string{"--since", "1h", "--until", "2h"}, "is not after"},
		{"a sign", []string{"--since", "-2h"}, "no sign"},
		{"no PID", []string{"--pid", "0"}, "a PID is 1 or more"},
		{"following into the past", []string{"-f", "--until", "1h"}, "--follow"},
		{"following in YAML", []string{"-f", "-o", "yaml"}, "--follow"},
		{"none of the newest", []string{"-n", "0"}, "--newest 0: want 1 or more"},
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

// TestHistoryIsALineForEachSessionThatEnded, and with --all one for each act.
func TestHistoryIsALineForEachSessionThatEnded(t *testing.T) {
	oneOfEachKind(t)
	for _, row := range []struct {
		args  []string
		lines int
		has   []string
	}{
		{nil, 1, []string{"claude-code 44 ended: 2 servers stopped, 170 MB", "1 left alone", "1 without an outcome", "failed: memory 71"}},
		{[]string{"--all"}, 5, []string{"playwright-mcp 56 of claude-code 44: exited, 85 MB (orphaned-servers)", "memory 72 of claude-code 44: no outcome was written"}},
		{[]string{"-o", "wide"}, 5, []string{"github 0123456789ab of claude-code 44: killed, 85 MB (orphaned-containers)"}},
		{[]string{"-n", "2"}, 3, []string{"memory 71", "memory 72", "3 older acts: reaperd history --all"}},
		{[]string{"--pid", "4711"}, 1, []string{"Nothing was stopped."}},
	} {
		got := command(t, append([]string{"history"}, row.args...)...)
		if got.code != exitOK || strings.Count(got.out, "\n") < row.lines {
			t.Errorf("%v: %+v, want %d lines", row.args, got, row.lines)
		}
		said := strings.Join(strings.Fields(got.out), " ")
		for _, want := range row.has {
			if !strings.Contains(said, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%v: no %q in\n%s", row.args, want, got.out)
			}
		}
	}
}

// TestHistoryTellsWhatOfTheJournalItCannotRead: a line that was cut short is none of its faults.
func TestHistoryTellsWhatOfTheJournalItCannotRead(t *testing.T) {
	d := ownState(t)
	if got := command(t, "history"); got.code != exitOK || got.out != "Nothing was stopped.\n" {
		t.Errorf("no journal: %+v", got)
	}
	if got := command(t, "history", "--journal", filepath.Join(string(d), "none")); got.code != exitFailed || !strings.Contains(got.err, "no such file") {
		t.Errorf("one that was named: %+v", got)
	}
	path := write(t, did("a1", "56:100", "evil\x1b[2J\nname", "exited", someDay(), 56))
	if got := command(t, "history", "--all"); strings.Contains(got.out, "\x1b") || strings.Count(got.out, "\n") > 2 {
		t.Errorf("a name steers the terminal: %q", got.out)
	}
	torn, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(torn, "{\"time\":\"2026\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := command(t, "history"); got.code != exitOK || !strings.Contains(got.out, "1 line of the journal was cut short") {
		t.Errorf("a torn line: %+v", got)
	}
	rotated := filepath.Join(filepath.Dir(path), "journal-2026-11-01T00-00-00.000.jsonl")
	if err := os.Mkdir(rotated, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "history"); got.code != exitIncomplete || !strings.Contains(got.out, "! read journal") || !strings.Contains(got.out, "ended: 1 server stopped") {
		t.Errorf("a file that is none: %+v", got)
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
		code <- run(ctx, []string{"history", "-f", "-n", "1"}, cli.Terminal{In: strings.NewReader(""), Out: out, Err: &stream{}})
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
				code <- run(ctx, []string{"history", "-f", "-o", format}, cli.Terminal{In: strings.NewReader(""), Out: out, Err: &stream{}})
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
