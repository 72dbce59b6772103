package graph

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// This file tells which runners could have which container, and which process in one.
// Each runner has one thing, and each thing at most one runner. A thing is said to be in a
// band of runners if no assignment that gives each runner its thing gives it to another: the
// band needs it. Nobody else can have brought it about then, seen or not: there is nothing
// left for one of the band if somebody else has it.
//
// Only runners that are sure take part in bands: old enough to have their thing, not stopped
// (one that is may have lost its thing and not know it), and connected to the engine where
// that can be told. A band that a look saw counts at later looks too.

// thing is what a runner may have brought about: a container, or a process that was executed
// in one.
type thing struct {
	container *inventory.Container // itself, or the one that it runs in
	first     *node                // the container's first process, or the one that was executed; nil is not seen
	clock     clock
	created   time.Time
	stdin     inventory.Peer
	args      []string // its command
	execd     bool
	named     []*runner // that name it
	kind      int       // as in kinds
	past      *band     // the band that it was in at an earlier look

	band       *band     // the runners of which one has it; nil is not known
	needed     bool      // every largest assignment gives it to one of candidates
	candidates []*runner // those that could have it
	taker      *runner   // that of one largest assignment; nil is none
	// loose: the assignment was made although the times speak against it.
	loose bool
}

// band are runners of which one has a thing.
type band struct{ ids []inventory.ID }

func (b *band) has(r *runner) bool { return slices.Contains(b.list(), r.ID()) }

func (b *band) list() []inventory.ID {
	if b == nil {
		return nil
	}
	return b.ids
}

// assign finds out who could have what.
func (c *correlation) assign(things []*thing) {
	hasThing := map[inventory.ID]bool{}
	for _, x := range things {
		for _, id := range x.past.list() {
			hasThing[id] = true
		}
	}
	runners := slices.DeleteFunc(slices.Clone(c.runners), func(r *runner) bool {
		return r.line.Command != "run" && r.line.Command != "exec" || r.own != nil && !hasThing[r.ID()] // what it had has ended
	})
	for _, of := range c.classes(things, runners) {
		of.fill(c)
	}
}

// class is a group of things and runners that may belong to each other: what the arguments of
// the runners ask for does not contradict the things.
type class struct {
	things  []*thing
	runners []*runner
}

// fill assigns the runners of a class to its things. What all of them could have says who may
// have a thing; what those that are sure need says whose it is.
func (of *class) fill(c *correlation) {
	rows := rowsOf(of.things)
	holds, m, loose := of.match(c, rows)
	of.tellCandidates(rows, c.choices(of.runners, rows, holds))
	spare, groups := m.spare(), m.groups()
	members := map[int][]*runner{} // by group
	for i, group := range groups {
		members[group] = append(members[group], of.runners[i])
	}
	for i, x := range rows.all() {
		taker := m.takerOf(i)
		if x.loose = loose; taker >= 0 {
			x.taker = of.runners[taker]
		}
		if x.needed = !spare[i]; x.needed && groups != nil {
			x.candidates = members[groups[taker]]
		}
	}
	sure := &class{things: of.things, runners: slices.DeleteFunc(slices.Clone(of.runners), func(r *runner) bool { return !r.sure })}
	if len(sure.runners) > 0 {
		sure.findBands(c, rows)
	}
}

// tellCandidates tells each thing of the rows which runners could have it.
func (of *class) tellCandidates(from rows, choices [][]choice) {
	for r, begin := range choosers(from.lengths(), choices) {
		var upTo []*runner
		for at, x := range from[r] {
			for _, i := range begin[at] {
				upTo = append(upTo, of.runners[i])
			}
			x.candidates = slices.Clip(upTo)
		}
	}
}

