package policy

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// bundle is what a sweep ends of a [Bundle], or a part of that: containers first, the head last.
type bundle []*Verdict

func (b bundle) head() *Verdict { return b[len(b)-1] }

// isGateways reports the bundle of a gateway or an idle session.
func (b bundle) isGateways() bool {
	if with := b.head().Bundle; with != nil {
		return takesAlong(with.Head)
	}
	return takesAlong(b.head().Target)
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
		if v := &verdicts[i]; v.UnderWay() && !v.inKernel {
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
		if queues[b.head().user] == nil {
			users = append(users, b.head().user)
		}
		queues[b.head().user] = append(queues[b.head().user], b)
	}
	had := maps.Clone(underWay)
	shared := make([]bundle, 0, len(bundles))
	for len(users) > 0 {
		next := slices.MinFunc(users, func(a, b user) int { return had[a] - had[b] })
		first := queues[next][0]
		shared, had[next] = append(shared, first), had[next]+len(first)
		if queues[next] = queues[next][1:]; len(queues[next]) == 0 {
			users = slices.DeleteFunc(users, func(other user) bool { return other == next })
		}
	}
	return shared
}

// ordered is the order of acts: containers, servers and sessions, then each gateway
// after the targets below it.
func ordered(bundles []bundle) []*Verdict {
	var others, gateways []*Verdict
	for _, b := range bundles {
		if b.isGateways() {
			gateways = append(gateways, b...)
		} else {
			others = append(others, b...)
		}
	}
	slices.SortStableFunc(others, inTurn)
	return append(others, gateways...)
}

// bundlesOf are the bundles in the order in which they are begun, gateways last. If a
// head itself was deselected, its members end alone.
func bundlesOf(verdicts []Verdict) (bundles []bundle) {
	proven := map[string]*Verdict{}
	for i := range verdicts {
		if v := &verdicts[i]; v.proven() {
			proven[v.Target.ID] = v
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		with, isMember := v.Bundle, v.Bundle != nil && v.Bundle.Head.ID != v.Target.ID
		var made bundle
		switch {
		case !v.proven(), isMember && proven[with.Head.ID] != nil:
			continue
		case with != nil && !isMember:
			made = with.of(proven)
		}
		bundles = append(bundles, append(made, v))
	}
	rank := func(b bundle) int {
		if b.isGateways() {
			return math.MaxInt
		}
		return 4*turn(b[0]) - turn(b.head())
	}
	slices.SortStableFunc(bundles, func(a, b bundle) int { return cmp.Compare(rank(a), rank(b)) })
	return bundles
}

// of are the members among some verdicts, in the order in which they end.
func (b *Bundle) of(verdicts map[string]*Verdict) (members bundle) {
	for _, member := range b.Members {
		if v := verdicts[member.ID]; v != nil && v.Bundle == b {
			members = append(members, v)
		}
	}
	slices.SortStableFunc(members, inTurn)
	return members
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

// fit splits bundles into those that fit below the limit, and the rest. No sweep begins
// more acts than the limit, and no user has more than that under way, so a user with
// many slow acts leaves room for others. Bundles are not split, unless they are larger
// than the limit.
func fit(bundles []bundle, underWay had, limit int) (now, later []bundle) {
	had, taken := maps.Clone(underWay), 0
	for _, b := range bundles {
		user := b.head().user
		fits, rest := b.part(min(limit-taken, limit-had[user]), limit)
		if len(fits) > 0 {
			now = append(now, fits)
		}
		if len(rest) > 0 {
			later = append(later, rest)
		}
		taken, had[user] = taken+len(fits), had[user]+len(fits)
	}
	return now, later
}

// part is what of a bundle fits into room, and the rest. A gateway's part
// includes the gateway: its remaining servers have then lost their owner and are
// found by the next sweep, while a gateway that stays would start servers again. A
// runner comes last, since ending it before its container would leak the container.
func (b bundle) part(room, limit int) (part, rest bundle) {
	switch {
	case len(b) <= room:
		return b, nil
	case len(b) <= limit || room < 1:
		return nil, b
	case b.isGateways():
		return append(slices.Clone(b[:room-1]), b.head()), b[room-1 : len(b)-1]
	}
	return b[:room], b[room:]
}
