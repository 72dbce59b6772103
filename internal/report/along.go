package report

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// findAlong finds what goes with the idle sessions that are stopped, now or later: it is shown
// with its session. A session of which something is shown is shown too, and all of one that would
// be stopped now: that is counted.
func (v *view) findAlong() {
	for _, head := range v.all {
		t := head.Target
		if !isIdle(t) || head.Decision == policy.Keep {
			continue
		}
		for _, held := range v.held[t.Root.ID()] {
			if verdict, found := v.verdict(held.ID); found && (verdict.With == t.ID || verdict.Decision == policy.Keep) {
				v.along[held.ID] = t.ID
			}
		}
		if !slices.Contains(v.shown, head) && len(v.goingWith(verdicts{head}, v.shown)) > 0 {
			v.shown = append(v.shown, head)
		}
		if head.Decision == policy.Reap && slices.Contains(v.shown, head) {
			v.show(v.goingWith(verdicts{head}, v.all))
		}
	}
}

// gatewayOf is the outermost gateway that ends, now or later, with a target in its tree; nil if none does. No sweep
// stops the target without it.
func (v *view) gatewayOf(t *graph.Target) *policy.Verdict {
	var outermost *policy.Verdict
	id := t.ID
	for range mostOwners {
		around := v.all.where(func(gateway *policy.Verdict) bool {
			return gateway.Target.Kind == graph.KindGateway && gateway.Decision != policy.Keep && slices.Contains(gateway.Target.Below, id)
		})
		if len(around) == 0 {
			break
		}
		outermost, id = around[0], around[0].Target.ID
	}
	return outermost
}

// gatewayAround is the verdict on the gateway with which a target ends: also for a container, which is no part of the
// gateway's tree, and goes only with it. nil if there is none.
func (v *view) gatewayAround(verdict *policy.Verdict) *policy.Verdict {
	switch head, found := v.verdict(cmp.Or(verdict.With, verdict.EndsWith)); {
	case found && head.Target.Kind == graph.KindGateway:
		return head
	case found && head.Target.Kind == graph.KindContainer: // a docker run that ends before its gateway
		return nil
	}
	return v.gatewayOf(verdict.Target)
}

// gatewayNamed is the verdict on the gateway without which no sweep by its name stops a target: a docker run ends with
// its container, where that goes by a rule of its own. nil if there is none.
func (v *view) gatewayNamed(verdict *policy.Verdict) *policy.Verdict {
	if v.ownContainer(verdict) != nil {
		return nil
	}
	return v.gatewayAround(verdict)
}

// ownContainer is the verdict on a container of a docker run that goes by a rule of its own; nil if there is none.
func (v *view) ownContainer(runner *policy.Verdict) *policy.Verdict {
	own := v.all.where(func(c *policy.Verdict) bool {
		return c.Target.Kind == graph.KindContainer && c.Target.Runner == runner.Target.ID && c.Decision != policy.Keep && c.With == ""
	})
	if len(own) == 0 {
		return nil
	}
	return own[0]
}

// endsUnshown reports a docker run that goes with a gateway which is not shown, and ends with its container before.
func (v *view) endsUnshown(verdict *policy.Verdict) bool {
	head, found := v.verdict(verdict.With)
	return found && v.gateways[head.Target.ID] && v.ownContainer(verdict) != nil && !slices.Contains(v.shown, head)
}

// endsBy is the verdict on the container with which a docker run ends, while no act is on that; nil if there is none.
func (v *view) endsBy(runner *policy.Verdict) *policy.Verdict {
	container, found := v.verdict(runner.EndsWith)
	switch {
	case found && runner.Decision == policy.Keep:
		return container
	case runner.Target.Kind != graph.KindContainer && v.goesWithTwin(runner):
		container, _ = v.verdict(runner.With)
		return container
	case v.endsUnshown(runner):
		return v.ownContainer(runner)
	}
	return nil
}

// showTogether shows with something that was asked for the gateway with which it ends, and all else that ends with
// that, or the docker run of a container, or the container: it is counted, and one sweep stops it all.
func (v *view) showTogether() {
	if len(v.options.Names) == 0 {
		return
	}
	defer v.showTwins()
	for _, verdict := range slices.Clone(v.shown) {
		gateway := v.gatewayNamed(verdict)
		if gateway == nil {
			continue
		}
		v.show(verdicts{gateway})
		v.show(v.all.where(func(other *policy.Verdict) bool { return v.gatewayAround(other) == gateway }))
	}
}