// findBands tells the things that runners need, with the runners.
func (of *class) findBands(c *correlation, from rows) {
	m := c.match(of.runners, from, couldHave) // whoever attaches to a container may close its stdin
	groups := m.groups()
	if groups == nil {
		return
	}
	bands := map[int]*band{}
	for i, group := range groups {
		if bands[group] == nil {
			bands[group] = &band{}
		}
		bands[group].ids = append(bands[group].ids, of.runners[i].ID())
	}
	spare := m.spare()
	for i, x := range from.all() {
		if taker := m.takerOf(i); taker >= 0 && !spare[i] {
			x.band = bands[groups[taker]]
			of.runners[taker].found = x.band
		}
	}
}

// match assigns the runners of a class by the rule that it returns. loose means that this rule leaves the times out. If a runner stays without
// a thing, one of our assumptions is wrong, and the assignment is made again with fewer of
// them: first without the state of the stdins (whoever attached to a container may have
// closed its stdin), then, if the runner is old enough to have its thing, without the times
// too. A young runner may have nothing yet: the stdins stay, unless it is they that leave it
// without.
func (of *class) match(c *correlation, from rows) (holds rule, m *matching, loose bool) {
	hasToHave := func(r int) bool { return c.hasToHave(of.runners[r]) }
	holds = couldRun
	m = c.match(of.runners, from, holds)
	if without := m.without(); without > 0 {
		relaxed := c.match(of.runners, from, couldHave)
		if !m.satisfied(hasToHave) || relaxed.without() < without {
			holds, m = couldHave, relaxed
		}
	}
	if loose = !m.satisfied(hasToHave); loose {
		holds = sameKind
		m = c.match(of.runners, from, holds)
	}
	return holds, m, loose
}

// classes groups things with the runners that could have them. A runner that none of them
// fits takes no part.
func (c *correlation) classes(things []*thing, runners []*runner) []*class {
	of := make([]*class, c.kinds.things) // by the kind of its things
	for _, x := range things {
		if of[x.kind] == nil {
			of[x.kind] = &class{}
		}
		of[x.kind].things = append(of[x.kind].things, x)
	}
	first := map[int]int{} // by the kind of a runner: the first kind of things that fits it
	for _, r := range runners {
		at, known := first[r.kind]
		if !known {
			at = c.joinClasses(of, r.kind)
			first[r.kind] = at
		}
		if at >= 0 {
			of[at].runners = append(of[at].runners, r)
		}
	}
	var all []*class
	seen := map[*class]bool{nil: true}
	for _, one := range of {
		if !seen[one] {
			seen[one] = true
			all = append(all, one)
		}
	}
	return all
}

// joinClasses makes one class of all in which a kind of runners could have a thing, and
// returns the first kind of these things; -1 is none.
func (c *correlation) joinClasses(of []*class, runner int) int {
	first := -1
	for kind, other := range of {
		switch {
		case other == nil || !c.kinds.fit(runner, kind):
		case first < 0:
			first = kind
		case other != of[first]:
			of[first].things, of[first].runners = append(of[first].things, other.things...), append(of[first].runners, other.runners...)
			for i := range of {
				if of[i] == other {
					of[i] = of[first]
				}
			}
		}
	}
	return first
}

// mayHave are the runners that may have a thing: those of its band or, if there is none, those
// that could have it. live are the ones that are not gone.
func (c *correlation) mayHave(x *thing) (live, gone []*runner) {
	for _, r := range x.candidates {
		switch {
		case !x.mayBeOf(r):
		case r.gone:
			gone = append(gone, r)
		default:
			live = append(live, r)
		}
	}
	return live, gone
}

// mayBeOf reports that no band speaks against it that a thing is a runner's which could have it.
func (x *thing) mayBeOf(r *runner) bool {
	if x.band == nil && r.found == nil && r.own == nil {
		return true
	}
	return x.band.has(r) || x.band == nil && x.past.has(r)
}

// commonOwner is the owner that all of these runners have; zero if they have several.
func (c *correlation) commonOwner(runners []*runner) (owner Owner, same bool) {
	owner = c.ownerOfRunner(runners[0])
	for _, r := range runners[1:] {
		if c.ownerOfRunner(r).ID != owner.ID {
			return Owner{Liveness: LivenessLive}, false
		}
	}
	owner.Liveness = LivenessLive
	return owner, true
}

