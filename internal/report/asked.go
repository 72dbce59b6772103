package report

import (
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// usualSettle is the time between the two looks of a sweep that is told no other.
const usualSettle = 10 * time.Second

// order is the sweep that acts on what is shown: the one that was asked for, or, of a scan, one
// of the same things by the same policy. It asks before it acts. In mode report it needs --mode
// enforce.
func (v *view) order() asked.Look {
	order := v.in.Asked
	order.Output, order.Yes, order.DryRun = "", false, false
	if names := v.options.Names; len(order.Names) == 0 || v.in.Command == "scan" && len(names) > 0 {
		order.Names = names
	}
	order.Names = v.byHeads(order.Names)
	if v.in.Policy.Mode == policy.ModeReport {
		order.Mode = string(policy.ModeEnforce)
	}
	if v.in.Command == "scan" && v.in.Settle <= usualSettle { // a sweep looks for longer by itself
		order.Settle = ""
	}
	return order
}

// now is the order that does not wait for a rule's time.
func now(order asked.Look) string {
	order.Now = true
	return order.Sweep()
}

// settling is the order that looks for long enough to prove something.
func settling(order asked.Look, settle time.Duration) string {
	order.Settle = human.Exact(settle)
	return order.Sweep()
}

// sweep is the command that acts, without names.
func (v *view) sweep() string {
	order := v.order()
	return asked.Look{Policies: order.Policies, Mode: order.Mode}.Sweep()
}

// stopsIdle is the sweep that stops an idle session this once: it looks for as long as was asked of
// the look that saw it idle.
func (v *view) stopsIdle(session *graph.Target) string {
	order := v.order()
	return asked.Look{
		Policies: order.Policies, Mode: order.Mode, Settle: order.Settle, IdleOver: human.Coarse(session.Idle.Or(0)), Names: []string{handle(session)},
	}.Sweep()
}

// scan is the command that reports the same things.
func (v *view) scan() asked.Look {
	return asked.Look{Policies: v.in.Asked.Policies, Names: v.order().Names}
}