// showTwins shows the docker runs of the containers that are shown, and the containers of docker runs. One that would
// end with its gateway, too, is counted as a sweep by its name counts it: it ends with its container.
func (v *view) showTwins() {
	for _, verdict := range slices.Clone(v.shown) {
		if verdict.Decision != policy.Keep || verdict.EndsWith != "" {
			v.show(v.twinsOf(verdict))
		}
	}
	for i, verdict := range v.shown {
		if v.endsUnshown(verdict) {
			v.shown[i] = &policy.Verdict{Target: verdict.Target, EndsWith: v.ownContainer(verdict).Target.ID}
		}
	}
}

// twinsOf are the docker run of a container, or the containers of a docker run, if they are stopped too.
func (v *view) twinsOf(verdict *policy.Verdict) verdicts {
	return v.all.where(func(other *policy.Verdict) bool {
		isTwin := other.Target.Runner == verdict.Target.ID || verdict.Target.Runner == other.Target.ID
		return isTwin && (other.Decision != policy.Keep || other.EndsWith == verdict.Target.ID)
	})
}

// show adds verdicts to those that are shown.
func (v *view) show(vs verdicts) {
	for _, verdict := range vs {
		if !slices.Contains(v.shown, verdict) {
			v.shown = append(v.shown, verdict)
		}
	}
}

// goingWith returns the verdicts of vs on what goes with one of the heads.
func (v *view) goingWith(heads, vs verdicts) verdicts {
	return vs.where(func(verdict *policy.Verdict) bool {
		head := v.along[verdict.Target.ID]
		return head != "" && slices.ContainsFunc(heads, func(h *policy.Verdict) bool { return h.Target.ID == head })
	})
}

// headOf returns the verdict on the session with which a target goes; nil if it goes with none.
func (v *view) headOf(t *graph.Target) *policy.Verdict {
	head, _ := v.verdict(v.along[t.ID])
	return head
}

// alongWith is the verdict on what a target is stopped with, where no rule of its own stops it yet; nil if there is
// none. What the daemon stops it with comes first. Else that is the session that holds it, if a sweep keeps it alone,
// or its gateway, its docker run or its container.
func (v *view) alongWith(verdict *policy.Verdict) *policy.Verdict {
	if head := v.daemonsHead(verdict); head != nil {
		return head
	}
	if verdict.Decision == policy.Keep && verdict.EndsWith == "" {
		return v.headOf(verdict.Target)
	}
	if head, found := v.verdict(cmp.Or(verdict.With, verdict.EndsWith)); found && head.Target.Kind != graph.KindSession {
		return head
	}
	return nil
}

// goesWith is the verdict on the session or the gateway without which no sweep stops a target; nil if there is none.
func (v *view) goesWith(verdict *policy.Verdict) *policy.Verdict {
	if head := v.headOf(verdict.Target); head != nil {
		return head
	}
	return v.gatewayNamed(verdict)
}

// ByHeads are the words of an order of which the next may be made: what goes with a session or a gateway is stopped
// only by the name of that.
func ByHeads(in Input, words []string) []string {
	return newView(in, Options{}, would()).byHeads(words)
}

// byHeads are names for a sweep: it stops what goes with a session or a gateway only by the name of that.
func (v *view) byHeads(names []string) (out []string) {
	for _, name := range names {
		meant := v.shown.where(func(verdict *policy.Verdict) bool { return newChoice(v.in, []string{name}).shows(verdict.Target) })
		if len(meant) == 0 || len(meant.where(func(verdict *policy.Verdict) bool { return v.goesWith(verdict) == nil })) > 0 {
			out = append(out, name)
			continue
		}
		for _, verdict := range meant {
			if head := handle(v.goesWith(verdict).Target); !slices.Contains(out, head) {
				out = append(out, head)
			}
		}
	}
	return out
}

// counting counts targets by kind, with what goes with them: "1 session with 4 servers and 1
// container".
func (v *view) counting(vs verdicts) string {
	text := vs.number()
	var held []*graph.Target
	for _, verdict := range v.goingWith(vs, v.all) {
		held = append(held, verdict.Target)
	}
	if len(held) > 0 {
		text += " with " + serversText(held)
	}
	return text
}

// mostAlong is how many groups of what a session holds are named.
const mostAlong = 8

// holding names what goes with a session, below its row.
func (v *view) holding(s *screen, head *policy.Verdict) {
	if names := v.namesAlong(v.goingWith(verdicts{head}, v.all)); len(names) > 0 {
		s.wrap("   ", "with it: "+human.List(names))
	}
}

// namesAlong names targets, those of a kind together, and counts those for which there is no
// room.
func (v *view) namesAlong(vs verdicts) (names []string) {
	groups := v.grouping.groups(vs)
	rest := 0
	for i, g := range groups {
		if i < mostAlong {
			names = append(names, g.head(v.glyphs))
		} else {
			rest += len(g.verdicts)
		}
	}
	if rest > 0 {
		names = append(names, human.Number(rest)+" more")
	}
	return names
}
