package report

import (
	"cmp"
	"strings"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// census counts the targets by state: "94 MCP servers: 1 in use, 91 orphaned, 2 unclear."
func (v *view) census() string {
	states := v.states()
	who := cmp.Or(v.namedInUse(), human.List(v.kinds()))
	if v.acted() {
		who = "Found " + who
	}
	if len(states) == 1 {
		word := states[0].word
		if states[0].n > 1 {
			word = "all " + word
		}
		return who + ", " + word + "."
	}
	parts := make([]string, len(states))
	for i, state := range states {
		parts[i] = human.Number(state.n) + " " + state.word
	}
	return who + ": " + strings.Join(parts, ", ") + "."
}

// namedInUse names the only thing that a sweep was to stop, with its owner, if it is in use:
// "fetch 212 of claude-code 204"; else it is empty.
func (v *view) namedInUse() string {
	counted := v.counted()
	if v.in.Command != "sweep" || len(v.in.Asked.Names) == 0 || len(counted) != 1 || shelfOf(counted[0]) != inUse {
		return ""
	}
	t := counted[0].Target
	text := called(t)
	if owner := ownerText(t.Owner); owner != "" {
		text += " of " + owner
	}
	return text
}

// kinds counts servers, containers and sessions among the targets.
func (v *view) kinds() []string {
	servers, containers, sessions := 0, 0, 0
	for _, verdict := range v.counted() {
		switch verdict.Target.Kind {
		case graph.KindContainer:
			containers++
		case graph.KindSession:
			sessions++
		default:
			servers++
		}
	}
	var parts []string
	if servers > 0 {
		parts = append(parts, human.Count(servers, "MCP server"))
	}
	if containers > 0 {
		noun := "container"
		if servers == 0 {
			noun = "MCP container"
		}
		parts = append(parts, human.Count(containers, noun))
	}
	if sessions > 0 {
		parts = append(parts, human.Count(sessions, "session"))
	}
	return parts
}

// state is one state with the number of its targets.
type state struct {
	n    int
	word string
}

func (v *view) states() []state {
	order := []string{"in use", mayBeInUse, "orphaned", "disconnected", "failing", "an older copy", "left behind", "ambiguous", "named by a rule", "going with its gateway", goingWithSession, "going with its docker run", endingWithContainer, "held by idle sessions", "idle", "unclear", upToRootsDaemon}
	counts := map[string]int{}
	for _, verdict := range v.counted() {
		counts[v.stateWord(verdict)]++
	}
	var states []state
	for _, word := range order {
		n, text := counts[word], pluralState(counts[word], word)
		if word == goingWithSession && n > 1 && v.areAlongOne() {
			text = "going with their session"
		}
		if copies := len(v.counted().where((*policy.Verdict).Rests)); word == "in use" && copies > 0 {
			text += " (" + human.Count(copies, "older copy") + ")"
		}
		if n > 0 {
			states = append(states, state{n, text})
		}
	}
	return states
}

// Why something ends that no rule names: its session is stopped, and the container of a docker run.
const (
	goingWithSession    = "going with its session"
	endingWithContainer = "ending with its container"
)

// areAlongOne reports that all that goes with sessions goes with the same one.
func (v *view) areAlongOne() bool {
	heads := map[string]bool{}
	for _, verdict := range v.counted() {
		if head := v.along[verdict.Target.ID]; head != "" {
			heads[head] = true
		}
	}
	return len(heads) == 1
}

func pluralState(n int, word string) string {
	switch {
	case word == "an older copy" && n > 1:
		return "older copies"
	case word == "going with its gateway" && n > 1:
		return "going with their gateway"
	case word == goingWithSession && n > 1:
		return "going with their sessions"
	case word == "going with its docker run" && n > 1:
		return "going with their docker runs"
	case word == endingWithContainer && n > 1:
		return "ending with their containers"
	}
	return word
}

// mayBeInUse is the word for a server whose user cannot be seen from here, and for one below a gateway whose owner is
// not known.
const mayBeInUse = "may be in use"

// upToRootsDaemon is the state of what this user cannot judge, and root's daemon does.
const upToRootsDaemon = "up to root's daemon"

func (v *view) stateWord(verdict *policy.Verdict) string {
	if v.resting[verdict.Target.ID] && !isIdle(verdict.Target) {
		return "held by idle sessions"
	}
	if v.along[verdict.Target.ID] != "" {
		return goingWithSession
	}
	if verdict.Target.Kind == graph.KindSession && verdict.Target.Finding == graph.FindingNone && verdict.Rule != "" && verdict.Decision == policy.Keep {
		return "named by a rule"
	}
	if f := verdict.Target.Finding; f != graph.FindingNone && !verdict.Rests() {
		return finding.Word(string(f))
	}
	switch shelfOf(verdict) {
	case inUse:
		if verdict.Target.Owner.IsUnseen() || v.unclearHolder(verdict.Target) != nil {
			return mayBeInUse
		}
		return "in use"
	case ending:
		return endingWithContainer
	case noted:
		if v.isUpToRoots(verdict) {
			return upToRootsDaemon
		}
		return "unclear"
	}
	switch {
	case v.gateways[verdict.With]:
		return "going with its " + string(v.kindOf(verdict.With))
	case v.goesWithTwin(verdict) && verdict.Target.Kind != graph.KindContainer:
		return endingWithContainer
	case verdict.With != "":
		return "going with its docker run"
	}
	return "named by a rule"
}

// kindOf returns the kind of a target.
func (v *view) kindOf(id string) graph.Kind {
	if verdict, found := v.verdict(id); found {
		return verdict.Target.Kind
	}
	return graph.KindGateway
}
