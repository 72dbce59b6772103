package reap

import (
	"fmt"
	"slices"
	"sync"

	"github.com/reaperd/reaperd/internal/human"
)

// step is one act of a run, with the steps that it waits for.
type step struct {
	act   *Act
	after []*step // must have ended their targets before
	below []*step // of a gateway: are done while it is frozen
	above []*step // the gateways that it lies below
	fault string  // why it cannot be carried out at all
	// unrecorded: its intention could not be journalled.
	unrecorded bool
	busy       bool // an act of another plan has some of its tree

	hold   sync.Once
	held   chan struct{} // closed when what lies below may begin, or never may
	frozen bool          // the gateway is frozen or gone

	done    chan struct{} // closed when the outcome stands
	outcome Outcome
}

// link makes the steps of a plan. A step that can never be carried out, or that names
// an act that is not in the plan, has a fault.
func link(acts []Act) []*step {
	steps := make([]*step, len(acts))
	byID := make(map[string]*step, len(acts))
	for i := range acts {
		act := &acts[i]
		steps[i] = &step{
			act:     act,
			held:    make(chan struct{}),
			done:    make(chan struct{}),
			outcome: Outcome{ActID: act.ID, TargetID: act.TargetID},
		}
		if first, taken := byID[act.ID]; taken {
			first.fault = fmt.Sprintf("the plan names act %q twice", act.ID)
			steps[i].fault = first.fault
		}
		byID[act.ID] = steps[i]
	}
	for _, s := range steps {
		s.below = s.named(s.act.Below, byID)
		for _, below := range s.below {
			below.above = append(below.above, s)
		}
		// What lies below a gateway is done while it is frozen, not before.
		s.after = slices.DeleteFunc(s.named(s.act.After, byID), func(a *step) bool { return slices.Contains(s.below, a) })
	}
	refuseCycles(steps)
	return steps
}

func (s *step) named(ids []string, byID map[string]*step) []*step {
	var found []*step
	for _, id := range ids {
		other, ok := byID[id]
		if !ok || other == s {
			s.fault = fmt.Sprintf("the plan lets it wait for act %q, which is not another one of it", id)
			continue
		}
		found = append(found, other)
	}
	return found
}

// refuseCycles gives a fault to every step that would wait for ever. It repeats over
// the plan as long as another step can end.
func refuseCycles(steps []*step) {
	held, done := map[*step]bool{}, map[*step]bool{}
	all := func(list []*step, set map[*step]bool) bool {
		return !slices.ContainsFunc(list, func(s *step) bool { return !set[s] })
	}
	for progress := true; progress; {
		progress = false
		for _, s := range steps {
			if !held[s] && all(s.after, done) && all(s.above, held) {
				held[s], progress = true, true
			}
			if !done[s] && held[s] && all(s.below, done) {
				done[s], progress = true, true
			}
		}
	}
	for _, s := range steps {
		if !done[s] {
			s.fault = "the plan lets it wait for itself"
		}
	}
}

// await waits for the steps that must end before, and for the gateways above to be
// frozen. It is an error if that did not happen.
func (s *step) await() error {
	if s.fault != "" {
		return early{human.Refused, s.fault}
	}
	if s.busy {
		return early{human.Deferred, "an act that is under way has some of it"}
	}
	for _, gateway := range s.above {
		if <-gateway.held; !gateway.frozen {
			return gateway.leaves()
		}
	}
	for _, container := range s.after {
		<-container.done
	}
	for _, container := range s.after {
		result := container.outcome.Result
		if result == human.Deferred {
			return early{result, fmt.Sprintf("its container %s is left for the next sweep", container.act.TargetID)}
		}
		if !result.Gone() {
			return early{human.Refused, fmt.Sprintf("its container %s is not ended (%s: %s), and ending what runs it first would leave it behind",
				container.act.TargetID, result, container.outcome.Detail)}
		}
	}
	return nil
}

// leaves is the result for a target below a gateway, or a session, that was left alone.
func (s *step) leaves() error {
	result := human.Refused
	if s.outcome.Result == human.Changed || s.outcome.Result == human.Deferred {
		result = s.outcome.Result
	}
	return early{result, fmt.Sprintf("it goes only with %s %d, which was left alone (%s: %s)", s.act.Name, s.act.Root.PID, s.outcome.Result, s.outcome.Detail)}
}

// letBelow lets the steps below a gateway begin, or says that they never may. Only
// the first call counts.
func (s *step) letBelow(frozen bool) {
	s.hold.Do(func() {
		s.frozen = frozen
		close(s.held)
	})
}

// awaitBelow waits until the steps below are done. Those that failed are left for the
// next sweep.
func (s *step) awaitBelow() {
	for _, below := range s.below {
		<-below.done
	}
}
