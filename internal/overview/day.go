package overview

import (
	"slices"
	"time"
)

// A day is shown in steps.
const (
	dayLength = 24 * time.Hour
	// StepLength is how long one step of a day is.
	StepLength = 30 * time.Minute
)

// Step is what happened in one part of a day.
type Step struct {
	From       time.Time `json:"from"`
	Found      int       `json:"found"` // orphans that were seen for the first time
	Reaped     int       `json:"reaped"`
	FreedBytes uint64    `json:"freed_bytes"`
}

// Day counts what happened in the last 24 hours. The zero value has seen nothing.
type Day struct {
	steps []Step // the oldest first; without those in which nothing happened
}

// Add counts what happened at a moment: what the step says beside From.
func (d *Day) Add(at time.Time, what Step) {
	from := at.Truncate(StepLength)
	i, there := slices.BinarySearchFunc(d.steps, from, func(s Step, t time.Time) int { return s.From.Compare(t) })
	if !there {
		d.steps = slices.Insert(d.steps, i, Step{From: from})
	}
	step := &d.steps[i]
	step.Found += what.Found
	step.Reaped += what.Reaped
	step.FreedBytes += what.FreedBytes
	if most := int(2 * dayLength / StepLength); len(d.steps) > most {
		d.steps = slices.Delete(d.steps, 0, len(d.steps)-most)
	}
}

// Steps are all steps of the 24 hours before now, the last of them with now in it.
func (d *Day) Steps(now time.Time) []Step {
	steps := make([]Step, 0, int(dayLength/StepLength))
	last := now.Truncate(StepLength)
	for from := last.Add(StepLength - dayLength); !from.After(last); from = from.Add(StepLength) {
		step := Step{From: from}
		if i, there := slices.BinarySearchFunc(d.steps, from, func(s Step, t time.Time) int { return s.From.Compare(t) }); there {
			step = d.steps[i]
		}
		steps = append(steps, step)
	}
	return steps
}
