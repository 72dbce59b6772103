package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// answer is the answer of a condition about a target. Unreadable means that the
// answer depends on a fact that could not be read: a match then fails, and an exclude
// or a protect holds.
type answer uint8

const (
	no answer = iota
	unreadable
	yes
)

func answered(holds bool) answer {
	if holds {
		return yes
	}
	return no
}

// answeredFact is the answer of a condition on one fact. If the fact was not
// recorded, the answer is no.
func answeredFact[T any](fact inventory.Fact[T], holds func(T) bool) answer {
	if value, known := fact.Get(); known {
		return answered(holds(value))
	}
	if fact.IsUnreadable() {
		return unreadable
	}
	return no
}

// candidate is a target and the containers that count as its own.
type candidate struct {
	*graph.Target
	containers []*inventory.Container
}

// alone is a target as a match sees it: image, label and state are those of the
// target itself.
func alone(t *graph.Target) candidate {
	c := candidate{Target: t}
	if t.Container != nil {
		c.containers = append(c.containers, t.Container)
	}
	return c
}

// matches is the weakest answer of all parts of the match.
func (m *Match) matches(c candidate) answer {
	weakest := yes
	ask := func(asked bool, part func() answer) {
		if asked && weakest > no {
			weakest = min(weakest, part())
		}
	}
	ask(len(m.Kinds) > 0, func() answer { return answered(slices.Contains(m.Kinds, c.Kind)) })
	ask(len(m.Findings) > 0 && !m.AnyFinding, func() answer { return answered(slices.Contains(m.Findings, c.Target.Finding)) })
	ask(len(m.Recognised) > 0, func() answer { return answered(slices.Contains(m.Recognised, c.Recognised())) })
	ask(len(m.Server) > 0, func() answer { return answered(c.Kind != graph.KindSession && anyName(m.Server, c.Name)) })
	ask(len(m.Session) > 0, func() answer { return answered(anyName(m.Session, c.sessionName())) })
	ask(len(m.Name) > 0, func() answer { return answered(anyName(m.Name, c.names()...)) })
	ask(len(m.Argv) > 0, func() answer { return answered(c.hasArguments(m.Argv)) })
	ask(len(m.Image) > 0, func() answer { return answered(c.hasImage(m.Image)) })
	ask(len(m.Label) > 0, func() answer { return answered(c.hasLabels(m.Label)) })
	ask(len(m.State) > 0, func() answer { return answered(c.hasState(m.State)) })
	ask(len(m.User) > 0, func() answer { return answered(anyGlob(m.User, c.users()...)) })
	ask(m.OlderThan > 0, func() answer { return answered(c.Age >= m.OlderThan) })
	ask(m.MemoryOver > 0, func() answer { return answered(c.MemoryBytes > m.MemoryOver) })
	ask(m.ZombiesOver > 0, func() answer { return answered(c.Zombies >= m.ZombiesOver) })
	ask(m.RespawnsOver > 0, func() answer { return answered(c.Respawns >= m.RespawnsOver) })
	ask(m.Listening != nil, func() answer { return c.isListening(*m.Listening) })
	ask(m.IdleFor > 0, func() answer { return c.isIdleFor(m.IdleFor) })
	ask(m.CPUOver > 0, func() answer {
		return answeredFact(c.CPUPercent, func(percent float64) bool { return percent > m.CPUOver })
	})
	return weakest
}

// sessionName is the client's name of a recognised owner. For a session it is its
// own.
func (c candidate) sessionName() string {
	switch {
	case c.Kind == graph.KindSession:
		return c.Name
	case c.Owner.Recognised() && !c.Deduced:
		return c.Owner.Name
	}
	return ""
}

// names are the target's short name and its containers' names.
func (c candidate) names() []string {
	names := []string{c.Name}
	if c.Container != nil {
		names = append(names, c.Container.Called())
	}
	return names
}

// hasArguments asks every process of the tree, or the container's command.
func (c candidate) hasArguments(globs []string) bool {
	if c.Container != nil {
		return inOrder(globs, c.Container.Command)
	}
	return slices.ContainsFunc(c.Members, func(p *inventory.Process) bool { return inOrder(globs, p.Args()) })
}

func (c candidate) anyContainer(is func(*inventory.Container) bool) bool {
	return slices.ContainsFunc(c.containers, is)
}

func (c candidate) hasImage(globs []string) bool {
	return c.anyContainer(func(container *inventory.Container) bool {
		return anyGlob(globs, imageNames(container.Image)...)
	})
}

func (c candidate) hasState(globs []string) bool {
	return c.anyContainer(func(container *inventory.Container) bool { return anyName(globs, container.State) })
}

func (c candidate) hasLabels(labels []Label) bool {
	return c.anyContainer(func(container *inventory.Container) bool {
		return !slices.ContainsFunc(labels, func(l Label) bool {
			value, marked := container.Labels[l.Key]
			return !marked || !matchGlob(l.Glob, value)
		})
	})
}

// imageNames are the ways to write a reference: complete, without its digest, without
// its tag, and each of them without Docker's own registry.
func imageNames(reference string) []string {
	undigested, _, _ := strings.Cut(reference, "@")
	untagged := undigested
	if colon := strings.LastIndex(undigested, ":"); colon > strings.LastIndex(undigested, "/") {
		untagged = undigested[:colon]
	}
	names := []string{reference, undigested, untagged}
	for _, name := range names {
		if short, ok := strings.CutPrefix(name, "docker.io/"); ok {
			names = append(names, short, strings.TrimPrefix(short, "library/"))
		}
	}
	return names
}

func (c candidate) users() []string {
	users := []string{c.User}
	if uid, known := c.UID.Get(); known {
		users = append(users, strconv.Itoa(uid))
	}
	return users
}

// isListening is the answer about listening. If it was not recorded, the target does
// not listen.
func (c candidate) isListening(want bool) answer {
	if c.Listening.IsZero() {
		return answered(!want)
	}
	return answeredFact(c.Listening, func(listening bool) bool { return listening == want })
}

func (c candidate) isIdleFor(least time.Duration) answer {
	return answeredFact(c.Idle, func(idle time.Duration) bool { return idle >= least })
}
