package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally is what came of one or more histories.
type Tally struct {
	Worlds, Looks, Judged int
	Wrong                 map[string]int // by policy and kind
	Provable, Late        map[string]int // by kind
	Failed                map[string]int // by property
	// Untold counts containers in use that were taken where no reader could have
	// told: by somebody over the API, with a stdin that cannot be looked at.
	Untold int
	// Deduced counts containers whose owner followed from what others need.
	Deduced int
	// Listed and Unlisted count the processes of looks that left out what cannot
	// matter.
	Listed, Unlisted int
}

func newTally() Tally {
	return Tally{Wrong: map[string]int{}, Provable: map[string]int{}, Late: map[string]int{}, Failed: map[string]int{}}
}

func (t *Tally) add(u Tally) {
	t.Worlds, t.Looks, t.Judged = t.Worlds+u.Worlds, t.Looks+u.Looks, t.Judged+u.Judged
	t.Untold, t.Deduced = t.Untold+u.Untold, t.Deduced+u.Deduced
	t.Listed, t.Unlisted = t.Listed+u.Listed, t.Unlisted+u.Unlisted
	for _, sums := range []struct{ to, from map[string]int }{{t.Wrong, u.Wrong}, {t.Provable, u.Provable}, {t.Late, u.Late}, {t.Failed, u.Failed}} {
		for kind, n := range sums.from {
			sums.to[kind] += n
		}
	}
}

func sum(of map[string]int) (total int) {
	for _, n := range of {
		total += n
	}
	return total
}

// inTime is the share of the provable orphans that were reaped in time.
func (t *Tally) inTime() float64 {
	provable := sum(t.Provable)
	return float64(provable-sum(t.Late)) / float64(max(1, provable))
}

// String is the tally for a person.
func (t *Tally) String() string {
	var text strings.Builder
	provable, late := sum(t.Provable), sum(t.Late)
	fmt.Fprintf(&text, "%d worlds, %d looks, %d things judged; wrongly reaped %d; provable orphans in time %d of %d (%.2f %%)\n",
		t.Worlds, t.Looks, t.Judged, sum(t.Wrong), provable-late, provable, 100*t.inTime())
	fmt.Fprintf(&text, "  taken from somebody who cannot be seen, over the API: %d\n", t.Untold)
	fmt.Fprintf(&text, "  left out of looks that list only what matters: %d of %d processes\n", t.Unlisted, t.Listed+t.Unlisted)
	fmt.Fprintf(&text, "  told whose they are by what others need: %d containers\n", t.Deduced)
	for _, kind := range slices.Sorted(maps.Keys(t.Wrong)) {
		fmt.Fprintf(&text, "  wrongly reaped, %s: %d\n", kind, t.Wrong[kind])
	}
	for _, kind := range slices.Sorted(maps.Keys(t.Provable)) {
		fmt.Fprintf(&text, "  in time, %s: %d of %d\n", kind, t.Provable[kind]-t.Late[kind], t.Provable[kind])
	}
	for _, property := range slices.Sorted(maps.Keys(t.Failed)) {
		fmt.Fprintf(&text, "  failed, %s: %d\n", property, t.Failed[property])
	}
	return text.String()
}
