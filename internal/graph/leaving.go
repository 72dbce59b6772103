package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// This file is about runners that are leaving: their container has ended, and they
// have not exited yet. For that moment such a runner lives and has no container, so any
// orphaned container of its class could seem to be its. A container that was orphaned at
// the look before stays orphaned meanwhile, and is not acted on: this look does not count
// as one that has seen it orphaned.

// findLeaving notes which live runners are leaving, and since when. A runner may take as
// long to exit as to get its container; one that takes longer does not count as leaving.
func (c *correlation) findLeaving() {
	now := c.snapshot.Moment()
	c.leaving = map[inventory.ID]inventory.Moment{}
	for id, since := range c.past.leaving {
		if c.lives(id) && now.Since(since) <= youngRunner {
			c.leaving[id] = since
		}
	}
	for id, last := range c.past.containers {
		if !c.hasEnded(id) {
			continue
		}
		for _, runner := range last.runners {
			if _, known := c.leaving[runner]; !known && c.lives(runner) {
				c.leaving[runner] = now
			}
		}
	}
}

// hasEnded reports that a container of the look before runs no more. A look that could
// not read every container shows no container's end.
func (c *correlation) hasEnded(id string) bool {
	if k, listed := c.containers[id]; listed {
		return !k.Running()
	}
	return c.docker.ReadAll(c.past.containers[id].engine)
}

func (c *correlation) isLeaving(r *runner) bool {
	_, leaving := c.leaving[r.ID()]
	return leaving
}

// wasOrphaned reports that the look before found a container orphaned.
func (c *correlation) wasOrphaned(k *container) bool {
	return c.past.targets[k.ID].condition == FindingOrphaned
}

// fitWithoutLeaving leaves leaving runners out of the fits of containers that were
// orphaned at the look before, unless nothing but their own end rules out that a container
// is theirs.
func (c *correlation) fitWithoutLeaving(live []*runner, in rows) {
	var staying, leaving []*runner
	for _, r := range live {
		if c.isLeaving(r) {
			leaving = append(leaving, r)
		} else {
			staying = append(staying, r)
		}
	}
	if len(leaving) == 0 {
		return
	}
	holds, _ := c.matchClass(staying, in)
	could, isSomebodys := append(c.choices(staying, in, holds), c.choices(leaving, in, couldRun)...), false
	in.walk(could, func(k *container, first bool, joining []int) {
		isSomebodys = len(joining) > 0 || isSomebodys && !first
		if !isSomebodys && k.fit.candidates > 0 && c.wasOrphaned(k) {
			k.fit = &fit{leaving: leaving[0]}
		}
	})
}

// leaverOf is a leaving runner that was left out when a container was found orphaned;
// nil is none.
func (c *correlation) leaverOf(k *container) *runner {
	if k.state != containerOrphaned || !c.wasOrphaned(k) {
		return nil
	}
	if k.fit != nil && k.fit.leaving != nil {
		return k.fit.leaving
	}
	if i := slices.IndexFunc(c.strays, func(r *runner) bool { return c.isLeaving(r) && c.couldStray(r, k) }); i >= 0 {
		return c.strays[i]
	}
	return nil
}

// leaverWords are the end of the evidence on an orphan beside a leaving runner; zero if
// there is none.
func (c *correlation) leaverWords(k *container) sentence.S {
	r := c.leaverOf(k)
	if r == nil {
		return sentence.S{}
	}
	return sentence.Of("; docker %s %d, whose container has just ended, has not exited yet", r.line.Command, r.PID)
}
