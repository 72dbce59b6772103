package account

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// ByID are the things by their ids.
func (a *Account) ByID() map[string]*Thing {
	things := make(map[string]*Thing, len(a.Things))
	for i := range a.Things {
		things[a.Things[i].ID] = &a.Things[i]
	}
	return things
}

// Members names what a person counts in a row, alike ones together: "context7 318", "fetch × 3".
func Members(things map[string]*Thing, r *Row) (names []string) {
	alike := map[string]int{}
	for _, id := range r.Things {
		if t := things[id]; t.Counts() {
			alike[t.Name]++
		}
	}
	for _, id := range r.Things {
		t := things[id]
		switch n := alike[t.Name]; {
		case !t.Counts(), n == 0:
		case n == 1:
			names = append(names, t.Called())
		default:
			names = append(names, t.Name+" × "+human.Number(n))
		}
		if t.Counts() {
			alike[t.Name] = 0
		}
	}
	return names
}

// Narrow is the account of what some words mean: things, sessions with what they hold, and what
// ended sessions left. A docker run and its containers stay together.
func (a *Account) Narrow(names []string) *Account {
	mine := *a
	isMeant := map[string]bool{}
	for _, name := range names {
		for _, id := range a.Meant(name) {
			isMeant[id] = true
		}
	}
	mine.Things = slices.DeleteFunc(slices.Clone(a.Things), func(t Thing) bool { return !isMeant[t.ID] })
	mine.Sessions = slices.DeleteFunc(slices.Clone(a.Sessions), func(s Session) bool { return !isMeant[s.ID] })
	mine.AlsoLeft = slices.DeleteFunc(slices.Clone(a.AlsoLeft), func(left AlsoLeft) bool {
		return !slices.ContainsFunc(names, left.Session.isMeant)
	})
	mine.finish()
	return &mine
}

// Missing are the words that mean nothing here.
func (a *Account) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(a.Meant(name)) > 0 })
}

// Meant are the ids of the sessions and things that a word means:
//
//	a PID, PID:START, a container's name or id    that one thing; of a session all that it holds
//	a name, or a glob of it, in any case          all things, sessions and ended sessions of that name
func (a *Account) Meant(name string) (ids []string) {
	meant := map[string]bool{}
	for i := range a.Sessions {
		if s := &a.Sessions[i]; (word.Thing{ID: s.ID, Name: s.Name}).IsMeant(name) {
			meant[s.ID] = true
		}
	}
	for i := range a.Things {
		if t := &a.Things[i]; t.isMeant(name) || t.Owner.PID != 0 && t.Owner.isMeant(name) {
			meant[t.ID] = true
		}
	}
	a.spread(meant)
	for id := range meant {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// spread also means what belongs to what is meant: what a session holds, the session of what it holds, and
// a docker run's containers.
func (a *Account) spread(meant map[string]bool) {
	b := newBuilder(a)
	sessions := map[string]bool{}
	for i := range a.Sessions {
		sessions[a.Sessions[i].ID] = meant[a.Sessions[i].ID]
	}
	for i := range a.Things {
		t := &a.Things[i]
		holder := b.holder(t.ID)
		if sessions[holder] {
			meant[t.ID] = true
		}
		if _, isSession := sessions[holder]; isSession && meant[t.ID] {
			meant[holder] = true
		}
	}
	for i := range a.Things {
		t := &a.Things[i]
		if t.Kind == graph.KindContainer && (meant[t.Client] || meant[t.ID]) {
			meant[t.ID] = true
			if b.things[t.Client] != nil {
				meant[t.Client] = true
			}
		}
	}
}

func (t *Thing) isMeant(name string) bool {
	thing := word.Thing{ID: t.ID, Name: t.Name, Container: strings.TrimPrefix(t.Container, "/")}
	for _, pid := range t.PIDs {
		thing.Members = append(thing.Members, strconv.Itoa(pid)+":")
	}
	return thing.IsMeant(name)
}

func (o Owner) isMeant(name string) bool {
	return policy.MatchesName(name, o.Name) || o.PID != 0 && (word.Thing{ID: idOf(o.PID, o.Start)}).Is(name)
}