// rule reports that nothing that it looks at rules out that a thing is a runner's. Where it
// holds for one thing of a row, it holds for all behind it: see rows.
type rule func(*correlation, *runner, *thing) bool

// couldHave reports that neither the arguments nor the times rule out that the thing is the
// runner's. A runner that named its container can have no other.
func couldHave(c *correlation, r *runner, x *thing) bool {
	named := r.ContainerFile != "" || r.line.Name != "" && x.container.Name != "" || len(r.attached) > 0
	if !x.execd && named && !r.names(x.container.ID) {
		return false
	}
	return sameKind(c, r, x) && order(r, x) <= 0
}

// couldRun is couldHave, and the stdins do not rule it out either: a runner with an
// open stdin has a thing whose stdin is held. The reverse does not follow:
// `docker run -i … </dev/null`.
func couldRun(c *correlation, r *runner, x *thing) bool {
	return couldHave(c, r, x) && (x.stdin != inventory.PeerClosed || !r.hasOpenStdin())
}

// sameKind reports that image, labels and command, or container and command, do not contradict
// each other, as far as both sides give them, and that no earlier look saw the one to be
// another's.
func sameKind(c *correlation, r *runner, x *thing) bool {
	return c.kinds.fit(r.kind, x.kind) && (x.past == nil && r.own == nil || x.past.has(r))
}

// rows are things in rows, the oldest of each row first. Of what decides whether a thing could
// be a runner's, those of one row differ only in when they were created. So a [rule] that holds
// for a runner and one thing of a row holds for all behind it, and what a runner could have is
// one index for each row instead of a list of things.
type rows [][]*thing

// rowKey is equal for the things of one row.
type rowKey struct {
	kind    int
	stdin   inventory.Peer
	unnamed bool
	clock   clock
	past    *band
	only    string // the id of a container that a runner names
}

func rowsOf(things []*thing) rows {
	var all rows
	at := map[rowKey]int{}
	for _, x := range things {
		key := rowKey{kind: x.kind, stdin: x.stdin, unnamed: x.container.Name == "", clock: x.clock, past: x.past}
		if len(x.named) > 0 {
			key.only = x.container.ID
		}
		row, found := at[key]
		if !found {
			row = len(all)
			at[key] = row
			all = append(all, nil)
		}
		all[row] = append(all[row], x)
	}
	for _, row := range all {
		slices.SortStableFunc(row, olderThingFirst)
	}
	return all
}

// olderThingFirst compares two things of one row, by their clock.
func olderThingFirst(a, b *thing) int {
	switch a.clock {
	case clockOfKernel:
		return cmp.Compare(a.first.Start, b.first.Start)
	case clockOfWall:
		return a.created.Compare(b.created)
	}
	return strings.Compare(a.container.ID, b.container.ID)
}

// choices is what each of these runners could have by a rule.
func (c *correlation) choices(runners []*runner, from rows, holds rule) [][]choice {
	choices := make([][]choice, len(runners))
	for i, r := range runners {
		for number, row := range from {
			if !holds(c, r, row[len(row)-1]) {
				continue
			}
			first := sort.Search(len(row)-1, func(at int) bool { return holds(c, r, row[at]) })
			choices[i] = append(choices[i], choice{Row: number, From: first})
		}
	}
	return choices
}

// match is a largest matching of runners with the things in rows. The numbers of the things
// are those of [rows.all].
func (c *correlation) match(runners []*runner, from rows, holds rule) *matching {
	return inRows(from.lengths(), c.choices(runners, from, holds))
}

func (from rows) lengths() []int {
	lengths := make([]int, len(from))
	for r, row := range from {
		lengths[r] = len(row)
	}
	return lengths
}

// all lists the things row by row.
func (from rows) all() []*thing { return slices.Concat(from...) }
