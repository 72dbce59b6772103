package account

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// A word of the command line means a PID, a PID with its start mark, a
// container's name or the beginning of its id, or a name, which may mean several things. What
// can be meant is a [Subject]: a target of a look, a pin, an entry of the journal. [Subject.Handle]
// is the other way round: the word for a thing.

// Subject is what a word can mean. No word means an empty field.
type Subject struct {
	ID        string   // PID:START of a process, or the full id of a container
	Members   []string // the same of all that belongs to it
	Container string   // what the engine calls the container
	Name      string
}

// SubjectOf makes a thing of a target.
func SubjectOf(t *graph.Target) Subject {
	thing := Subject{ID: t.ID, Name: t.Name}
	if t.Container != nil {
		thing.Container = t.Container.Called()
	}
	for _, member := range t.Members {
		thing.Members = append(thing.Members, member.ID().String())
	}
	return thing
}

// SubjectOfAct makes a thing of an act's target.
func SubjectOfAct(act *policy.Act) Subject {
	thing := Subject{ID: act.TargetID, Name: act.Name}
	if act.Container != nil {
		thing.Container = act.Container.Called()
	}
	return thing
}

// SubjectOfOutcome makes a thing of the target of an act's outcome.
func SubjectOfOutcome(o policy.Outcome) Subject {
	return Subject{ID: o.Target, Name: o.Name, Container: o.Container}
}

// IsMeant reports that a word means the thing, alone or together with others of its
// name.
func (t Subject) IsMeant(word string) bool { return t.Is(word) || t.IsCalled(word) }

// IsCalled reports that a glob matches the thing's name, or what the engine calls the
// container.
func (t Subject) IsCalled(glob string) bool {
	return policy.MatchesName(glob, t.Name) || t.Container != "" && isGlob(glob) && policy.MatchesName(glob, t.Container)
}

// Is reports that a word means this thing and no other.
func (t Subject) Is(word string) bool {
	return t.Container != "" && strings.TrimPrefix(word, "/") == t.Container ||
		isID(word, t.ID) || slices.ContainsFunc(t.Members, func(id string) bool { return isID(word, id) })
}

// leastDigits is how many digits of a container's id are enough to name it.
const leastDigits = 8

func isID(word, id string) bool {
	pid, _, isProcess := strings.Cut(id, ":")
	if isProcess {
		return word == id || word == pid
	}
	return word == id && id != "" || len(word) >= leastDigits && strings.HasPrefix(id, word)
}

// Handle is the shortest word that means the thing: a container's name, if that
// contains no secret, the first digits of its id, or a PID. A name whose secret is masked
// means nothing.
func (t Subject) Handle() string {
	if t.Container != "" && redact.Name(t.Container) == t.Container && !strings.Contains(t.Container, redact.Mask) {
		return human.Safe(t.Container)
	}
	return human.Handle(t.ID)
}

// isGlob reports that a word is a pattern of names.
func isGlob(word string) bool { return strings.ContainsAny(word, "*?[") }

// TargetsMeant are all targets that a word means.
func TargetsMeant(g *graph.Graph, word string) []*graph.Target {
	return chosen(g, func(t Subject) bool { return t.IsMeant(word) })
}

// targetsCalled are the targets whose name a glob matches.
func targetsCalled(g *graph.Graph, glob string) []*graph.Target {
	return chosen(g, func(t Subject) bool { return t.IsCalled(glob) })
}

func chosen(g *graph.Graph, choose func(Subject) bool) []*graph.Target {
	var targets []*graph.Target
	for _, t := range g.Targets {
		if choose(SubjectOf(t)) {
			targets = append(targets, t)
		}
	}
	return targets
}

// OneMeant is the id of the only target or session that a word means. A name means a container
// alone if nothing else has it but the docker run that started the container.
func OneMeant(g *graph.Graph, word string) (id string, found bool) {
	for _, t := range g.Targets {
		if SubjectOf(t).Is(word) {
			return t.ID, true
		}
	}
	if id := onlyContainer(targetsCalled(g, word)); id != "" && !isGlob(word) {
		return id, true
	}
	for _, session := range g.Sessions {
		for _, member := range session.Members {
			if isID(word, member.ID().String()) {
				return session.Process.ID().String(), true
			}
		}
	}
	return "", false
}

// onlyContainer is the id of the one container among targets of one name, if all others run
// it; else empty.
func onlyContainer(alike []*graph.Target) string {
	i := slices.IndexFunc(alike, func(t *graph.Target) bool { return t.Container != nil })
	if i < 0 {
		return ""
	}
	id := alike[i].ID
	for _, t := range alike {
		if t.ID != id && !slices.Contains(t.Containers, id) {
			return ""
		}
	}
	return id
}

// ProcessMeant is the process of a PID or identity; nil if there is none.
func ProcessMeant(s *inventory.Snapshot, word string) *inventory.Process {
	i := slices.IndexFunc(s.Processes, func(p inventory.Process) bool { return isID(word, p.ID().String()) })
	if i < 0 {
		return nil
	}
	return &s.Processes[i]
}
