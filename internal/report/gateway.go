package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// ownCause leaves out targets that go with another, or end with it: the row of that shows them.
func (v *view) ownCause(vs verdicts) verdicts {
	return vs.where(func(verdict *policy.Verdict) bool {
		return !v.goesWithGateway(verdict) && !v.goesWithLeaked(verdict) && !v.goesWithTwin(verdict)
	})
}

// goesWithTwin reports a container that goes with its docker run, or a docker run that ends with its container: the
// rule names the other.
func (v *view) goesWithTwin(verdict *policy.Verdict) bool {
	head, found := v.verdict(verdict.With)
	return found && (head.Target.Kind == graph.KindContainer || head.Target.Kind == graph.KindServer)
}

// prospects tells what the end of a gateway means for others.
func (v *view) prospects(s *screen, c cause, voice voice) {
	gateways := c.verdicts().where(func(verdict *policy.Verdict) bool {
		return verdict.Target.Kind == graph.KindGateway && verdict.Target.Root != nil
	})
	for _, verdict := range gateways {
		name := "the gateway"
		if len(gateways) > 1 {
			name = called(verdict.Target)
		}
		v.prospect(s, verdict, name, voice)
	}
}

func (v *view) prospect(s *screen, verdict *policy.Verdict, name string, voice voice) {
	about := func(what string) string { return "   " + human.Left(what, 14) }
	t := verdict.Target
	id := t.Root.ID()
	stop := name
	goes := v.all.where(func(other *policy.Verdict) bool { return v.leakedAround(other) == verdict })
	var ends []*graph.Target
	for _, verdict := range append(v.serversOf(id), goes...) {
		if !slices.Contains(ends, verdict.Target) {
			ends = append(ends, verdict.Target)
		}
	}
	if len(ends) > 0 {
		stop += " and its " + serversText(ends)
	}
	if t.Zombies > 0 {
		stop += "; its " + human.Count(t.Zombies, "zombie") + " " + human.Verb(t.Zombies, "goes", "go") + " with it"
	}
	s.wrap(about(voice.stops), stop)
	if len(goes) > 0 {
		s.wrap(about("with it"), strings.Join(v.namesAlong(goes), ", "))
	}
	containers := v.containersOf(id)
	if n := len(containers); n > 0 {
		s.wrap(about(voice.removes), human.Count(n, "container")+imagesText(containers)+", once no docker run is left")
	}
	if t.Owner.Liveness == graph.LivenessLive {
		s.wrap(about(voice.lives), ownerText(t.Owner)+" (starts a new gateway at its next tool call)")
	}
	if fresh := v.fresh(containers); fresh > 0 {
		s.wrap("   ", fmt.Sprintf("containers alone would come back: %s %s started in the last minute", human.Number(fresh), human.Verb(fresh, "was", "were")))
	}
}

// imagesText names the image of containers, if all have the same.
func imagesText(vs verdicts) string {
	image := imageOf(vs.first())
	if image == "" || !allEqual(vs, func(v *policy.Verdict) string { return imageOf(v.Target) }) {
		return ""
	}
	return " of " + human.Safe(image)
}

// isUnclearAbove reports a gateway of which nothing proves whose it is, and below which something is in use: it
// stands in the tree of that.
func (v *view) isUnclearAbove(verdict *policy.Verdict) bool {
	return verdict.Target.Kind == graph.KindGateway && isUnclear(verdict) && slices.Contains(v.treeTargets(), verdict)
}

// unclearHolder is the verdict on the gateway above a target of which nothing proves whose it is: nobody knows
// whether what it has is in use. nil if there is none.
func (v *view) unclearHolder(t *graph.Target) *policy.Verdict {
	for range mostOwners {
		above := v.all.where(func(gateway *policy.Verdict) bool {
			g := gateway.Target
			return g.Kind == graph.KindGateway && g.Root != nil && g.Root.ID() == t.Owner.ID
		})
		if len(above) == 0 || above[0].Target == t {
			return nil
		}
		if t = above[0].Target; isUnclear(above[0]) {
			return above[0]
		}
	}
	return nil
}

// gatewayText describes gateways: children, zombies, open descriptors.
func gatewayText(vs verdicts) string {
	states := make([]string, len(vs))
	for i, verdict := range vs {
		states[i] = gatewayState(verdict.Target)
	}
	if !allEqual(states, func(s string) string { return s }) || states[0] == "" {
		return ""
	}
	if len(vs) > 1 {
		return states[0] + " each"
	}
	return states[0]
}

func gatewayState(t *graph.Target) string {
	parts := []string{"no zombies"}
	if t.Zombies > 0 {
		parts[0] = human.Count(t.Zombies, "zombie")
	}
	if n := len(t.Below); n > 0 {
		parts = append(parts, human.Count(n, "server"))
	}
	if t.Respawns > 0 {
		parts = append(parts, human.Count(t.Respawns, "respawn"))
	}
	if t.Root != nil {
		if fds, known := t.Root.OpenFDs.Get(); known {
			parts = append(parts, human.Count(fds, "fd"))
		}
	}
	return strings.Join(parts, ", ")
}
