package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
)

// Order is the sort order of siblings in the tree. The zero value keeps the order of the
// tree.
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
	for _, order := range Orders() {
		if order.String() == text {
			return order, nil
		}
	}
	return ByTree, fmt.Errorf("%q: want %s", text, strings.Join(orderNames(), ", "))
}

func orderNames() []string {
	var names []string
	for _, order := range Orders() {
		names = append(names, order.String())
	}
	return names
}

// after returns the order that is so many steps behind o in [Orders].
func (o Order) after(steps int) Order {
	all := Orders()
	at := slices.Index(all, o) + steps
	return all[(at+len(all))%len(all)]
}

// sorted returns nodes in the model's order. Processes stay in front, unsorted.
func (m Model) sorted(nodes []found) []found {
	compare := comparisons()[m.order]
	if compare == nil {
		return nodes
	}
	other := nodes
	if first := slices.IndexFunc(nodes, func(f found) bool { return f.node.Kind != overview.KindProcess }); first > 0 {
		other = nodes[first:]
	}
	slices.SortStableFunc(other, func(a, b found) int { return compare(a.node, b.node) })
	return nodes
}

func comparisons() map[Order]func(a, b *overview.Node) int {
	return map[Order]func(a, b *overview.Node) int{
		ByMemory: func(a, b *overview.Node) int { return cmp.Compare(b.Memory(), a.Memory()) },
		ByCPU:    func(a, b *overview.Node) int { return cmp.Compare(orZero(b.CPU()), orZero(a.CPU())) },
		ByAge:    func(a, b *overview.Node) int { return a.StartedAt.Compare(b.StartedAt) },
		ByName: func(a, b *overview.Node) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.PID, b.PID))
		},
		ByUrgent: func(a, b *overview.Node) int {
			return cmp.Or(cmp.Compare(urgency(b), urgency(a)), compareDue(a, b))
		},
	}
}

func orZero(percent float64, _ bool) float64 { return percent }

// urgency ranks a node by its own state or the most urgent state below it.
func urgency(n *overview.Node) int {
	rank := rankOf(n.State)
	for i := range n.Children {
		rank = max(rank, urgency(&n.Children[i]))
	}
	return rank
}

// rankOf ranks a state, what stops next highest.
func rankOf(state overview.State) int {
	return slices.Index([]overview.State{
		overview.StateKept, overview.StateIdle, overview.StatePinned, overview.StateReported,
		overview.StatePending, overview.StateDue, overview.StateReaping,
	}, state)
}

// compareDue puts the earliest first, and nodes without a time last.
func compareDue(a, b *overview.Node) int {
	first, second := dueAt(a), dueAt(b)
	if first.IsZero() != second.IsZero() {
		return second.Compare(first)
	}
	return first.Compare(second)
}

// dueAt returns when a node, or the first node below it, is due; zero if none is.
func dueAt(n *overview.Node) time.Time {
	due := n.Next.DueAt
	for i := range n.Children {
		if at := dueAt(&n.Children[i]); due.IsZero() || !at.IsZero() && at.Before(due) {
			due = at
		}
	}
	return due
}
