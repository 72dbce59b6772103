package policy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// bundle is what a sweep ends of a [Bundle].
type bundle struct {
	head *Verdict
	with []*Verdict // containers first
}

// divide orders the targets to reap, and splits them into those within the limit of
// one sweep and those for a later one.
func divide(verdicts []Verdict, limit int) (now, later []*Verdict) {
	had := underWayOf(verdicts)
	fits, rest := fit(sharedOut(bundlesOf(verdicts), had), had, limit)
	return ordered(fits), ordered(rest)
}

// had counts the acts of each user, those under way included.
type had map[user]int

// user is the user whose share an act takes. Unknown has a share of its own.
type user = inventory.Fact[int]

// underWayOf counts the acts under way.
func underWayOf(verdicts []Verdict) had {
	counts := had{}
	for i := range verdicts {
		if v := &verdicts[i]; v.UnderWay && !v.inKernel {
			counts[v.user]++
		}
	}
	return counts
}

// sharedOut orders bundles so that users take turns: the next bundle is one of the user
// with the fewest acts so far. Each user's own order stays.
func sharedOut(bundles []bundle, underWay had) []bundle {
	queues := map[user][]bundle{}
	var users []user
	for _, b := range bundles {
		if queues[b.head.user] == nil {
			users = append(users, b.head.user)
		}
		queues[b.head.user] = append(queues[b.head.user], b)
	}
	had := maps.Clone(underWay)
	shared := make([]bundle, 0, len(bundles))
	for len(users) > 0 {
		next := slices.MinFunc(users, func(a, b user) int { return had[a] - had[b] })
		first := queues[next][0]
		shared, had[next] = append(shared, first), had[next]+len(first.all())
		if queues[next] = queues[next][1:]; len(queues[next]) == 0 {
			users = slices.DeleteFunc(users, func(other user) bool { return other == next })
		}
	}
	return shared
}

// ordered is the order of acts: containers, servers and sessions, then each gateway
// after the targets below it.
func ordered(pieces []piece) []*Verdict {
	var others, gateways []*Verdict
	for _, p := range pieces {
		if p.gateway {
			gateways = append(gateways, p.verdicts...)
		} else {
			others = append(others, p.verdicts...)
		}
	}
	slices.SortStableFunc(others, inTurn)
	return append(others, gateways...)
}

// bundlesOf are the bundles in the order in which they are begun, gateways last. If a
// head itself was deselected, its members end alone.
func bundlesOf(verdicts []Verdict) []bundle {
	proven := map[string]*Verdict{}
	for i := range verdicts {
		if v := &verdicts[i]; v.proven() {
			proven[v.Target.ID] = v
		}
	}
	var others, gateways []bundle
	for i := range verdicts {
		switch made, isHead := bundleOf(&verdicts[i], proven); {
		case !isHead:
		case takesAlong(made.head.Target):
			gateways = append(gateways, made)
		default:
			others = append(others, made)
		}
	}
	slices.SortStableFunc(others, func(a, b bundle) int { return cmp.Or(inTurn(a.all()[0], b.all()[0]), inTurn(b.head, a.head)) })
	return append(others, gateways...)
}

// bundleOf is the part of its bundle that goes with a head; false for what is none.
func bundleOf(v *Verdict, proven map[string]*Verdict) (made bundle, isHead bool) {
	b := v.Bundle
	switch {
	case proven[v.Target.ID] != v, b != nil && b.Head.ID != v.Target.ID && proven[b.Head.ID] != nil:
		return bundle{}, false
	case b == nil || b.Head.ID != v.Target.ID:
		return bundle{head: v}, true
	}
	made = bundle{head: v}
	for _, member := range b.Members {
		if with := proven[member.ID]; with != nil && with.Bundle == b {
			made.with = append(made.with, with)
		}
	}
	slices.SortStableFunc(made.with, inTurn)
	return made, true
}

// inTurn orders kinds: containers before the runners that end with them.
func inTurn(a, b *Verdict) int { return turn(a) - turn(b) }

func turn(v *Verdict) int {
	switch v.Target.Kind {
	case graph.KindContainer:
		return 0
	case graph.KindServer:
		return 1
	case graph.KindSession:
		return 2
	}
	return 3
}

// all is the whole bundle, in order.
func (b bundle) all() []*Verdict { return append(slices.Clone(b.with), b.head) }

// piece is a bundle, or a part of one.
type piece struct {
	verdicts []*Verdict
	gateway  bool
}

// fit splits bundles into those that fit below the limit, and the rest. No sweep begins
// more acts than the limit, and no user has more than that under way, so a user with
// many slow acts leaves room for others. Bundles are not split, unless they are larger
// than the limit.
func fit(bundles []bundle, underWay had, limit int) (now, later []piece) {
	had, taken := maps.Clone(underWay), 0
	for _, b := range bundles {
		all, gateway := b.all(), takesAlong(b.head.Target)
		room := min(limit-taken, limit-had[b.head.user])
		begins := 0
		switch {
		case len(all) <= room:
			now, begins = append(now, piece{all, gateway}), len(all)
		case len(all) <= limit || room < 1:
			later = append(later, piece{all, gateway})
		default:
			fits, rest := b.part(room)
			now, later, begins = append(now, piece{fits, gateway}), append(later, piece{rest, gateway}), room
		}
		taken, had[b.head.user] = taken+begins, had[b.head.user]+begins
	}
	return now, later
}

// part is the beginning of a bundle that fits into room, and the rest. A gateway's part
// includes the gateway: its remaining servers have then lost their owner and are
// found by the next sweep, while a gateway that stays would start servers again. A
// runner comes last, since ending it before its container would leak the container.
func (b bundle) part(room int) (part, rest []*Verdict) {
	all := b.all()
	if takesAlong(b.head.Target) {
		return append(slices.Clone(b.with[:room-1]), b.head), b.with[room-1:]
	}
	return all[:room], all[room:]
}
