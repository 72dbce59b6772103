package oneshot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// Explanation is all evidence about one thing on this host: a target, a session, or
// another process.
type Explanation struct {
	in      report.Input
	id      string
	process *report.OtherProcess // nil: it is the target or session of that id
}

// Process is what is explained if that is no target: a process. Else it is nil.
func (e *Explanation) Process() *report.OtherProcess { return e.process }

// RestsOnUnread reports that a source did not answer on which the explanation rests.
func (e *Explanation) RestsOnUnread() bool {
	if e.process != nil {
		return e.process.Unread != ""
	}
	return e.in.RestsOnUnread(e.id)
}

// Explain explains the thing that a word ([Sight.Called]) means; nil if there is none. If several have
// that name, the error says which is whose.
func (s *Sight) Explain(subject string) (*Explanation, error) {
	view := s.shown()
	in := s.reportOf(view, "scan")
	in.Verdicts = report.Attributed(view.Verdicts, formerOwners(s.told(context.Background())))
	if id, found := word.One(s.View.Graph, subject); found {
		in.Notes = slices.Concat(in.Notes, s.losesSoon(id), s.lostLately(id), s.triedLately(id))
		return &Explanation{in: in, id: id}, nil
	}
	if p := word.Process(s.View.Graph.Snapshot, subject); p != nil {
		return &Explanation{in: in, process: s.otherProcess(p, in)}, nil
	}
	switch alike := word.Called(s.View.Graph, subject); len(alike) {
	case 0:
		return s.explainStranger(subject, in)
	case 1:
		in.Notes = slices.Concat(in.Notes, s.alsoEnded(subject), s.losesSoon(alike[0].ID), s.lostLately(alike[0].ID), s.triedLately(alike[0].ID))
		return &Explanation{in: in, id: alike[0].ID}, nil
	default:
		return nil, s.tooMany(subject, alike)
	}
}

// explainStranger explains the process of a name that is no known client, but lives and owns
// something; nil if there is none.
func (s *Sight) explainStranger(name string, in report.Input) (*Explanation, error) {
	switch found := word.Strangers(s.View.Graph, name); len(found) {
	case 0:
		return nil, nil
	case 1:
		return &Explanation{in: in, process: s.otherProcess(found[0], in)}, nil
	default:
		var pids []string
		for _, p := range found {
			pids = append(pids, strconv.Itoa(p.PID))
		}
		return nil, advice.Misused(s.Asked.Explain(pids[0])+"   one of them", "%s: %s %s: %s", human.Safe(name), human.Number(len(found)), s.runHere(), human.List(pids))
	}
}

// Write writes it for a person.
func (e *Explanation) Write(w io.Writer, o report.Options) error {
	if e.process != nil {
		return e.process.Explain(w, o)
	}
	return report.Explain(w, e.in, e.id, o)
}

// otherProcess is the explanation of a process that is no target, for programs.
type otherProcess struct {
	Version int    `json:"version"`
	PID     int    `json:"pid"`
	ID      string `json:"id"`
	Target  bool   `json:"target"` // false
	Reason  string `json:"reason"`
	// Owns are the ids of the targets that it owns: it is a client that is not known.
	Owns []string `json:"owns,omitempty"`
}

// ProcessType is the type of the explanation of a process that is no target, for its
// schema.
func ProcessType() reflect.Type { return reflect.TypeFor[otherProcess]() }

// JSON is it as one JSON object.
func (e *Explanation) JSON() ([]byte, error) {
	if e.process != nil {
		p := e.process.Process
		return json.Marshal(otherProcess{Version: report.Version, PID: p.PID, ID: p.ID().String(), Reason: e.process.Reason(), Owns: e.process.Owned()})
	}
	return report.ExplainJSON(e.in, e.id)
}

// mostAlike is how many things of one name an error lists.
const mostAlike = 4

// Had reports that the look before the last one shows something that a word means.
func (s *Sight) Had(name string) bool {
	if s.View.First == nil {
		return false
	}
	_, one := word.One(s.View.First, name)
	return one || word.Process(s.View.First.Snapshot, name) != nil || len(word.Called(s.View.First, name)) > 0
}

// runHere says where several things run.
func (s *Sight) runHere() string {
	if len(s.Asked.Snapshots) > 0 {
		return "are in the snapshot"
	}
	return "run here"
}

// tooMany asks which of several targets is meant.
func (s *Sight) tooMany(name string, alike []*graph.Target) error {
	var few []string
	for _, t := range alike[:min(len(alike), mostAlike)] {
		few = append(few, word.Of(t).Handle()+" ("+standing(t)+")")
	}
	if more := len(alike) - len(few); more > 0 {
		few = append(few, human.Number(more)+" more")
	}
	all := s.Asked.Elsewhere()
	all.Output, all.Names = "wide", []string{name}
	hint := fmt.Sprintf("%s   one of them; %s   all", s.Asked.Explain(word.Of(alike[0]).Handle()), all.Scan())
	return advice.Misused(hint, "%s: %s %s: %s", name, human.Number(len(alike)), s.runHere(), human.List(few))
}

// Several lists, for words that are names of several targets each, all of these: "codex 13
// (in ~/src/blog)". A glob and a PID are meant as they are typed: they list nothing.
func (s *Sight) Several(words []string) []string {
	var lines []string
	for _, name := range words {
		targets := word.Targets(s.View.Graph, name)
		if _, one := word.One(s.View.Graph, name); one || word.IsGlob(name) || len(targets) < 2 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s:", human.Safe(name), human.Number(len(targets)), s.runHere()))
		for _, t := range targets {
			lines = append(lines, "  "+calledTarget(t)+" ("+standing(t)+")")
		}
	}
	return lines
}

// standing tells a target from others of its name: a session by its folder, another by its finding
// and its owner.
func standing(t *graph.Target) string {
	text, owner := "", t.Owner.Name
	if t.Finding != graph.FindingNone {
		text = finding.As(string(t.Finding))
	}
	switch folder := report.Folder(t.Root, state.Home()); {
	case t.Kind == graph.KindSession && folder != "" && text == "":
		return "in " + folder
	case t.Kind == graph.KindSession && folder != "":
		return text + ", in " + folder
	case t.Kind == graph.KindSession && t.Root != nil && t.Root.User != "":
		return strings.TrimSpace(text + " of " + t.Root.User)
	case text != "" && owner != "":
		return text + " of " + calledOwner(t.Owner)
	case text != "":
		return text
	case owner != "":
		return "of " + calledOwner(t.Owner)
	}
	return "owner unknown"
}

func calledOwner(o graph.Owner) string { return human.Safe(redact.Name(o.Named().String())) }

func (s *Sight) otherProcess(p *inventory.Process, in report.Input) *report.OtherProcess {
	s.place(p)
	other := &report.OtherProcess{Process: p, In: in, Unread: word.UnreadAround(s.View.Graph, p)}
	switch container, known := s.View.Graph.Target(p.ContainerID); {
	case p.ContainerID == "":
	case !known:
		other.Why = fmt.Sprintf("it runs in container %.12s, which no engine here knows", p.ContainerID)
	case !container.Incidental: // else its processes are judged like others
		other.Container = container
	}
	if ppid, known := p.PPID.Get(); known {
		other.Parent = word.Process(s.View.Graph.Snapshot, strconv.Itoa(ppid))
	}
	return other
}
