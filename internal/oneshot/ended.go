package oneshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/word"
)

// Ended says of a session that has ended when it did and what it left behind: "claude-code
// 12 ended 10:06:45, left 2 servers: 22, 31". It is empty if the daemon knows no such
// session, or none that left anything.
func (s *Sight) Ended(ctx context.Context, subject string) string {
	return endedIn(s.told(ctx).Leavers, subject)
}

// EndedNotes are notes of [Sight.Ended] on each of some words, one line each.
func (s *Sight) EndedNotes(ctx context.Context, words []string) []string {
	return endedNotes(s.told(ctx).Leavers, words)
}

func endedNotes(leavers []serve.Leaver, words []string) []string {
	var notes []string
	for _, word := range words {
		for line := range strings.Lines(endedIn(leavers, word)) {
			if note := "note: " + strings.TrimSuffix(line, "\n"); !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

func endedIn(leavers []serve.Leaver, subject string) string {
	var lines []string
	for _, l := range leavers {
		if (word.Thing{Name: l.Name, ID: l.ID}).IsMeant(subject) {
			lines = append(lines, endedText(l))
		}
	}
	return strings.Join(lines, "\n")
}

func endedText(l serve.Leaver) string {
	text := human.Safe(l.Name)
	if l.PID != 0 {
		text += fmt.Sprintf(" %d", l.PID)
	}
	text += " ended"
	if !l.Since.IsZero() {
		text += " " + human.Moment(l.Since.Local())
	}
	var kinds, handles []string
	counts := map[string]int{}
	for _, left := range l.Left {
		kind := string(left.Kind)
		if counts[kind] == 0 {
			kinds = append(kinds, kind)
		}
		counts[kind]++
		handles = append(handles, human.Safe(left.Handle))
	}
	for i, kind := range kinds {
		kinds[i] = human.Count(counts[kind], kind)
	}
	return text + ", left " + human.List(kinds) + ": " + strings.Join(handles, ", ") + "."
}
