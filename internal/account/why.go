package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// why says why a target is stopped, kept or reported: one sentence, without a full stop.
func (m *maker) why(v *policy.Verdict, t *Thing) string {
	if t.Fate != Kept {
		return v.Reason
	}
	if pin := pinOf(v.Vetoes); pin != "" {
		return pin
	}
	switch {
	case v.Protected != nil && v.Protected.Reason != "":
		return fmt.Sprintf("protected by %q: %s", v.Protected.Name, strings.TrimSuffix(v.Protected.Reason, "."))
	case v.Protected != nil:
		return fmt.Sprintf("protected by %q", v.Protected.Name)
	case m.isForRoot(v):
		return "only root can decide: sudo reaperd sweep"
	case hasGuard(v.Vetoes, graph.GuardEngine) && !m.seesEngine():
		return "without a container engine, stopping it would leave its container running"
	case !v.Target.Stranger.IsZero():
		return v.Target.Stranger.Says.String()
	case len(v.Vetoes) > 0:
		return v.Vetoes[0].Text
	case t.isLeftSession() && len(v.Target.Evidence) > 0 && v.Target.Evidence[0].Check == graph.CheckAncestor: // a helper
		return v.Target.Evidence[0].Text
	case t.isLeftSession():
		return "an agent whose launcher is gone, and that may be at work"
	case t.Finding == graph.FindingOrphaned && t.Listening != nil && *t.Listening:
		return "it listens" + t.onPorts(" on ") + ", and nobody is connected"
	case v.Rule != "":
		return "the policy only reports it"
	case t.Finding == graph.FindingAmbiguous && t.Kind == graph.KindContainer:
		return "which docker run has it cannot be told"
	case t.Finding == graph.FindingAmbiguous:
		return "whether anybody speaks to it cannot be told"
	case t.Finding == graph.FindingNone:
		return "nothing says whose it is"
	}
	return strings.TrimPrefix(v.Reason, "no rule acts on it: ")
}

// seesEngine reports that an engine was read.
func (m *maker) seesEngine() bool {
	return slices.ContainsFunc(m.account.Sources, func(s inventory.Source) bool {
		return s.Name == inventory.SourceDocker && s.Status == inventory.StatusOK
	})
}

func hasGuard(vetoes []graph.Veto, guard graph.Guard) bool {
	return slices.ContainsFunc(vetoes, func(v graph.Veto) bool { return v.Guard == guard })
}

// isForRoot reports that nothing but what this user may not see or do keeps a target.
func (m *maker) isForRoot(v *policy.Verdict) bool {
	uid, known := m.account.Host.UID.Get()
	if !known || uid == 0 || m.account.Decider.Kind == ByReplay {
		return false
	}
	isOther := func(veto graph.Veto) bool {
		return veto.Guard != graph.GuardForeign && veto.Guard != graph.GuardUnproven
	}
	return !slices.ContainsFunc(v.Vetoes, isOther) && (len(v.Vetoes) > 0 || v.Target.Owner.IsUnseen())
}
