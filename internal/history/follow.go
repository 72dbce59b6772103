package history

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// Follow yields lines for past acts and then for new ones, until the context ends. It
// yields a problem once, until another comes. Of the past acts it yields no more than the newest that
// the query asks for.
func Follow(ctx context.Context, path string, q Query, lines func(journal.Entry) ([]string, error)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		said := ""
		source := journal.History{Path: path}
		for entry, err := range source.Follow(ctx, q.withoutOlder(path)) {
			var texts []string
			if err == nil {
				texts, err = lines(entry)
			}
			if err != nil && err.Error() != said {
				said = err.Error()
				if !yield("", err) {
					return
				}
			}
			for _, text := range texts {
				if !yield(text, nil) {
					return
				}
			}
		}
	}
}

// withoutOlder is the filter of a query without the acts that are older than its newest.
func (q Query) withoutOlder(path string) journal.Filter {
	filter := q.filter()
	if q.Newest == 0 {
		return filter
	}
	past := Read(path, q)
	older := map[string]bool{}
	for _, a := range past.Acts[:len(past.Acts)-len(past.newest().Acts)] {
		older[a.ID] = true
	}
	filter.Choose = func(entry *journal.Entry) bool { return !older[entry.ID] && q.chooses(entry) }
	return filter
}

// Lines turns a stream of entries into lines for people: the outcome of each act,
// below its reason. A reason is repeated only after another.
func (s Style) Lines() func(journal.Entry) ([]string, error) {
	var t tail
	return func(entry journal.Entry) ([]string, error) {
		lines := t.next(entry, s)
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return lines, nil
	}
}

// jsonLine is one line of a stream.
type jsonLine struct {
	Version int `json:"version"`
	journal.Entry
}

// JSONLine is an entry as one JSON object.
func JSONLine(entry journal.Entry) ([]string, error) {
	data, err := json.Marshal(jsonLine{version, entry})
	return []string{string(human.EscapeJSON(data))}, err
}
