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
// yields a problem once, until another comes.
func Follow(ctx context.Context, path string, q Query, lines func(journal.Entry) ([]string, error)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		said := ""
		source := journal.History{Path: path}
		for entry, err := range source.Follow(ctx, q.filter()) {
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
