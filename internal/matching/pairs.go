package matching

// Pairs is a largest matching of takers 0…takers-1 with things 0…things-1, by taker:
// its thing, -1 for none. It is the one that Kuhn's algorithm finds in the order of the
// takers and things. fits(taker, thing) says who could have what; it is asked again
// and again, and no table of every pair is kept.
func Pairs(takers, things int, fits func(taker, thing int) bool) (thing []int) {
	p := pairs{fits: fits, thing: fill(takers), taker: fill(things), unseen: newGaps(things)}
	for taker := range takers {
		if p.augment(taker) {
			p.unseen = newGaps(things)
		}
	}
	return p.thing
}

type pairs struct {
	fits         func(taker, thing int) bool
	thing, taker []int
	unseen       gaps
}

// augment gives a taker a thing that nobody has, or whose taker can have another.
func (p *pairs) augment(taker int) bool {
	for thing := p.unseen.next(0); thing < len(p.taker); thing = p.unseen.next(thing + 1) {
		if !p.fits(taker, thing) {
			continue
		}
		p.unseen.close(thing)
		if other := p.taker[thing]; other < 0 || p.augment(other) {
			p.taker[thing], p.thing[taker] = taker, thing
			return true
		}
	}
	return false
}
