package logline

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// sentences are the texts of the records that a daemon writes most, by their messages.
func sentences() map[string]func(*facts) string {
	return map[string]func(*facts) string{
		"reaperd runs": runs,
		"ended":        func(*facts) string { return "reaperd has ended" },
		"source":       source,
		"pending":      pending,
		"reaped":       func(f *facts) string { return acted(f, "was reaped") },
		"not reaped":   func(f *facts) string { return acted(f, "was not reaped") },
	}
}

// tell returns the text of a record.
func tell(message string, f *facts) string {
	text := ""
	if sentence, known := sentences()[message]; known {
		text = sentence(f)
	} else {
		text = message + with(": ", f.take("err", "error", "why", "reason"), "")
	}
	rest := with("(", f.rest(), ")")
	return joined(" ", text, rest)
}

// runs tells what a daemon goes by, when it sweeps, and where it listens and writes.
func runs(f *facts) string {
	text := joined(" ", "reaperd", f.take("version"), "runs") + with(" in mode ", f.take("mode"), "")
	text += with(" by the policy ", f.take("policy"), with(" (", f.take("rules"), " rules)")) + "."
	text += with(" It sweeps when a session ends and by the schedule ", f.take("schedule"), with(", next at ", f.soonest(), "")+".")
	text += with(" It listens on ", f.take("listen"), ".") + with(" Its journal is ", f.take("journal"), ".")
	f.drop("uid", "sha256", "state")
	return text
}

// soonest is the first of the next sweeps, without the date if that is the record's own.
func (f *facts) soonest() string {
	first, _, _ := strings.Cut(f.take("next"), ",")
	return strings.TrimPrefix(first, f.at.Format(time.DateOnly)+" ")
}

// source tells that a source of looks is there or not.
func source(f *facts) string {
	return f.take("name") + " is " + stateOf(f.take("status")) + with(": ", f.take("reason"), "")
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
	return thing(f) + " is " + f.take("finding") + with(": due at ", f.take("due"), "") + with(" by rule ", f.take("rule"), "")
}

// acted tells what came of an act, and why it was done.
func acted(f *facts, verb string) string {
	kind := f.take("kind")
	text := joined(" ", kind, thing(f), verb)
	text += with(" (", joined(", ", f.take("outcome"), f.take("detail"), with("", f.take("freed_bytes"), " freed")), ")")
	finding := joined(" ", f.take("finding"), with("since ", f.take("since"), ""), with("and left by ", f.take("owner"), ""))
	text += with(": ", joined(", ", finding, with("rule ", f.take("rule"), "")), "")
	f.drop("why")
	return text
}

// thing is the name of a target with the word for it on a command line.
func thing(f *facts) string {
	return joined(" ", f.take("name"), human.Handle(f.take("target")))
}
