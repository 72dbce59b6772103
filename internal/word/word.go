// Package word says what a word of the command line means: a PID, a PID with its start mark, a
// container's name or the beginning of its id, or a name, which may mean several things. What
// can be meant is a [Thing]: a target of a look, a pin, an entry of the journal. [Thing.Handle]
// is the other way round: the word for a thing.
package word

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// Thing is what a word can mean. No word means an empty field.
type Thing struct {
	ID        string   // PID:START of a process, or the full id of a container
	Members   []string // the same of all that belongs to it
	Container string   // what the engine calls the container
	Name      string
}

// Of makes a thing of a target.
func Of(t *graph.Target) Thing {
	thing := Thing{ID: t.ID, Name: t.Name}
	if t.Container != nil {
		thing.Container = t.Container.Called()
	}
	for _, member := range t.Members {
		thing.Members = append(thing.Members, member.ID().String())
	}
	return thing
}

// OfAct makes a thing of an act's target.
func OfAct(act *policy.Act) Thing {
	thing := Thing{ID: act.TargetID, Name: act.Name}
	if act.Container != nil {
		thing.Container = act.Container.Called()
	}
	return thing
}

// OfOutcome makes a thing of the target of an act's outcome.
func OfOutcome(o policy.Outcome) Thing {
	return Thing{ID: o.Target, Name: o.Name, Container: o.Container}
}

// IsMeant reports that a word means the thing, alone or together with others of its
// name.
func (t Thing) IsMeant(word string) bool { return t.Is(word) || t.IsCalled(word) }

// IsCalled reports that a glob matches the thing's name, or what the engine calls the
// container.
func (t Thing) IsCalled(glob string) bool {
	return policy.MatchesName(glob, t.Name) || t.Container != "" && IsGlob(glob) && policy.MatchesName(glob, t.Container)
}

// Is reports that a word means this thing and no other.
func (t Thing) Is(word string) bool {
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
func (t Thing) Handle() string {
	if t.Container != "" && redact.Name(t.Container) == t.Container && !strings.Contains(t.Container, redact.Mask) {
		return human.Safe(t.Container)
	}
	return human.Handle(t.ID)
}

// AnyMeans reports that one of the words means the target.
func AnyMeans(words []string, t *graph.Target) bool {
	thing := Of(t)
	return slices.ContainsFunc(words, thing.IsMeant)
}

// IsGlob reports that a word is a pattern of names.
func IsGlob(word string) bool { return strings.ContainsAny(word, "*?[") }

// Targets are all targets that a word means.
func Targets(g *graph.Graph, word string) []*graph.Target {
	return chosen(g, func(t Thing) bool { return t.IsMeant(word) })
}

// Called are the targets whose name a glob matches.
func Called(g *graph.Graph, glob string) []*graph.Target {
	return chosen(g, func(t Thing) bool { return t.IsCalled(glob) })
}

func chosen(g *graph.Graph, choose func(Thing) bool) []*graph.Target {
	var targets []*graph.Target
	for _, t := range g.Targets {
		if choose(Of(t)) {
			targets = append(targets, t)
		}
	}
	return targets
}

// One is the id of the only target or session that a word means. A name means a container
// alone if nothing else has it but the docker run that started the container.
func One(g *graph.Graph, word string) (id string, found bool) {
	for _, t := range g.Targets {
		if Of(t).Is(word) {
			return t.ID, true
		}
	}
	if id := onlyContainer(Called(g, word)); id != "" && !IsGlob(word) {
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

// Process is the process of a PID or identity; nil if there is none.
func Process(s *inventory.Snapshot, word string) *inventory.Process {
	i := slices.IndexFunc(s.Processes, func(p inventory.Process) bool { return isID(word, p.ID().String()) })
	if i < 0 {
		return nil
	}
	return &s.Processes[i]
}
