// Package doctor examines what reaperd can see and do on this host. Its answer is a list
// of symptoms, each with its state and, if there is one, a remedy.
//
// An examination loads the policy, opens the journal, looks at the host once, and checks
// without sending a signal whether reaperd may signal the targets' processes. Remedies
// follow from data ([inventory.Gap], errors, rights), never from the text of a reason.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// Symptom is one line of the answer.
type Symptom struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, note or fault
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// betweenRemedies separates the remedies of a symptom that has several.
const betweenRemedies = "   "

// The states of a symptom. A note tells of something that cannot be seen or done here,
// and is no fault. A fault should work here and does not.
const (
	stateOK    = "ok"
	stateNote  = "note"
	stateFault = "fault"
)

// Options tell what to examine.
type Options struct {
	Policies string // the policy's file; empty: the one that commands use by default
	Journal  string // the journal's file
	State    state.Dir
	Version  string // this tool's
	Log      *slog.Logger
}

// Examine examines this host.
func Examine(ctx context.Context, o Options) []Symptom {
	daemon := deciderHere(ctx, o.State)
	policy, p := policySymptom(o.Policies)
	if daemon.host && policy.State == stateOK {
		policy.Text += "; this host's daemon goes by its own"
	}
	found, sources, err := lookOnce(ctx, p, o, daemon.host)
	if err != nil {
		found = []Symptom{{inventory.SourceProcesses, stateFault, err.Error(), ""}}
	}
	tool := own{version: o.Version, sources: sources}
	if policy.State == stateOK {
		tool.policy = p
	}
	own := append([]Symptom{policy}, misnamedSymptoms(policyfile.Misnamed(o.Policies))...)
	own = append(append(own, journalSymptom(o.Journal)), roomSymptoms(o.State)...)
	return append(append(own, daemon.symptoms(o.State, tool)...), found...)
}

// HasFault reports whether one of the symptoms is a fault.
func HasFault(symptoms []Symptom) bool {
	return slices.ContainsFunc(symptoms, func(s Symptom) bool { return s.State == stateFault })
}

// JSON returns symptoms as one JSON object.
func JSON(symptoms []Symptom) ([]byte, error) {
	d := document{Version: 1}
	for _, s := range symptoms {
		d.Checks = append(d.Checks, listed{s, s.remedies()})
	}
	return json.Marshal(d)
}

type document struct {
	Version int      `json:"version"`
	Checks  []listed `json:"checks"`
}

// listed is a symptom with its remedies one by one, of which Remedy is the whole.
type listed struct {
	Symptom
	Remedies []string `json:"remedies,omitempty"`
}

// remedies are those of a symptom, each by itself.
func (s Symptom) remedies() []string {
	if s.Remedy == "" {
		return nil
	}
	return strings.Split(s.Remedy, betweenRemedies)
}

// DocumentType is the type that [JSON] encodes, for its schema.
func DocumentType() reflect.Type { return reflect.TypeFor[document]() }

// lookOnce examines what one look sees. It also returns the sources of the look.
func lookOnce(ctx context.Context, p *policy.Policy, o Options, hosted bool) ([]Symptom, []inventory.Source, error) {
	h, err := host.Open(host.Options{Policy: p, Log: o.Log, TellsFaults: true})
	if err != nil {
		return nil, nil, err
	}
	defer h.Close()
	first, err := (&sweep.Sweeper{Observer: h, Catalogue: h.Catalogue(), Policy: p}).First(ctx) // as scan looks first
	if err != nil {
		return nil, nil, err
	}
	seen := first.Snapshot
	symptoms := hostSymptoms(seen, hosted)
	if set, read := h.Configured(); read {
		symptoms = append(symptoms, configurationSymptom(set))
	}
	return append(symptoms, signalSymptom(here(), p.Mode, signalled(first), h.Reaper(nil).Rehearse)), seen.Sources, nil
}

