package page

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// alarm is a fault that a reader must see first: a sentence without its full stop, maybe with a
// command in it, and lines below it.
type alarm struct {
	Text, Command, Then string
	Lines               []string
}

func alarms(in Input, c clock) []alarm {
	t := &in.Tree
	var said []alarm
	switch refused := refusedAlarm(in, c); {
	case refused.Text != "":
		said = append(said, refused)
	case in.Status.NotReady != "" && t.Unfit == "": // else it is among the tree's faults
		said = append(said, alarm{Text: "Not ready: " + in.Status.NotReady})
	}
	if t.Pause.On {
		said = append(said, pauseAlarm(t, c))
	}
	if t.Mode != policy.ModeEnforce && !t.At.IsZero() { // before the first look there may be no policy
		said = append(said, modeAlarm(in, c))
	}
	for _, gap := range t.Gaps() {
		said = append(said, alarm{Text: "Not all was seen: " + sourceText(gap)})
	}
	others := in.Tree
	others.Refused = nil // that has an alarm with its lines
	for _, fault := range others.Faults(c.moment, "") {
		said = append(said, alarm{Text: fault.String()})
	}
	return said
}

func pauseAlarm(t *overview.Tree, c clock) alarm {
	p := t.Pause
	reason := ""
	if p.Reason != "" {
		reason = " (" + human.Line(p.Reason) + ")"
	}
	if p.Until.IsZero() {
		return alarm{Text: "Paused" + reason + ": " + t.NothingMore() + " is stopped until ", Command: "reaperd resume"}
	}
	return alarm{Text: "Paused: " + t.NothingMore() + " is stopped until " + c.moment(p.Until) + reason + "; ", Command: "reaperd resume", Then: " ends it"}
}

// modeAlarm tells what has set mode report, and what has the daemon act.
func modeAlarm(in Input, c clock) alarm {
	const nothing = ": nothing is stopped, whatever the rules say. "
	a := alarm{}
	switch from := in.Status.ModeFrom; {
	case from != "":
		a.Text = "Mode is report, by " + from + nothing + "Started without that, the daemon goes by its policy"
	default:
		a.Text = "Mode is report, by " + policyText(in.Status, c) + nothing + "With mode: enforce there the daemon acts"
	}
	if !in.Tree.Pause.On && len(in.Tree.Refused) == 0 { // else a sweep is refused too
		a.Text, a.Command, a.Then = a.Text+"; ", "reaperd sweep --mode enforce", " stops what is due, this one time"
	}
	return a
}

func policyText(s Status, c clock) string {
	if s.Policy == "" {
		return "the policy"
	}
	return "the policy " + c.home.Short(s.Policy, "")
}

// mostFaults is how many faults of a policy are shown.
const mostFaults = 5

// refusedAlarm tells that the policy file is refused, and why; the zero value if it is not.
func refusedAlarm(in Input, c clock) alarm {
	faults, file := in.Status.Faults, in.Status.RefusedFile
	if len(faults) == 0 {
		return alarm{}
	}
	a := alarm{Text: "The policy file is refused, and the one before it holds; ", Command: policy.CheckCommand(file), Then: " says when it is mended:"}
	if len(in.Tree.Refused) == 0 { // none holds
		a.Text, a.Then = "Not ready: "+in.Status.NotReady+"; ", " says when:"
	}
	for _, fault := range faults[:min(len(faults), mostFaults)] {
		a.Lines = append(a.Lines, faultText(fault, file, c.home))
	}
	if more := len(faults) - mostFaults; more > 0 {
		a.Lines = append(a.Lines, human.Number(more)+" more")
	}
	return a
}

// faultText writes a fault without the path of the file, which stands above it: "line 3: unknown key".
func faultText(fault, file string, home human.Home) string {
	if rest, found := strings.CutPrefix(fault, file+":"); found && file != "" {
		return "line " + rest
	}
	return home.Short(fault, "")
}
