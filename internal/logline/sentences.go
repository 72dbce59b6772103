package logline

import (
	"cmp"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/human"
)

// sentences are the texts of the records that a daemon writes most, by their messages.
func sentences() map[string]func(*facts) string {
	return map[string]func(*facts) string{
		"reaperd runs":                                runs,
		"policy read again":                           readAgain,
		"first sweep by the changed policy":           changed,
		"policy refused; the one before holds":        refused("policy refused; the one before holds"),
		"policy refused, and there is none before it": refused("policy refused, and there is none before it"),
		"ended":           func(*facts) string { return "reaperd has ended" },
		"source":          source,
		"pending":         pending,
		"reaped":          func(f *facts) string { return acted(f, "was reaped") },
		"not reaped":      func(f *facts) string { return acted(f, "was not reaped") },
		"held back":       heldBack,
		"ended otherwise": func(f *facts) string { return ended(f, "has ended, not by this reaperd") },
		"no longer due":   noLongerDue,
		"paused":          paused,
		"resumed":         func(f *facts) string { return "resumed: " + actsAgain(f) },
		"pinned":          func(f *facts) string { return thing(f) + " is pinned" + lasts(f, "unpinned") },
		"unpinned":        func(f *facts) string { return thing(f) + " is unpinned" },
	}
}

// tell returns the text of a record. What is below it is then in f.
func tell(message string, f *facts) string {
	text := ""
	if sentence, known := sentences()[message]; known {
		text = sentence(f)
	} else {
		text = message + with(": ", f.take("err", "error", "why", "reason"), "")
	}
	hint, rest := f.take("hint"), with("(", f.rest(), ")")
	if hint != "" {
		f.below = append(f.below, "hint: "+hint)
	}
	return joined(" ", text, rest)
}

// actsAgain tells what a daemon does after a pause, by its mode.
func actsAgain(f *facts) string {
	if f.take("mode") == "report" {
		return "mode report acts on nothing all the same"
	}
	return "what is due is reaped again"
}

// paused tells that nothing is reaped, until when and why.
func paused(f *facts) string { return "paused" + lasts(f, "resumed") + ": nothing is reaped" }

// lasts tells how long a pause or a pin lasts, and why: " until it is resumed (a demo)".
func lasts(f *facts, ends string) string {
	f.drop("by_uid")
	return " until " + cmp.Or(f.take("until"), "it is "+ends) + with(" (", f.take("reason"), ")")
}

// runs tells what a daemon goes by, when it sweeps, and where it listens and writes.
func runs(f *facts) string {
	text := joined(" ", "reaperd", f.take("version"), "runs") + with(" in mode ", f.take("mode"), "")
	text += with(" by the policy ", f.take("policy"), with(" (", f.take("rules"), " rules)")) + "." + sweeps(f)
	text += with(" It listens on ", f.take("listen"), ".") + with(" Its journal is ", f.take("journal"), ".")
	f.drop("uid", "sha256", "state")
	return text
}

func sweeps(f *facts) string {
	return with(" It sweeps when a session ends and by the schedule ", f.take("schedule"), with(", next at ", f.soonest(), "")+".")
}

// readAgain tells that the policy was read again while a daemon runs.
func readAgain(f *facts) string {
	text := "policy read again: "
	if f.take("changed") == "true" {
		text += "it has changed; reaperd goes by "
	} else {
		text += "it is as before; reaperd goes by "
	}
	text += f.take("policy") + with(" (", f.take("rules"), " rules)") + with(" in mode ", f.take("mode"), "") + "."
	text += sweeps(f)
	f.drop("sha256")
	return text
}

// refused tells that a policy has faults, with one below the other.
func refused(text string) func(*facts) string {
	return func(f *facts) string {
		f.takeEach("faults")
		return text
	}
}

// changed tells what the first sweep by a changed policy found.
func changed(f *facts) string {
	return "by the changed policy " + f.take("due") + " due now, " + f.take("pending") + " pending"
}

// soonest is the first of the next sweeps.
func (f *facts) soonest() string {
	first, _, _ := strings.Cut(f.take("next"), ",")
	at, err := time.Parse(time.RFC3339, first)
	if err != nil {
		return ""
	}
	return f.moment(at)
}

// source tells that a source of looks is there or not.
func source(f *facts) string {
	name, state := f.take("name"), stateOf(f.take("status"))
	if name == "processes" {
		name = "the process table"
		state = strings.Replace(state, "read again", "read whole again", 1) // a part was read before, too
	}
	return name + " is " + state + with(": ", f.take("reason"), "")
}

// stateOf is the status of a source as an adjective.
func stateOf(status string) string {
	switch status {
	case "ok":
		return "read again"
	case "error":
		return "not readable"
	case "partial":
		return "read in part"
	}
	return status
}

// pending tells what waits, and until when.
func pending(f *facts) string {
	f.drop("why") // that the rule wants it to hold for some time
	found := f.take("finding")
	text := thing(f) + owned(f) + " " + finding.Is(found)
	return text + with(": due at ", f.take("due"), "") + with(" by rule ", f.take("rule"), "")
}

// heldBack tells that a target is due and nothing is done about it, and why.
func heldBack(f *facts) string {
	f.drop("finding")
	return thing(f) + owned(f) + " is due" + with(" by rule ", f.take("rule"), "") + with(", and stays: ", f.take("why"), "")
}

// ended tells that a target which was to go has gone without the daemon.
func ended(f *facts, how string) string {
	f.drop("rule")
	return thing(f) + owned(f) + " " + how
}

// noLongerDue tells why a target that was to go stays.
func noLongerDue(f *facts) string {
	f.drop("rule")
	return thing(f) + owned(f) + " is no longer due" + with(": ", f.take("why"), "")
}

// acted tells what came of an act, and why it was done.
func acted(f *facts, verb string) string {
	kind := f.take("kind")
	text := joined(" ", kind, thing(f)+owned(f), verb)
	text += with(" (", joined(", ", done.Result(f.take("outcome")).With(f.take("detail")), with("", f.take("freed_bytes"), " freed")), ")")
	why := finding.Since(f.take("finding"), f.take("since"))
	text += with(": ", joined(", ", why, with("rule ", f.take("rule"), "")), "")
	f.drop("why", "id") // the journal has both
	return text
}

// owned names the client whose a thing is, or that has left it.
func owned(f *facts) string {
	owner := joined(" ", f.take("owner"), f.take("owner_pid"))
	if f.take("owner_liveness") == "gone" {
		return with(", left by ", owner, ",")
	}
	return with(" of ", owner, "")
}

// thing is the name of a target with the word for it on a command line.
func thing(f *facts) string {
	name, id := f.take("name"), f.take("target")
	return joined(" ", name, cmp.Or(f.take("container"), human.Handle(id)))
}
