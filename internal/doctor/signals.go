package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// signalled returns the processes that reaperd would signal to end the targets. It leaves
// out targets that the foreign guard keeps, such as another user's.
func signalled(g *graph.Graph) []inventory.ID {
	var ids []inventory.ID
	for _, target := range g.Targets {
		if slices.ContainsFunc(target.Vetoes, func(v graph.Veto) bool { return v.Guard == graph.GuardForeign }) {
			continue
		}
		for _, member := range target.Members {
			ids = append(ids, member.ID())
		}
	}
	return ids
}

// rehearsedTogether is how many process handles a rehearsal keeps open at most.
const rehearsedTogether = 256

// signalSymptom tries whether reaperd may signal the targets' processes, without sending
// a signal. A refusal is a fault only if the mode is enforce.
func signalSymptom(at place, mode policy.Mode, ids []inventory.ID, rehearse func([]inventory.ID) []error) Symptom {
	if len(ids) == 0 {
		return Symptom{"signals", stateNote, "no session or MCP server runs here that is yours to stop", ""}
	}
	var refused []error
	for some := range slices.Chunk(ids, rehearsedTogether) {
		refused = append(refused, slices.DeleteFunc(rehearse(some), func(err error) bool { return err == nil })...)
	}
	if len(refused) == 0 {
		return Symptom{"signals", stateOK, "permitted to " + human.Count(len(ids), "process") + " of sessions and MCP servers that are yours to stop", ""}
	}
	found := Symptom{"signals", stateFault, fmt.Sprintf("to %d of %s of sessions and MCP servers that are yours to stop they would fail: %v", len(refused), human.Count(len(ids), "process"), refused[0]), ""}
	if errors.Is(refused[0], fs.ErrPermission) {
		found.Remedy = remedy{
			host: "run as root, or as the user whose servers they are", unit: "CapabilityBoundingSet=CAP_KILL",
			compose:    "cap_add: [KILL] and security_opt: [apparmor:unconfined]",
			kubernetes: "securityContext.capabilities.add: [KILL] and appArmorProfile: {type: Unconfined}",
		}.at(at)
	}
	if mode != policy.ModeEnforce {
		found.State = stateNote
	}
	return found
}
