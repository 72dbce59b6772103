package history

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// Fate is what the journal says about something that no longer runs.
type Fate struct {
	Subject string       // as it was asked for: a PID, an identity, a container, a name
	Seen    bool         // a process of that identity runs, and the reader has been told of it
	Ended   string       // what a daemon saw of its end, one line for each of its name; empty is nothing
	Gone    []serve.Gone // its end, and the ends of its servers and containers, as a daemon saw them
	Left    []serve.Left // what of it still runs
	Runs    []string     // the ids of the processes that run
	Unread  string       // which sources of the look did not answer, in a sentence; empty is none
	// Pinned are the pins of it, and SeenLast the containers of it as a daemon saw them last:
	// what is known of something that the look does not show.
	Pinned   []state.Pin
	SeenLast []serve.SeenContainer
	Entries  []journal.Entry // the oldest first
	Held     []journal.Entry // the outcomes of acts on what it had: it was a session
	begun    []journal.Entry // the intentions of such acts
	Path     string          // the journal's file
	Names    []string        // every name in the journal, owners too, each once
	Torn     int             // lines that were cut short
	Missing  Missing
	// Near is the hint what the subject may stand for; empty if nothing is near.
	Near string
	from string // the journal
	// NoDaemon: nobody has watched who could tell how something ended.
	NoDaemon bool
	// IsAtIt reports that the reaperd which wrote an intention may run still; nil if that is not known.
	IsAtIt func(*journal.Entry) bool
	// Width is the width of the terminal in cells; zero breaks no line.
	Width int
	// Resumes are the commands that resume a session in a new one, by client.
	Resumes map[string]string
}

// ReadFate reads the fate of a subject from a journal.
func ReadFate(path, subject string) (*Fate, error) {
	source := journal.History{Path: path}
	f := &Fate{Subject: subject, Entries: []journal.Entry{}, Path: journal.File(path), from: path}
	for entry, err := range source.Read(journal.Filter{}) {
		switch {
		case err != nil:
			return nil, err
		case ThingOf(&entry).IsMeant(subject):
			f.Entries = append(f.Entries, entry)
		case !ownerOf(&entry).IsMeant(subject):
		case entry.Phase == journal.PhaseOutcome:
			f.Held = append(f.Held, entry)
		default:
			f.begun = append(f.begun, entry)
		}
		for _, name := range []string{entry.Name, ownerOf(&entry).Name} {
			if !slices.Contains(f.Names, name) {
				f.Names = append(f.Names, name)
			}
		}
	}
	f.Torn = source.Torn()
	return f, f.holdToo(&source)
}

// Touched reports whether reaperd ended it, or tried to; nil if that is not known.
func (f *Fate) Touched() *bool {
	if len(f.Entries) == 0 && !f.Missing.None() {
		return nil
	}
	return new(len(f.Entries) > 0)
}

// Known reports whether the journal or a daemon names it.
func (f *Fate) Known() bool {
	return len(f.Entries)+len(f.Held) > 0 || f.Ended != "" || len(f.SeenLast) > 0 && f.Unread == ""
}

// JSON is the fate as one JSON object.
func (f *Fate) JSON() ([]byte, error) {
	return json.Marshal(fateDocument{version, f.Subject, false, f.Touched(), f.Torn, append([]journal.Entry{}, f.Entries...), f.Held, f.Gone, f.Left, f.Pinned, f.SeenLast})
}

type fateDocument struct {
	Version   int             `json:"version"`
	Subject   string          `json:"subject"`
	Running   bool            `json:"running"`
	Touched   *bool           `json:"touched"`
	TornLines int             `json:"torn_lines"`
	Journal   []journal.Entry `json:"journal"`
	Held      []journal.Entry `json:"held,omitempty"` // acts on what a session had
	Gone      []serve.Gone    `json:"gone,omitempty"` // what a daemon saw end: it, and what it had
	Left      []serve.Left    `json:"left,omitempty"` // what of it still runs
	// Pinned are the pins of it, and SeenLast the containers of it as a daemon saw them last.
	Pinned   []state.Pin           `json:"pinned,omitempty"`
	SeenLast []serve.SeenContainer `json:"seen_last,omitempty"`
}

// Write writes what became of it.
func (f *Fate) Write(w io.Writer) error {
	var lines []string
	var told []paragraph
	if f.Ended == "" || len(f.Entries)+len(f.Held) > 0 {
		told = f.told()
	}
	if f.Ended != "" { // what still runs comes before what was done
		lines = endedLines(f.Ended+f.stillPinned(), f.Width)
		told = append(told, f.onward()...)
	}
	for _, p := range told {
		lines = append(lines, p.wrapped(f.Width)...)
	}
	return writeLines(w, lines)
}

