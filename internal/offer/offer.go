// Package offer is what a shell offers for the argument of an unfinished command line:
// words with a description each. Names are redacted, and safe on a terminal.
package offer

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// Words are what is offered, in order.
type Words = cli.Words

// Targets are the present servers and containers, by PID or container, then live sessions,
// then names. A graph that is nil has none.
func Targets(g *graph.Graph) Words {
	if g == nil {
		return nil
	}
	meant := targetsOf(g)
	others := otherSessions(g, meant)
	return slices.Concat(handlesOf(meant), handlesOf(others), namesOf(slices.Concat(meant, others)))
}

// Stoppable are the targets that a sweep with these switches could stop, now or later: with
// --duplicates every copy, and with --idle-over every session, since whether it does nothing shows
// only in time.
func Stoppable(g *graph.Graph, verdicts []policy.Verdict, ends policy.Switches) Words {
	if g == nil {
		return nil
	}
	isLeft := func(t *graph.Target) bool {
		i := slices.IndexFunc(verdicts, func(v policy.Verdict) bool { return v.Target == t })
		isOpen := i >= 0 && (verdicts[i].Decision == policy.Reap || verdicts[i].Decision == policy.Pending)
		return !isOpen && !(ends.Duplicates && t.Finding == graph.FindingDuplicate)
	}
	meant := slices.DeleteFunc(targetsOf(g), isLeft)
	var sessions []*graph.Target
	if ends.IdleOver > 0 {
		sessions = otherSessions(g, meant)
	}
	return slices.Concat(handlesOf(meant), handlesOf(sessions), namesOf(meant))
}

// handlesOf are the words for targets, each with what tells it from others.
func handlesOf(targets []*graph.Target) Words {
	var all Words
	for _, t := range targets {
		all = append(all, cobra.CompletionWithDesc(word.Of(t).Handle(), described(t)))
	}
	return all
}

// described is the name and owner of a server or container. Of a session it is where it runs, and for how
// long: "session of codex in ~/src/shop, up 3h, idle 5m".
func described(t *graph.Target) string {
	if t.Kind == graph.KindSession {
		return describedSession(t)
	}
	if t.Owner.Name == "" {
		return shownName(t)
	}
	return shownName(t) + " of " + human.Safe(redact.Name(t.Owner.Named().String()))
}

func describedSession(t *graph.Target) string {
	said := "session of " + shownName(t)
	if t.Root.Cwd != "" {
		said += " in " + state.Home().Short(human.Safe(redact.Text(t.Root.Cwd)), t.Root.User)
	}
	if t.Age > 0 {
		said += ", up " + human.Span(t.Age)
	}
	if t.Finding == graph.FindingIdle {
		said += ", idle " + human.Span(t.Idle.Or(0))
	}
	return said
}

// Rules are those of a policy, each with its action.
func Rules(p *policy.Policy) Words {
	var all Words
	for _, rule := range p.Rules {
		all = append(all, cobra.CompletionWithDesc(rule.Name, string(rule.Action)))
	}
	return all
}

// Pins are the words that end pins.
func Pins(pinned []state.Pin) Words {
	var all Words
	for _, pin := range pinned {
		all = append(all, cobra.CompletionWithDesc(word.Thing{ID: pin.ID, Container: pin.Container}.Handle(), human.Safe(pin.Name)))
	}
	return all
}

// Servers are the distinct names of configured servers, each with the first client that
// has it.
func Servers(configured discover.Set) Words {
	var all Words
	offered := map[string]bool{}
	for _, server := range configured.Servers() {
		if name := human.Safe(redact.Name(server.Name)); name != "" && !offered[name] {
			offered[name] = true
			all = append(all, cobra.CompletionWithDesc(name, "of "+server.Client))
		}
	}
	return all
}

// targetsOf are the targets that a person may mean.
func targetsOf(g *graph.Graph) []*graph.Target {
	isLeftOut := func(t *graph.Target) bool { return t.Incidental || t.Name == "" }
	return slices.DeleteFunc(slices.Clone(g.Targets), isLeftOut)
}

// otherSessions are the sessions that are none of these targets.
func otherSessions(g *graph.Graph, targets []*graph.Target) []*graph.Target {
	var others []*graph.Target
	for i := range g.Sessions {
		if t := g.Sessions[i].Target; t != nil && !slices.Contains(targets, t) {
			others = append(others, t)
		}
	}
	return others
}

func shownName(t *graph.Target) string { return human.Safe(redact.Name(t.Name)) }

// namesOf are the distinct names, in the order of the targets, each with what has it: "2 sessions".
func namesOf(targets []*graph.Target) Words {
	var all Words
	byName := map[string][]*graph.Target{}
	for _, t := range targets {
		byName[shownName(t)] = append(byName[shownName(t)], t)
	}
	for _, t := range targets {
		name := shownName(t)
		if same := byName[name]; name != "" && len(same) > 0 {
			all = append(all, cobra.CompletionWithDesc(name, counted(same)))
			delete(byName, name)
		}
	}
	return all
}

// counted counts targets by kind: "2 sessions", "1 server and 1 container".
func counted(targets []*graph.Target) string {
	counts := map[graph.Kind]int{}
	for _, t := range targets {
		counts[t.Kind]++
	}
	var said []string
	for _, kind := range []graph.Kind{graph.KindSession, graph.KindGateway, graph.KindServer, graph.KindContainer} {
		if n := counts[kind]; n > 0 {
			said = append(said, human.Count(n, string(kind)))
		}
	}
	return human.List(said)
}
