// Package offer is what a shell offers for the argument of an unfinished command line:
// words with a description each. Names are redacted, and safe on a terminal.
package offer

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
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
	return slices.Concat(handlesOf(meant), sessionsOf(g, meant), namesOf(meant), sessionNames(g, meant))
}

// sessionNames are the distinct names of the live sessions that no offered target has.
func sessionNames(g *graph.Graph, offered []*graph.Target) Words {
	var all Words
	counts := map[string]int{}
	for _, session := range g.Sessions {
		counts[human.Safe(redact.Name(session.Name))]++
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name != "" && !slices.ContainsFunc(offered, func(t *graph.Target) bool { return shownName(t) == name }) {
			all = append(all, cobra.CompletionWithDesc(name, human.Count(counts[name], "live session")))
		}
	}
	return all
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
	var sessions Words
	if ends.IdleOver > 0 {
		sessions = sessionsOf(g, meant)
	}
	return slices.Concat(handlesOf(meant), sessions, namesOf(meant))
}

// handlesOf are the words for targets, each with its name and owner.
func handlesOf(targets []*graph.Target) Words {
	var all Words
	for _, t := range targets {
		said := shownName(t)
		if t.Owner.Name != "" {
			said += " of " + human.Safe(redact.Name(t.Owner.Named().String()))
		}
		all = append(all, cobra.CompletionWithDesc(word.Of(t).Handle(), said))
	}
	return all
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
		all = append(all, cobra.CompletionWithDesc(pins.Handle(&pin), human.Safe(pin.Name)))
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

// sessionsOf are the sessions that none of the offered targets stands for.
func sessionsOf(g *graph.Graph, offered []*graph.Target) Words {
	var all Words
	for _, session := range g.Sessions {
		id := session.Process.ID().String()
		if slices.ContainsFunc(offered, func(t *graph.Target) bool { return t.ID == id }) {
			continue
		}
		said := "session of " + human.Safe(redact.Name(session.Name))
		switch folder := report.Folder(session.Process, state.Home()); {
		case folder != "":
			said += " in " + folder
		case session.Process.User != "" && !state.Home().IsUsualOf(session.Process.User):
			said += " of user " + human.Safe(session.Process.User)
		}
		all = append(all, cobra.CompletionWithDesc(human.Handle(id), said))
	}
	return all
}

func shownName(t *graph.Target) string { return human.Safe(redact.Name(t.Name)) }

// namesOf are the distinct names, in the order of the targets.
func namesOf(targets []*graph.Target) Words {
	counts := map[string]int{}
	for _, t := range targets {
		counts[shownName(t)]++
	}
	var all Words
	for _, t := range targets {
		if name := shownName(t); counts[name] > 0 {
			all = append(all, cobra.CompletionWithDesc(name, human.Number(counts[name])+" of that name"))
			counts[name] = 0
		}
	}
	return all
}
