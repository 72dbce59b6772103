package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// rootsDecides reports that root's daemon runs beside this user's commands, and stops things by root's policy.
func (v *view) rootsDecides() bool {
	_, runs := v.in.Beside.Of(0)
	return (v.in.ForeignDaemon || runs) && v.in.RootsRests == ""
}

// ownRules reports that a file of this user's own decides what is shown, while rootsDecides: what it protects, when
// it stops something and what it leaves alone then holds for this user's sweeps only.
func (v *view) ownRules() bool { return v.in.OwnPolicy && v.rootsDecides() }

// actor begins a sentence: who does what the policy used here says.
func (v *view) actor() string {
	if v.ownRules() {
		return "Your own sweeps"
	}
	return "reaperd"
}

// leavesByPolicy is "reaperd leaves it alone", where the policy used here is why.
func (v *view) leavesByPolicy() string {
	if v.ownRules() {
		return v.actor() + " leave it alone"
	}
	return v.actor() + " leaves it alone"
}

// butRoots adds, to what the policy used here does about a target, that root's daemon goes by another; empty where
// that is not so, as far as is known, or is told behind the sentence.
func (v *view) butRoots(t *graph.Target) string {
	if !v.ownRules() || v.decidesToo(t) != "" {
		return ""
	}
	return "; " + beside.RootsPolicy + ": " + literal("sudo reaperd explain "+handle(t))
}

// inOwnSweeps is [beside.OnlyInOwn] where an entry of protect keeps a target, or something that would end with it.
func (v *view) inOwnSweeps(verdict *policy.Verdict) string {
	isProtected := verdict.Protected != nil || len(verdict.Vetoes) > 0 && decidedByPolicy(verdict)
	if !isProtected || !v.ownRules() {
		return ""
	}
	return beside.OnlyInOwn
}

// decidedByPolicy reports that no guard keeps a target, whatever the policy says.
func decidedByPolicy(verdict *policy.Verdict) bool {
	return !slices.ContainsFunc(verdict.Vetoes, func(veto graph.Veto) bool { return veto.Guard != graph.GuardProtected })
}

// scannedByOwnRules says, below the first lines of a scan, that they are about this user's sweeps; nothing where they
// hold for all, say so already, or are about what is in use.
func (v *view) scannedByOwnRules() []string {
	byPolicy := v.shown.where(func(verdict *policy.Verdict) bool {
		shelf := shelfOf(verdict)
		return shelf == reaping || shelf == waiting || shelf == noted && decidedByPolicy(verdict) && verdict.Target.Finding != graph.FindingNone
	})
	isTold := v.onlyReports() && len(v.on(reaping)) > 0 // [view.untouched] says it
	if !v.ownRules() || v.in.Command != "scan" || v.halt() != "" || isTold || len(byPolicy) == 0 {
		return nil
	}
	return []string{"That is by your policy; " + beside.RootsPolicy + ": " + literal("sudo reaperd scan") + "."}
}
