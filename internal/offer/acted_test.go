package offer

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

func TestHistoryIsOfferedWhatTheJournalNames(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 2, 0, 0, time.Local)
	entries := []journal.Entry{
		{Time: at, ID: "1", Name: "memory", TargetID: "41:1", Phase: journal.PhaseIntend},
		{Time: at, ID: "1", Name: "memory", TargetID: "41:1", Phase: journal.PhaseOutcome},
		{Time: at, ID: "2", Name: "gh\x1b[31m", TargetID: "abcdef0123456789", Container: &journal.Container{PID: 77}},
		{Time: at, ID: "3", Name: "memory", TargetID: "42:1"},
		{Time: at, ID: "4", Name: "memory", TargetID: "abcdef0123456780", Container: &journal.Container{}},
	}
	read := func() iter.Seq2[journal.Entry, error] {
		return func(yield func(journal.Entry, error) bool) {
			_ = yield(journal.Entry{}, errors.New("one file cannot be read")) && slices.ContainsFunc(entries, func(e journal.Entry) bool { return !yield(e, nil) })
		}
	}
	moment := human.Moment(at)
	if got, want := ActedOn(read()), (Words{"gh?[31m\t1 act", "memory\t3 acts"}); !slices.Equal(got, want) {
		t.Errorf("names: %q, want %q", got, want)
	}
	if got, want := PIDsActedOn(read()), (Words{"42\tmemory, " + moment, "77\tgh?[31m, " + moment, "41\tmemory, " + moment}); !slices.Equal(got, want) {
		t.Errorf("PIDs: %q, want %q", got, want)
	}
}

func TestProgramsOfPathAreOffered(t *testing.T) {
	folder := t.TempDir()
	for name, mode := range map[string]os.FileMode{"npx": 0o755, "npm": 0o755, "npm.txt": 0o644, "uvx": 0o755} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "npd"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Programs([]string{folder, filepath.Join(folder, "none"), folder}, "np"); !slices.Equal(got, Words{"npm", "npx"}) {
		t.Errorf("got %q", got)
	}
}
