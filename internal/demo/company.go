package demo

import (
	"fmt"

	"github.com/reaperd/reaperd/internal/human"
)

// idleFor is after what time a session is idle in a held world.
const idleFor = "10s"

// company gives a held world more than the story needs, so that every screen has something
// to show: a client at work and an idle one beside codex, and something that was reaped.
func (d *director) company() error {
	d.say(`   More goes on meanwhile. Another %s, in ~/src/%s, was killed too, and a sweep by hand
   has reaped what it left. One in ~/src/%s works. %s, in ~/src/%s, does nothing: after
   %s it is idle (the shipped policy: 1h), and only reported.
`, claude, infra, api, gemini, notes, idleFor)
	if err := d.sweepByHand(place.further(claude, infra)); err != nil {
		return err
	}
	working := place.further(claude, api)
	working.Busy = true
	for _, p := range []part{working, place.further(gemini, notes)} {
		if _, _, err := d.enter(p); err != nil {
			return err
		}
	}
	return d.until("the sessions are known, and what is left is still pending", func(now *status) bool {
		return now.Sessions() == 3 && len(now.Pending) == leaked
	})
}

// sweepByHand starts a client, kills it, and runs a sweep that names what the client has left.
func (d *director) sweepByHand(p part) error {
	left, below, err := d.enter(p)
	if err != nil {
		return err
	}
	if err := d.until("the daemon knows it", func(now *status) bool { return now.Sessions() == 2 }); err != nil {
		return err
	}
	if err := left.kill(); err != nil {
		return err
	}
	if err := d.until("the daemon has found what it left", func(now *status) bool { return now.Found() == leaked+2 }); err != nil {
		return err
	}
	args := []string{"sweep", "--yes", "--settle", "0"}
	for _, id := range below {
		args = append(args, fmt.Sprint(id.PID))
	}
	sweep := d.reaperd(args...)
	sweep.Stderr = nil
	if said, err := sweep.CombinedOutput(); err != nil {
		return otherwise("reaperd sweep: %w\n%s", err, said)
	}
	if living, err := d.living(below); err != nil || len(living) > 0 {
		return otherwise("after a sweep %s of %d live (%v)", human.Count(len(living), "process"), len(below), err)
	}
	return nil
}

// light returns the part, and all below it, without the memory that it holds.
func (p part) light() part {
	p.Holds = 0
	below := p.Below
	p.Below = nil
	for _, one := range below {
		p.Below = append(p.Below, one.light())
	}
	return p
}
