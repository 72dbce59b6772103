package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ledger is what came of a thing: of a server, or of a process that is part of none.
type ledger struct {
	manner manner
	noted  [counts]bool
}

// count is what may come of a thing.
type count int

const (
	worldsOf count = iota // worlds in which there are things of a manner
	things                // were seen at some look
	wanted                // were in use at some look
	wrong                 // would have been taken then
	proven                // were provably left over for long enough
	late                  // were so, and still there
	vague                 // were left over, and nothing but wiring or a vague name showed what they are
	went                  // were so, and taken
	early                 // would have been taken then before their time
	doubt                 // are left over at the last look, and neither proven nor vague
	counts
)

func (l *ledger) note(of count, is bool) { l.noted[of] = l.noted[of] || is }

// Sum is what came of the things of one manner.
type Sum [counts]int

// Tally is what came of one or more histories.
type Tally struct {
	Worlds, Looks, Judged int
	Manners               map[manner]Sum
	Provable, Late        map[string]int // by kind
	Failed                map[string]int // by property
	// Deduced counts containers whose owner followed from what others need.
	Deduced int
	// Listed and Unlisted count the processes of looks that left out what cannot
	// matter.
	Listed, Unlisted int
}

func newTally() Tally {
	return Tally{Manners: map[manner]Sum{}, Provable: map[string]int{}, Late: map[string]int{}, Failed: map[string]int{}}
}

func (t *Tally) add(u Tally) {
	t.Worlds, t.Looks, t.Judged = t.Worlds+u.Worlds, t.Looks+u.Looks, t.Judged+u.Judged
	t.Deduced, t.Listed, t.Unlisted = t.Deduced+u.Deduced, t.Listed+u.Listed, t.Unlisted+u.Unlisted
	for of, sum := range u.Manners {
		t.Manners[of] = t.Manners[of].plus(sum)
	}
	for _, sums := range []struct{ to, from map[string]int }{{t.Provable, u.Provable}, {t.Late, u.Late}, {t.Failed, u.Failed}} {
		for kind, n := range sums.from {
			sums.to[kind] += n
		}
	}
}

func (s Sum) plus(t Sum) Sum {
	for i := range s {
		s[i] += t[i]
	}
	return s
}

// countThings is what came of all things of a world.
func (t *Tally) countThings(w *world) {
	add := func(l *ledger) {
		var one Sum
		for i, is := range l.noted {
			if is {
				one[i] = 1
			}
		}
		sum := t.Manners[l.manner].plus(one)
		sum[worldsOf] = 1
		t.Manners[l.manner] = sum
	}
	for _, s := range w.servers {
		add(&s.ledger)
	}
	for _, p := range w.born {
		if p.server == nil && (p.role == agent || p.role == person) {
			add(&p.ledger)
		}
	}
}

// inTime is the share of the provable orphans of these kinds that were reaped in time.
func (t *Tally) inTime(fits func(kind string) bool) float64 {
	provable, late := 0, 0
	for kind, n := range t.Provable {
		if fits(kind) {
			provable, late = provable+n, late+t.Late[kind]
		}
	}
	return float64(provable-late) / float64(max(1, provable))
}

// String is the tally for a person.
func (t *Tally) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d worlds, %d looks, %d targets judged; %d of %d processes left out of looks that list only what matters; %d containers told whose they are by what others need\n",
		t.Worlds, t.Looks, t.Judged, t.Unlisted, t.Listed+t.Unlisted, t.Deduced)
	fmt.Fprintf(&text, "  %-34s %7s %7s %7s %6s  %-15s %-13s %6s %14s\n", "manner", "worlds", "things", "in use", "wrong", "proven in time", "likely gone", "early", "kept in doubt")
	var all Sum
	for _, of := range slices.Sorted(maps.Keys(t.Manners)) {
		all = all.plus(t.Manners[of])
		t.Manners[of].write(&text, string(of))
	}
	all[worldsOf] = t.Worlds
	all.write(&text, "all")
	for _, kind := range slices.Sorted(maps.Keys(t.Provable)) {
		fmt.Fprintf(&text, "  in time, %s: %d of %d\n", kind, t.Provable[kind]-t.Late[kind], t.Provable[kind])
	}
	for _, property := range slices.Sorted(maps.Keys(t.Failed)) {
		fmt.Fprintf(&text, "  failed, %s: %d\n", property, t.Failed[property])
	}
	return text.String()
}

// write is the row of a manner.
func (s Sum) write(text *strings.Builder, name string) {
	fmt.Fprintf(text, "  %-34s %7d %7d %7d %6d  %-15s %-13s %6d %14d\n", name, s[worldsOf], s[things], s[wanted], s[wrong],
		fmt.Sprintf("%d of %d", s[proven]-s[late], s[proven]), fmt.Sprintf("%d of %d", s[went], s[vague]), s[early], s[doubt])
}
