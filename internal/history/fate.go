package history

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// Fate is what the journal says about something that no longer runs.
type Fate struct {
	Subject string          // as it was asked for: a PID, an identity, a container, a name
	Entries []journal.Entry // the oldest first
	Path    string          // the journal's file
	Torn    int             // lines that were cut short
	Missing Missing
}

// ReadFate reads the fate of a subject from a journal.
func ReadFate(path, subject string) (*Fate, error) {
	source := journal.History{Path: path}
	f := &Fate{Subject: subject, Entries: []journal.Entry{}, Path: journal.File(path)}
	isMeant := func(entry *journal.Entry) bool { return thingOf(entry).IsMeant(subject) }
	for entry, err := range source.Read(journal.Filter{Choose: isMeant}) {
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		f.Entries = append(f.Entries, entry)
	}
	f.Torn = source.Torn()
	return f, nil
}

// Touched reports whether reaperd ended it, or tried to; nil if that is not known.
func (f *Fate) Touched() *bool {
	if len(f.Entries) == 0 && !f.Missing.None() {
		return nil
	}
	return new(len(f.Entries) > 0)
}

// JSON is the fate as one JSON object.
func (f *Fate) JSON() ([]byte, error) {
	return json.Marshal(fateDocument{version, f.Subject, false, f.Touched(), f.Torn, append([]journal.Entry{}, f.Entries...)})
}

type fateDocument struct {
	Version   int             `json:"version"`
	Subject   string          `json:"subject"`
	Running   bool            `json:"running"`
	Touched   *bool           `json:"touched"`
	TornLines int             `json:"torn_lines"`
	Journal   []journal.Entry `json:"journal"`
}

// Write writes what became of it.
func (f *Fate) Write(w io.Writer) error {
	absent := f.absent()
	if len(f.Entries) == 0 {
		_, err := fmt.Fprintln(w, f.Missing.Untouched(absent+", and reaperd never touched it", absent+", and the journal does not name it")+".")
		return err
	}
	lines := []string{absent + "."}
	ended := map[string]bool{}
	for _, entry := range f.Entries {
		ended[entry.ID] = ended[entry.ID] || entry.Phase == journal.PhaseOutcome
	}
	for _, entry := range f.Entries {
		switch {
		case entry.Phase == journal.PhaseOutcome:
			lines = append(lines, entryText(entry)+": "+human.Safe(outcomeText(entry)))
		case !ended[entry.ID]:
			lines = append(lines, entryText(entry)+": begun, and no outcome was written")
		default:
			continue
		}
		lines = append(lines, evidenceLines(entry)...)
	}
	return writeLines(w, append(lines, "To reconnect a server in Claude Code: /mcp"))
}

// absent claims no more than is known: a name may be that of a running program that
// reaperd has nothing to do with.
func (f *Fate) absent() string {
	if _, err := strconv.Atoi(f.Subject); err == nil || len(f.Entries) > 0 {
		return f.Subject + " is not running here"
	}
	return "No MCP server, session or container here is called " + f.Subject
}

// entryText says when what was done to the subject, and by which rule.
func entryText(entry journal.Entry) string {
	a := Act{Entry: entry}
	return fmt.Sprintf("%s  %s (rule %s, %s)", human.Moment(a.At().Local()), human.Safe(entry.Name), human.Safe(entry.Rule), human.Safe(entry.Finding))
}

// evidenceLines are the evidence that the journal recorded.
func evidenceLines(entry journal.Entry) []string {
	var lines []string
	if entry.Owner != "" {
		lines = append(lines, "  owner "+human.Safe(journal.Called(entry.Owner)))
	}
	for _, e := range entry.Evidence {
		says := e.Says
		if e.Proof {
			says += ", proof"
		}
		lines = append(lines, "  "+human.Safe(e.Check+": "+e.Text+" ("+says+")"))
	}
	return lines
}

func outcomeText(entry journal.Entry) string {
	if entry.Detail != "" {
		return entry.Result + ": " + entry.Detail
	}
	return entry.Result
}
