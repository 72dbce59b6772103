package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// RestsOnUnread reports whether a target is kept only because a source did not answer. Its
// explanation is then as incomplete as the look.
func (in Input) RestsOnUnread(id string) bool {
	return !in.Complete() && slices.ContainsFunc(in.Verdicts, func(v policy.Verdict) bool {
		return v.Target.ID == id && v.Decision == policy.Keep && (hasGuard(&v, graph.GuardEngine) || hasGuard(&v, graph.GuardIncomplete))
	})
}

func hasGuard(v *policy.Verdict, guard graph.Guard) bool {
	return slices.ContainsFunc(v.Vetoes, func(veto graph.Veto) bool { return veto.Guard == guard })
}

// unreadEngine is why the container of a docker run cannot be seen, and what helps: "docker could not
// be read: nothing listens on /run/docker.sock; start the engine". It is empty if an engine answers, or
// if the target does not ask one.
func (v *view) unreadEngine(verdict *policy.Verdict) string {
	if !hasGuard(verdict, graph.GuardEngine) {
		return ""
	}
	text := word.NoEngine(v.snapshot)
	if engine, listed := v.snapshot.Source(inventory.SourceDocker); text != "" && listed && engine.Status == inventory.StatusAbsent {
		text += "; start the engine, or name it in DOCKER_HOST"
	}
	return sentence(text)
}
