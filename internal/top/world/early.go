package world

import (
	"fmt"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/internal/word"
)

// early says what a person can do about a target that is pending for longer than within;
// nil if it is not.
func (w *World) early(sight *oneshot.Sight, effect top.Effect, within time.Duration) []string {
	looked := sight.View.Graph.Snapshot.TakenAt
	v := w.verdict(sight, effect)
	if v == nil || v.Decision != policy.Pending || v.Needs <= 0 || v.DueAt.Sub(looked) <= within {
		return nil
	}
	return w.wrapped(w.ways(v, w.title(v.Target.ID), looked, time.Now(), sight.Report("sweep").Due[v.Target.ID]))
}

// ways are the ways to stop a pending target. daemon is when the daemon stops it, as of now; zero if
// it will not.
func (w *World) ways(v *policy.Verdict, title string, looked, now, daemon time.Time) []string {
	handle := word.Of(v.Target).Handle()
	lines := []string{fmt.Sprintf("%s stays for now: rule %s (%s) wants %s of proof, and what this top has seen is less.",
		title, v.Rule, v.RuleOrigin, human.Span(v.Needs))}
	if !daemon.IsZero() {
		lines = append(lines, "The daemon stops it in "+human.Span(daemon.Sub(now))+".")
	}
	lines = append(lines, "")
	if daemon.IsZero() || daemon.Sub(v.DueAt) >= muchSooner {
		lines = append(lines, "In "+human.Span(v.DueAt.Sub(looked))+" x asks. So does, with the same plan and guards:",
			"  "+w.typedAgain(handle, settleFor(v, looked)))
	}
	return append(lines, "Now: give that rule a shorter \"for\" in the policy, then x asks.")
}

// muchSooner is how much earlier than the daemon a sweep has to be to be worth naming.
const muchSooner = 10 * time.Second

// settleFor is the time that a sweep has to look for until a target is proven. A sweep
// knows the age of a target, but not for how long others have seen its finding.
func settleFor(v *policy.Verdict, looked time.Time) time.Duration {
	if v.Held <= v.Target.Held {
		return v.Needs
	}
	return (v.DueAt.Sub(looked) + time.Second - 1).Truncate(time.Second)
}

// typedAgain is the sweep of one target that goes by the same policy as this top. A sweep reads
// the environment by itself.
func (w *World) typedAgain(handle string, settle time.Duration) string {
	look := asked.Look{Mode: string(w.Mode), Policies: w.Policies, Settle: human.Exact(settle), Names: []string{handle}}
	if look.Mode == os.Getenv("REAPERD_MODE") {
		look.Mode = ""
	}
	if look.Policies == os.Getenv("REAPERD_POLICIES") {
		look.Policies = ""
	}
	return look.Sweep()
}

// wrapped breaks lines at the width of the terminal.
func (w *World) wrapped(lines []string) []string {
	var all []string
	for _, line := range lines {
		if line == "" || line[0] == ' ' { // a command is not broken
			all = append(all, line)
			continue
		}
		all = append(all, report.Wrap(line, w.Width())...)
	}
	return all
}