// onward is what comes next where sessions have ended: the command that shows what they left, and the
// way to go on with each.
func (f *Fate) onward() (next []paragraph) {
	isSession := func(g serve.Gone) bool { return g.Kind == graph.KindSession }
	first := slices.IndexFunc(f.Gone, isSession)
	if first < 0 {
		return nil
	}
	session := f.Gone[first]
	isOther := func(g serve.Gone) bool { return isSession(g) && g.ID != session.ID }
	isOne := !slices.ContainsFunc(f.Gone, isOther)
	name := f.Subject
	if isOne {
		name = session.Handle
	}
	if them := human.Them(len(f.Left), len(f.Left)); len(f.Left) > 0 {
		next = append(next, paragraph{"reaperd scan " + human.Shell(name) + "   ", "shows " + them + ", with what stops or keeps " + them})
	}
	if command := f.Resumes[session.Name]; command != "" && isOne {
		return append(next, paragraph{"", wayOn(session.Name, session.Cwd, command)})
	}
	for _, g := range f.Gone {
		if command := f.Resumes[g.Name]; command != "" && !isOne && isSession(g) && g.Cwd != "" {
			next = append(next, paragraph{"", "To go on with " + human.Safe(g.Name+" "+g.Handle) + ", in " + human.Safe(g.Cwd) + ": " + human.Safe(command)})
		}
	}
	return next
}

