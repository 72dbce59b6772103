package report

import (
	"io"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// Plan writes what a sweep is about to do, containers first. The sweep asks afterwards.
func Plan(w io.Writer, in Input, options Options) error {
	in.Outcomes = nil
	voice := aboutTo()
	if in.DryRun {
		voice = would()
	}
	v := newView(in, options, voice)
	s := newScreen(options)
	v.headline(s)
	v.deeds(s)
	v.pending(s)
	if len(v.on(reaping))+len(v.on(waiting)) == 0 {
		v.notTouched(s)
	}
	v.keptSessions(s)
	if kept := v.keptText(); kept != "" && len(v.on(reaping))+len(v.on(waiting)) > 0 {
		s.gap()
		s.wrap("", kept)
	}
	v.staying(s)
	v.hiddenRows(s)
	switch reap := v.on(reaping); {
	case len(reap) == 0:
		v.hints(s, v.otherSweeps())
	case in.DryRun && !in.Replay:
		v.hints(s, v.stopping(reap, nil))
	}
	v.footer(s)
	return s.flush(w)
}

// staying names what stays of the things that a plan ends.
func (v *view) staying(s *screen) {
	leaving := v.on(reaping).where(func(verdict *policy.Verdict) bool { return len(verdict.Target.Left) > 0 })
	for i, verdict := range leaving {
		if i == 0 {
			s.gap()
		}
		if i == namedCopies {
			s.wrap("", human.Number(len(leaving)-i)+" more leave something behind; reaperd explain names it.")
			return
		}
		s.wrap("", called(verdict.Target)+": "+verdict.Target.LeftOpen()+".")
	}
}

// keptText counts what a sweep leaves alone: "Left alone: 1 in use, 2 unclear, 1 pinned." What
// a pin keeps, its own or that of another, counts as pinned, whatever else it is; what a label or a
// variable keeps does not, nor what is up to root's daemon all the same.
func (v *view) keptText() string {
	kept, pinned, marked := *v, 0, 0
	kept.shown = v.shown.where(func(verdict *policy.Verdict) bool {
		stays := verdict.Decision != policy.Reap && verdict.Decision != policy.Pending && v.along[verdict.Target.ID] == "" && verdict.EndsWith == ""
		if stays && isIdle(verdict.Target) && len(verdict.Vetoes) > 0 { // keptSessions names it
			return false
		}
		switch {
		case !stays:
		case v.stateWord(verdict) == upToRootsDaemon:
		case howKept(verdict.Target) == "pinned", slices.ContainsFunc(verdict.Vetoes, isUnmarkedPin):
			pinned++
			return false
		case slices.ContainsFunc(verdict.Vetoes, isPin):
			marked++
			return false
		}
		return stays
	})
	var parts []string
	for _, state := range kept.states() {
		parts = append(parts, human.Number(state.n)+" "+state.word)
	}
	if pinned > 0 {
		parts = append(parts, human.Number(pinned)+" pinned")
	}
	if marked > 0 {
		parts = append(parts, human.Number(marked)+" kept by a label or REAPERD_KEEP")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left alone: " + strings.Join(parts, ", ") + "."
}

// Outcomes writes the results of a sweep's acts: failures first, then what was reaped. The sources, the policy and the
// notes stand below the plan, which was shown before; they are told again where not all could be seen or done.
func Outcomes(w io.Writer, in Input, options Options) error {
	v := newView(in, options, afterwards())
	s := newScreen(options)
	if !v.acted() {
		s.wrap("", "Stopped nothing.")
		v.footerAfterPlan(s)
		return s.flush(w)
	}
	if failures := v.failures(); failures != "" {
		s.wrap("", failures)
	}
	s.wrap("", v.actedText())
	v.deeds(s)
	v.hints(s, v.nextCommands())
	v.footerAfterPlan(s)
	return s.flush(w)
}

func (v *view) footerAfterPlan(s *screen) {
	if !v.in.Complete() {
		v.footer(s)
	}
}
