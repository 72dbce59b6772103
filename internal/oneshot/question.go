package oneshot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/word"
)

// Question is the question before a plan is carried out, short enough for one line.
func Question(plan policy.Plan) string {
	if len(plan.Acts) == 1 {
		verb := "Stop "
		if plan.Acts[0].Verb == policy.ActionRemove {
			verb = "Remove "
		}
		return verb + calledIn(plan.Acts[0]) + "?"
	}
	return fmt.Sprintf("Stop these %d?", len(plan.Acts))
}

// mostNamed is how many things of one kind a question names.
const mostNamed = 3

// FullQuestion is the question with the sessions of the plan, each with what ends with
// it: "Stop these 3: codex 47 with fetch 48 and memory 50?"
func FullQuestion(plan policy.Plan) string {
	var sessions []string
	others := 0
	for _, act := range plan.Acts {
		switch {
		case act.Kind == graph.KindSession:
			sessions = append(sessions, sessionText(plan, act))
		case sessionOf(plan, act) == "":
			others++
		}
	}
	if len(sessions) == 0 || len(plan.Acts) == 1 {
		return Question(plan)
	}
	text := strings.Join(sessions[:min(len(sessions), mostNamed)], "; ")
	if more := len(sessions) - mostNamed; more > 0 {
		text += "; " + human.Number(more) + " more " + human.Plural(more, "session") + " with what " + human.Verb(more, "it holds", "they hold")
	}
	if others > 0 {
		text += "; and " + human.Number(others) + " that no session here holds"
	}
	return strings.TrimSuffix(Question(plan), "?") + ": " + text + "?"
}

// fewest are the first few names of a list that is long, and how many more it has.
func fewest(names []string) []string {
	if more := len(names) - mostNamed; more > 1 {
		return append(names[:mostNamed:mostNamed], human.Number(more)+" more")
	}
	return names
}

func sessionText(plan policy.Plan, session policy.Act) string {
	var held []string
	for _, act := range plan.Acts {
		if act.Kind != graph.KindSession && sessionOf(plan, act) == session.TargetID {
			held = append(held, calledIn(act))
		}
	}
	if len(held) == 0 {
		return calledIn(session)
	}
	return calledIn(session) + " with " + human.List(fewest(held))
}

// sessionOf is the id of the session that an act's target ends with; empty if it ends for
// another reason.
func sessionOf(plan policy.Plan, act policy.Act) string {
	for range plan.Acts { // no chain is longer than the plan
		i := slices.IndexFunc(plan.Acts, func(head policy.Act) bool { return act.With != "" && head.TargetID == act.With })
		if i < 0 {
			return ""
		}
		if act = plan.Acts[i]; act.Kind == graph.KindSession {
			return act.TargetID
		}
	}
	return ""
}

func calledIn(act policy.Act) string {
	return human.Safe(redact.Name(act.Name)) + " " + word.OfAct(&act).Handle()
}

// calledTarget is the name of a target, and the word by which a person names it.
func calledTarget(t *graph.Target) string {
	return human.Safe(redact.Name(t.Name)) + " " + word.Of(t).Handle()
}