// endedLines are the lines of some ends in a width. Of several, each goes on with an indent.
func endedLines(ended string, width int) []string {
	ends, indent := strings.Split(ended, "\n"), ""
	if len(ends) > 1 {
		indent = "    "
	}
	var lines []string
	for _, end := range ends {
		for i, line := range report.Wrap(end, width-len(indent)) {
			if i > 0 {
				line = indent + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Notes are remarks about what the journal may lack, for stderr.
func (f *Fate) Notes() (notes []string) {
	if f.Torn > 0 {
		notes = append(notes, TornText(f.Path, f.Torn))
	}
	notes = append(notes, f.Missing.ElsewhereNotes("reaperd explain "+f.Subject)...)
	switch {
	case f.isMistyped():
		notes = append(notes, "hint: "+f.Near)
	case !f.Known() && len(f.Pinned)+len(f.SeenLast)+len(f.Unread) == 0 && !f.Seen:
		notes = append(notes, "hint: reaperd scan   shows what there is")
	}
	return notes
}

// isMistyped reports a word of which nothing is known and that is near another.
func (f *Fate) isMistyped() bool {
	return f.Near != "" && !f.Known() && len(f.Pinned)+len(f.SeenLast) == 0
}

// paragraph is a text behind a lead, to whose right the text stays when it is broken.
type paragraph struct{ lead, text string }

// leastBeside is the least room for a text to the right of its lead.
const leastBeside = 24

// wrapped are the lines of a paragraph in a width; 0 breaks no line. Where there is little
// room beside the lead, the text goes on below it with an indent.
func (p paragraph) wrapped(width int) []string {
	switch bare := strings.TrimLeft(p.lead, " "); {
	case width <= 0:
		return []string{p.lead + p.text}
	case width-human.Width(p.lead) < leastBeside:
		return Style{Width: width}.wrap(p.lead[:len(p.lead)-len(bare)], strings.TrimSpace(bare)+" "+p.text)
	}
	return strings.Split(report.Hang(p.lead, p.text, width), "\n")
}

func (f *Fate) told() []paragraph {
	absent := f.absent()
	switch {
	case len(f.Entries) == 0 && len(f.Held) > 0:
		return f.toldOfHeld()
	case len(f.Entries) == 0 && len(f.Pinned)+len(f.SeenLast) > 0:
		return f.toldOfUnseen()
	case len(f.Entries) == 0 && f.Seen:
		return []paragraph{{"", f.Missing.Untouched("reaperd never touched it", "the journal does not name it") + "."}}
	case f.isMistyped() && f.Unread == "":
		return []paragraph{{"", absent + "."}}
	case len(f.Entries) == 0:
		return []paragraph{{"", f.untouched(absent) + f.unread() + f.unwatched()}}
	}
	var told []paragraph
	if !f.Seen && f.Ended == "" { // else that has been told
		told = append(told, paragraph{"", absent + "." + f.unread()})
	}
	if acts := f.acts(); areSeveral(acts) {
		told = append(told, f.toldBriefly(acts)...)
	} else {
		for _, entry := range acts {
			told = append(told, f.toldOf(entry)...)
		}
	}
	told = append(told, f.toldOfHeld()...)
	for _, way := range waysBack(f.Entries, f.Resumes) {
		told = append(told, paragraph{"", way})
	}
	return told
}

// untouched says that something is absent, and that reaperd has not acted on it.
func (f *Fate) untouched(absent string) string {
	return f.Missing.untouchedHere(absent+", and reaperd never touched it", absent+", and the journal does not name it") + "."
}

// acts are the outcomes, and the intentions without one.
func (f *Fate) acts() (acts []journal.Entry) {
	ended := map[string]bool{}
	for _, entry := range f.Entries {
		ended[entry.ID] = ended[entry.ID] || entry.Phase == journal.PhaseOutcome
	}
	for _, entry := range f.Entries {
		if entry.Phase == journal.PhaseOutcome || !ended[entry.ID] {
			acts = append(acts, entry)
		}
	}
	return acts
}

// clientOf is the name in "claude-code 44:1500".
func clientOf(who string) string {
	if space := strings.LastIndexByte(who, ' '); space >= 0 {
		return who[:space]
	}
	return who
}

// unread adds which sources did not answer: what is asked for may be there.
func (f *Fate) unread() string {
	if f.Unread == "" {
		return ""
	}
	return " Not everything could be looked at: " + human.Safe(f.Unread) + "."
}

// unwatched tells that nobody knows how something ended that reaperd did not end.
func (f *Fate) unwatched() string {
	if !f.NoDaemon || f.Unread != "" || !f.Missing.None() {
		return ""
	}
	return " Only a daemon that runs knows what ended by itself."
}

// absent claims no more than is known: a name may be that of a running program that
// reaperd has nothing to do with.
func (f *Fate) absent() string {
	_, err := strconv.Atoi(f.Subject)
	switch {
	case err == nil || len(f.Entries) > 0 && f.Unread == "":
		return f.Subject + " is not running here"
	case f.Unread != "":
		return "No MCP server, session or container that can be seen here is called " + f.Subject
	}
	return "No MCP server, session or container here is called " + f.Subject
}

// mayGoOn is how long an act without an outcome may go on: longer than any usual grace.
const mayGoOn = time.Minute

// toldOf says when what was done to the subject, by which rule, what came of it, and the
// evidence for it.
func (f *Fate) toldOf(entry journal.Entry) []paragraph {
	outcome := "begun, and no outcome was written"
	switch {
	case entry.Phase == journal.PhaseOutcome:
		outcome = done.Result(entry.Result).With(entry.Detail)
	case time.Since(entry.Time) < mayGoOn && (f.IsAtIt == nil || f.IsAtIt(&entry)):
		outcome = "begun, and not ended yet" + f.restOf(entry)
	}
	why := "rule " + human.Safe(entry.Rule)
	if entry.Finding != "" && entry.Finding != graph.FindingNone.String() {
		why += ", " + finding.As(human.Safe(entry.Finding))
	}
	if entry.With != "" {
		why += ", with " + human.Safe(journal.Called(entry.With))
	}
	switch {
	case entry.ByHand != "":
		why += ", " + human.Safe(done.ByHand(entry.ByHand))
	case entry.HeldByAge: // as only a sweep by hand does; older journals name no command here
		why += ", by hand"
	}
	text := fmt.Sprintf("%s (%s): %s", human.Safe(entry.Name+" "+ThingOf(&entry).Handle()), why, human.Safe(outcome))
	return append([]paragraph{{whenOf(entry), text}}, toldEvidence(entry)...)
}

// restOf names the processes of a tree that is being stopped and that still run: "; 17481 of it still runs".
func (f *Fate) restOf(entry journal.Entry) string {
	var pids []string
	for _, p := range entry.Tree {
		if slices.Contains(f.Runs, fmt.Sprintf("%d:%d", p.PID, p.Start)) {
			pids = append(pids, strconv.Itoa(p.PID))
		}
	}
	if len(pids) == 0 {
		return ""
	}
	return "; " + human.List(pids) + " of it still " + human.Verb(len(pids), "runs", "run") + ": reaperd explain " + pids[0]
}

// whenOf is the time of an act, with the gap that separates it from the text behind it.
func whenOf(entry journal.Entry) string {
	a := Act{Entry: entry}
	return human.Moment(a.At().Local()) + "  "
}

// speaksFor says what a piece of evidence speaks for: " (orphaned, proof)"; nothing if that is
// for nobody.
func speaksFor(e journal.Evidence) string {
	switch {
	case says(e) == graph.SaysSilent:
		return ""
	case e.Proof:
		return " (" + e.Says + ", proof)"
	}
	return " (" + e.Says + ")"
}

// toldEvidence is the evidence that the journal recorded.
func toldEvidence(entry journal.Entry) []paragraph {
	const indent = "    "
	var told []paragraph
	if why := strings.TrimPrefix(entry.Why, fmt.Sprintf("rule %q: ", entry.Rule)); why != "" {
		told = append(told, paragraph{indent + "why: ", human.Safe(why)})
	}
	if entry.Owner != "" {
		told = append(told, paragraph{indent + ownershipOf(entry.Finding, entry.OwnerGoneSince) + ": ", human.Safe(journal.Called(entry.Owner))})
	}
	for _, e := range entry.Evidence {
		told = append(told, paragraph{indent + human.Safe(e.Check) + ": ", human.Safe(e.Text + speaksFor(e))})
	}
	if len(told) == 0 {
		return nil
	}
	return append([]paragraph{{"  ", "as it was seen before that:"}}, told...)
}
