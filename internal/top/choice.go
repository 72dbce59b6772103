package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// choice is what the keys p and x act on: a session, a thing, all that a row has and the filter shows, or all
// that leaks.
type choice struct {
	called  string
	ids     []string         // what is pinned
	things  []*account.Thing // what is stopped
	pinned  string           // why all of it is pinned; empty if not all is
	isGroup bool
}

// chosen is the choice under the cursor, or that whose page is open.
func (m Model) chosen() (c choice) {
	at := m.at
	if m.mode == paging {
		at = m.find(m.page.key)
	}
	if at < 0 || at >= len(m.rows) {
		return c
	}
	r := m.rows[at]
	c.called = r.title
	session := m.session(&r)
	switch {
	case r.of == nil && r.section != account.Leaked:
		return choice{}
	case session != nil:
		c.ids, c.pinned = []string{session.ID}, session.Pinned
		if r.thing != nil {
			c.things = []*account.Thing{r.thing}
		}
		return c
	case r.isThing, r.thing != nil && len(r.below) == 0, r.thing != nil && r.thing.ID == r.of.ID:
		c.things = []*account.Thing{r.thing}
	case r.thing != nil:
		c.things, c.isGroup = append([]*account.Thing{r.thing}, r.below...), true
	default:
		c.things, c.isGroup = r.below, true
	}
	for _, t := range c.things {
		c.ids = append(c.ids, t.ID)
	}
	c.pinned = pinnedAll(c.things)
	return c
}

// pinnedAll is why all of some things are pinned; empty if one is not.
func pinnedAll(things []*account.Thing) (why string) {
	for _, t := range things {
		if why = t.Pinned; why == "" {
			break
		}
	}
	return why
}

// pins pins what of a choice is not pinned. If all of it is, it ends the pins.
func (m Model) pins(c choice) (Model, Effect) {
	if c.pinned == "" {
		m.busy = "pinning"
		return m, Effect{Do: Pin, Words: slices.DeleteFunc(slices.Clone(c.ids), func(id string) bool { return m.things[id] != nil && m.things[id].Pinned != "" })}
	}
	ends := slices.DeleteFunc(slices.Clone(c.ids), func(id string) bool { return m.things[id] != nil && m.things[id].Unpin == "" })
	if len(ends) == 0 {
		return m.says(Waits, c.called+" stays: "+c.pinned), Effect{}
	}
	m.busy = "ending the pin"
	return m, Effect{Do: Unpin, Words: ends}
}

// orderOf is the sweep that stops a choice, and whether one does. What the policy only reports is stopped by
// itself alone.
func (m Model) orderOf(c choice) (order account.Order, stops bool) {
	for _, t := range c.things {
		one, is := m.account.OrderFor(t)
		switch {
		case !is || c.isGroup && (one.Duplicates || one.IdleOver > 0):
			continue
		case !c.isGroup:
			order = one
		case !slices.Contains(order.Words, one.Words[0]):
			order.Words = append(order.Words, one.Words...)
		}
		stops = true
	}
	order.Settle, order.Enforce = m.options.Settle, true // a yes is enough
	return order, stops && m.account.Decider.Rests != account.Paused
}

// stops asks for the plan about a choice. Until the plan arrives keys do nothing but give up: a key meant for
// the tree must not answer the question.
func (m Model) stops(c choice) (Model, Effect) {
	order, stops := m.orderOf(c)
	switch pause := m.account.Decider.Pause(); {
	case len(pause) > 0:
		return m.says(Waits, m.text(pause)), Effect{}
	case !stops && len(c.things) > 0:
		return m.says(Waits, m.text(m.account.Answer(c.things[0]))), Effect{}
	case !stops:
		return m.says(Waits, c.called+" is in use."), Effect{}
	}
	m.waits, m.busy = true, "looking"
	return m, Effect{Do: Plan, Order: order}
}

// deeds are the keys that act on the choice. A key that would be refused is not among them.
func (m Model) deeds() (deeds []string) {
	c := m.chosen()
	all := map[bool]string{true: " all"}[c.isGroup]
	if n := len(c.ids); c.isGroup && m.filter != "" && n > 0 {
		all = " " + human.Number(n)
	}
	switch {
	case len(c.ids) == 0:
		return nil
	case c.pinned != "":
		deeds = append(deeds, "p unpin"+all)
	default:
		deeds = append(deeds, "p pin"+all)
	}
	if _, stops := m.orderOf(c); stops {
		deeds = append(deeds, "x stop"+all)
	}
	return deeds
}
