package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
)

// Order is the sort order of the rows of a section, and of the things of a row. The zero value keeps the order
// of the account.
type Order string

// The orders.
const (
	ByTree   Order = ""
	ByMemory Order = "memory"
	ByCPU    Order = "cpu"
	ByAge    Order = "age"   // the oldest first
	ByUrgent Order = "state" // what stops next first
	ByName   Order = "name"
)

// Orders returns all orders, in the sequence of the key s.
func Orders() []Order { return []Order{ByTree, ByMemory, ByCPU, ByAge, ByUrgent, ByName} }

// String returns the order as a flag accepts it.
func (o Order) String() string { return cmp.Or(string(o), "tree") }

// ParseOrder reads the output of String.
func ParseOrder(text string) (Order, error) {
	var names []string
	for _, order := range Orders() {
		if order.String() == text {
			return order, nil
		}
		names = append(names, order.String())
	}
	return ByTree, fmt.Errorf("%q: want %s", text, strings.Join(names, ", "))
}

// next returns the order behind o in [Orders].
func (o Order) next() Order {
	all := Orders()
	return all[(slices.Index(all, o)+1)%len(all)]
}

// sorted returns rows of one level in the model's order.
func (m Model) sorted(rows []row) []row {
	if m.order == ByTree {
		return rows
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		a, b := m.sums(&x), m.sums(&y)
		switch m.order {
		case ByMemory:
			return cmp.Compare(y.memory, x.memory)
		case ByCPU:
			return cmp.Compare(b.cpu, a.cpu)
		case ByAge:
			return soonest(a.started, b.started)
		case ByUrgent:
			return soonest(a.due, b.due)
		}
		return strings.Compare(x.title, y.title)
	})
	return rows
}

// soonest puts the earlier moment first, and none last.
func soonest(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return b.Compare(a)
	}
	return a.Compare(b)
}

// sums is what a row comes to with all that is below it.
type sums struct {
	cpu          float64
	started, due time.Time // the first; of what is being stopped it is the look
}

func (m Model) sums(r *row) (s sums) {
	for _, t := range append([]*account.Thing{r.thing}, r.below...) {
		if t == nil {
			continue
		}
		if t.CPUPercent != nil {
			s.cpu += *t.CPUPercent
		}
		s.started, s.due = earlier(s.started, t.StartedAt), earlier(s.due, t.DueAt)
		if t.Fate == account.Ending {
			s.due = m.account.TakenAt
		}
	}
	if session := m.session(r); session != nil {
		s.started, s.due = earlier(s.started, session.StartedAt), earlier(s.due, session.StopsAt)
	}
	return s
}

// session is the live session that a row is; nil for another row.
func (m Model) session(r *row) *account.Session {
	for i := range m.account.Sessions {
		if s := &m.account.Sessions[i]; r.of != nil && !r.isThing && s.ID == r.of.ID {
			return s
		}
	}
	return nil
}
