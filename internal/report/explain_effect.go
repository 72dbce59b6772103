package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// effect tells what an act on a target means for its session and for what is below it.
func (v *view) effect(verdict *policy.Verdict) string {
	t := verdict.Target
	var parts []string
	if n := len(v.goneWith(t)); n > 0 {
		parts = append(parts, serversText(v.goneWith(t))+" below it "+human.Verb(n, "goes", "go")+" with it")
	}
	if t.Zombies > 0 {
		parts = append(parts, "its "+human.Count(t.Zombies, "zombie")+" "+human.Verb(t.Zombies, "goes", "go")+" with it")
	}
	if gateway := v.leakedAround(verdict); gateway != nil {
		parts = append(parts, "it goes with "+called(gateway.Target)+", which nobody owns")
	}
	owner, session := ownerText(t.Owner), v.sessionOf(verdict)
	head, _ := v.verdict(verdict.With)
	switch {
	case head != nil && session == nil && v.leakedAround(verdict) == nil:
		parts = append(parts, "it goes with "+called(head.Target))
	case session != nil:
		parts = append(parts, called(session.Target)+" ends, and all that it holds goes with it")
	case t.Kind == graph.KindSession:
		parts = append(parts, "what it holds goes with it")
	case t.Owner.Liveness == graph.LivenessGone:
		parts = append(parts, "no session loses anything")
	case t.Owner.Liveness != graph.LivenessLive || owner == "":
	case t.Kind == graph.KindGateway:
		parts = append(parts, owner+" lives on and starts a new gateway at its next tool call")
	case t.Finding == graph.FindingDuplicate:
		parts = append(parts, owner+" lives on and keeps the newer copy")
	case t.Finding == graph.FindingDisconnected:
		parts = append(parts, owner+" lives on; it had hung up on this server")
	default:
		parts = append(parts, owner+" lives on")
	}
	return strings.Join(parts, "; ")
}

// goneWith are the servers and containers below a gateway, to any depth, which go with it.
func (v *view) goneWith(gateway *graph.Target) (goes []*graph.Target) {
	if gateway.Kind != graph.KindGateway || gateway.Root == nil {
		return nil
	}
	goes = policy.EndsWith(v.in.Verdicts, gateway)
	for _, container := range v.containersOf(gateway.Root.ID()) {
		if !slices.Contains(goes, container.Target) {
			goes = append(goes, container.Target)
		}
	}
	return goes
}

// deedText tells each step of an act.
func (v *view) deedText(verdict *policy.Verdict) string {
	t, grace := verdict.Target, human.Exact(verdict.Grace)
	if t.Container != nil && !t.Container.Running() && verdict.Action == policy.ActionRemove {
		return "remove the container, which does not run, then look again"
	}
	if t.Kind == graph.KindContainer {
		return "stop the container within " + grace + thenRemove(verdict) + ", then look again"
	}
	for _, id := range t.Containers { // a docker run ends with its container, which goes first
		if container, found := v.verdict(id); found && container.Decision != policy.Keep {
			return fmt.Sprintf("stop its container %s within %s%s, on which it exits; SIGTERM to %d if it does not, then look again",
				handle(container.Target), human.Exact(container.Grace), thenRemove(container), rootPID(t))
		}
	}
	who := strconv.Itoa(rootPID(t))
	if n := len(t.Members); n > 1 {
		who = human.Count(n, "process") + " " + pidsText(t.PIDs())
	}
	return fmt.Sprintf("SIGTERM to %s, SIGKILL after %s, then look again", who, grace)
}

// thenRemove adds that a container is removed once it has been stopped.
func thenRemove(container *policy.Verdict) string {
	if container.Action == policy.ActionRemove {
		return ", then remove it"
	}
	return ""
}

func pidsText(pids []int) string {
	const most = 8
	words := make([]string, 0, most+1)
	for _, pid := range pids[:min(len(pids), most)] {
		words = append(words, strconv.Itoa(pid))
	}
	if len(pids) > most {
		words = append(words, fmt.Sprintf("+%d", len(pids)-most))
	}
	return strings.Join(words, " ")
}

// wouldDo is the verb for an action that a rule has not come to.
func wouldDo(action policy.Action) string {
	switch action {
	case policy.ActionTerminate:
		return "would stop"
	case policy.ActionRemove:
		return "would remove"
	}
	return "would only report"
}
