package overview

import (
	"slices"
	"time"
)

// A day is shown in steps of [stepLength].
const (
	dayLength = 24 * time.Hour
	// stepLength is the length of one step of a day.
	stepLength = 30 * time.Minute
)

// Step counts the events in one step of a day.
type Step struct {
	From       time.Time `json:"from"`
	Found      int       `json:"found"` // orphans that were seen for the first time
	Reaped     int       `json:"reaped"`
	FreedBytes uint64    `json:"freed_bytes"`
}

// Day counts the events of the last 24 hours. The zero value has seen nothing.
type Day struct {
	steps []Step // the oldest first; steps without events are missing
}

// Add adds the counts of what to the step that contains at. It ignores what.From.
func (d *Day) Add(at time.Time, what Step) {
	from := at.Truncate(stepLength)
	i, there := slices.BinarySearchFunc(d.steps, from, func(s Step, t time.Time) int { return s.From.Compare(t) })
	if !there {
		d.steps = slices.Insert(d.steps, i, Step{From: from})
	}
	step := &d.steps[i]
	step.Found += what.Found
	step.Reaped += what.Reaped
	step.FreedBytes += what.FreedBytes
	if most := int(2 * dayLength / stepLength); len(d.steps) > most {
		d.steps = slices.Delete(d.steps, 0, len(d.steps)-most)
	}
}

// Steps returns all steps of the 24 hours before now; the last one contains now.
func (d *Day) Steps(now time.Time) []Step {
	steps := make([]Step, 0, int(dayLength/stepLength))
	last := now.Truncate(stepLength)
	for from := last.Add(stepLength - dayLength); !from.After(last); from = from.Add(stepLength) {
		step := Step{From: from}
		if i, there := slices.BinarySearchFunc(d.steps, from, func(s Step, t time.Time) int { return s.From.Compare(t) }); there {
			step = d.steps[i]
		}
		steps = append(steps, step)
	}
	return steps
}
