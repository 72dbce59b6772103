package account

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// ByID are the things by their ids.
func (a *Account) ByID() map[string]*Thing {
	things := make(map[string]*Thing, len(a.Things))
	for i := range a.Things {
		things[a.Things[i].ID] = &a.Things[i]
	}
	return things
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

// Missing are the words that mean nothing here, nor a session that also left something.
func (a *Account) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		isLeaver := func(left AlsoLeft) bool { return left.Session.isMeant(name) }
		return len(a.Meant(name)) > 0 || slices.ContainsFunc(a.AlsoLeft, isLeaver)
	})
}

// Meant are the ids of the sessions and things that a word means, and of what belongs to them: what a session
// holds, the session of what it holds, and a docker run with its containers.
//
//	a PID, PID:START, a container's name or id    that one thing; of a session all that it holds
//	a name, or a glob of it, in any case          all things, sessions and ended sessions of that name
func (a *Account) Meant(name string) (ids []string) {
	b, meant, sessions := newBuilder(a), map[string]bool{}, map[string]bool{}
	for i := range a.Sessions {
		s := &a.Sessions[i]
		sessions[s.ID] = (Subject{ID: s.ID, Name: s.Name}).IsMeant(name)
		meant[s.ID] = sessions[s.ID]
	}
	for id, t := range b.things {
		holder := b.holder(id)
		if sessions[holder] || t.isMeant(name) || t.Owner.PID != 0 && t.Owner.isMeant(name) {
			meant[id] = true
			if _, isSession := sessions[holder]; isSession {
				meant[holder] = true
			}
		}
	}
	for id, t := range b.things {
		if run := b.things[t.Client]; run != nil && t.Kind == graph.KindContainer && (meant[id] || meant[run.ID]) {
			meant[id], meant[run.ID] = true, true
		}
	}
	for id := range meant {
		if meant[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (t *Thing) isMeant(name string) bool {
	thing := Subject{ID: t.ID, Name: t.Name, Container: strings.TrimPrefix(t.Container, "/")}
	for _, pid := range t.PIDs {
		thing.Members = append(thing.Members, strconv.Itoa(pid)+":")
	}
	return thing.IsMeant(name)
}

func (o Owner) isMeant(name string) bool {
	return policy.MatchesName(name, o.Name) || o.PID != 0 && (Subject{ID: idOf(o.PID, o.Start)}).Is(name)
}