// policySymptom checks the policy. If the policy is wrong, the built-in one is used for
// the rest of the examination.
func policySymptom(named string) (Symptom, *policy.Policy) {
	p, err := policyfile.Load(named)
	if err == nil {
		text := fmt.Sprintf("%s, mode %s, %s", p.Sources[0].Name, p.Mode, human.Count(len(p.Rules), "rule"))
		return Symptom{"policy", stateOK, text, ""}, p
	}
	remedy := cmp.Or(hintOf(err), "name a file that can be read with --policies")
	if errors.As(err, new(policy.Faults)) && !policyfile.IsRootsToMend(err) {
		remedy = "mend the file: reaperd help policy shows the keys, and " + policy.CheckCommand(named) + " says when it is right"
	}
	return Symptom{"policy", stateFault, err.Error(), remedy}, policyfile.Shipped()
}

// misnamedSymptoms tell of a file that is not read for its name; "" is none.
func misnamedSymptoms(file string) []Symptom {
	if file == "" {
		return nil
	}
	return []Symptom{{"policy", stateNote, file + " " + policyfile.MustBeRenamed, human.Shell("mv", file, strings.TrimSuffix(file, ".yml")+".yaml")}}
}

// journalSymptom checks that an act could be recorded. That makes the journal's file, if
// there is none, and reserves the space of one record.
func journalSymptom(path string) Symptom {
	opened, err := journal.Open(path)
	if err == nil {
		err = opened.Ready()
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Symptom{"journal", stateFault, err.Error() + "; nothing is acted on without a record, and a daemon has only the room left that it has set aside there", journal.Remedy(err)}
	case err != nil:
		text, remedy := err.Error(), journal.Remedy(err)
		if why, opens := state.Denied(path); why != "" {
			text, remedy = text+" ("+why+")", opens
		}
		return Symptom{"journal", stateFault, text + "; no sweep by hand acts without a record there", remedy}
	}
	return Symptom{"journal", stateOK, path, ""}
}

// makeRoom is the remedy for a full disk.
const makeRoom = "make room on the disk"

// roomSymptoms tells that the disk of the state directory is full. It returns nothing while
// there is room.
func roomSymptoms(dir state.Dir) []Symptom {
	if !dir.IsFull() {
		return nil
	}
	return []Symptom{{"state", stateFault, string(dir) + " has no room for a file: pin, unpin and pause fail, and acts go on only for as long as the journal takes records", makeRoom}}
}

// View is what Write needs beside the symptoms: the width of the output, and the reader's
// home folder, which is written as "~".
type View struct {
	Width int
	Home  human.Home
}

// Write writes symptoms for a person: the conclusion first, then the list. It escapes
// control characters, since the texts contain names that anybody may have chosen.
func Write(w io.Writer, symptoms []Symptom, view View) error {
	text := human.Hanging("", conclusion(symptoms), view.Width) + "\n\n"
	for _, s := range symptoms {
		mark := map[string]string{stateOK: "ok     ", stateNote: "note   ", stateFault: "FAULT  "}[s.State]
		for i, line := range strings.Split(s.Check+": "+s.Text, "\n") {
			if i > 0 {
				mark = underMark
			}
			text += view.hang(mark, line)
		}
		if s.State == stateOK {
			continue
		}
		for _, remedy := range s.remedies() {
			text += view.hang(underMark+"remedy: ", remedy)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// hang writes one paragraph behind its lead.
func (v View) hang(lead, text string) string {
	return human.Hanging(lead, human.Safe(v.Home.Command(strings.Split(text, " "))), v.Width) + "\n"
}

// underMark indents the further lines of a symptom.
const underMark = "       "

// conclusion is the first line: how much is wrong, and how much is only a note.
func conclusion(symptoms []Symptom) string {
	var faults, notes []string
	for _, s := range symptoms {
		switch s.State {
		case stateFault:
			faults = append(faults, human.Safe(s.Check))
		case stateNote:
			notes = append(notes, human.Safe(s.Check))
		}
	}
	text := "Nothing is wrong here."
	if len(faults) > 0 {
		text = fmt.Sprintf("%s %s wrong: %s.", human.Count(len(faults), "thing"), human.Are(len(faults)), human.List(faults))
	}
	if len(notes) > 0 {
		text += " Worth knowing: " + human.List(notes) + "."
	}
	return text
}
