package account

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
)

// gone tells what the journal says of something that is not here: acts on it, and acts on what it had, if it was a
// session.
func (e *explainer) gone(entries []journal.Entry) {
	subject := e.out.Word
	gone, left, names := &Absent{Subject: subject, Journal: []journal.Entry{}}, []string(nil), []string(nil)
	e.out.Gone = gone
	for _, entry := range entries {
		switch itself, had := Concerns(&entry, subject); {
		case itself:
			gone.Journal = append(gone.Journal, entry)
		case had:
			gone.Held = append(gone.Held, entry)
		}
		if !slices.Contains(names, entry.Name) {
			names = append(names, entry.Name)
		}
	}
	for i := range e.account.Things {
		if t := &e.account.Things[i]; t.Owner.PID != 0 && t.Owner.isMeant(subject) {
			gone.Left, left = append(gone.Left, *t), append(left, t.ID)
		}
	}
	for _, also := range e.account.AlsoLeft {
		if also.Session.isMeant(subject) {
			gone.AlsoLeft = append(gone.AlsoLeft, also)
		}
	}
	gone.Touched = len(gone.Journal)+len(gone.Held) > 0
	own, held := recorded(gone.Journal), recorded(gone.Held)
	gone.Held = nil
	for i := range held {
		gone.Held = append(gone.Held, held[i].Entry)
	}
	e.out.Answer = e.absence(own, names)
	for i := len(own) - 1; i >= 0; i-- {
		e.recordedAct(&own[i])
	}
	for _, group := range grouped(held) {
		line := group.line("")
		e.say("history", Text{clock(line.At), words("  " + line.Text)})
	}
	if len(left) > 0 {
		e.say("left", Words(e.handles(left)))
		e.out.Commands = append(e.out.Commands, Command{"see", "reaperd scan " + human.Shell(subject)})
	}
	for _, also := range gone.AlsoLeft {
		e.say("also left", Words(few(also.Names)))
	}
}

// Concerns reports that an entry of the journal is about what a word means, or about what that had.
func Concerns(entry *journal.Entry, word string) (itself, had bool) {
	name, id := journal.Named(entry.Owner)
	return thingOf(entry).IsMeant(word), name != "" && policy.MatchesName(word, name) || id != "" && (Subject{ID: id}).Is(word)
}

// absence says that something is not here, and what became of it.
func (e *explainer) absence(own []RecordedAct, names []string) Text {
	subject, gone := human.Safe(e.out.Word), e.out.Gone
	switch unread := UnreadOf(e.Graph.Snapshot, subject); {
	case len(own) > 0:
		last := &own[len(own)-1]
		return Words(last.Called() + " is not here: ").Then(last.ending()...).say(".")
	case len(gone.Held) > 0:
		return Words(human.Safe(journal.Called(gone.Held[0].Owner)) + " is not here any more.")
	case len(gone.Left) > 0:
		return Words(gone.Left[0].Owner.String() + " is not here any more.")
	case len(gone.AlsoLeft) > 0:
		return Words(gone.AlsoLeft[0].Session.String() + " is not here any more.")
	case unread != "":
		return Words(subject + " is nowhere to be seen, and not everything could be looked at: " + unread + ".")
	}
	if near := nearHint("reaperd explain", subject, append(namesIn(e.Graph), names...)); near != "" {
		e.out.Commands = []Command{{"maybe", near}}
	}
	return Words(subject + " is not here, and reaperd never touched it.")
}

// ending is what became of something by an act: "you stopped it at 01:08".
func (r *RecordedAct) ending() Text {
	who := "reaperd"
	if r.ByHand != "" {
		who = "you"
	}
	switch result := human.Result(r.Result); {
	case r.Unfinished:
		return Text{words(who + " began to stop it at "), clock(r.At()), words(", and no outcome was written")}
	case result == human.AlreadyGone:
		return Text{words("it had ended before " + who + " came to it at "), clock(r.At())}
	case !result.Reaped():
		return Text{words(who + " left it at "), clock(r.At()), words(" (" + result.With(r.Detail) + ")")}
	}
	return Text{words(who + " stopped it at "), clock(r.At())}
}

// recordedAct tells one act: when, by which rule, what came of it, and the evidence for it.
func (e *explainer) recordedAct(act *RecordedAct) {
	e.part()
	e.say("act", Text{clock(act.At()), words(", rule " + act.Rule + ": " + cmp.Or(human.Result(act.Result).With(act.Detail), "no outcome") + size(", ", act.FreedBytes))})
	e.say("whose", Words(journal.Called(act.Owner)))
	if len(act.Tree) > 0 {
		e.say("what", command(act.Tree[0].Argv, ""))
	}
	for _, line := range act.Evidence {
		e.evidence(line.Check, line.Text, line.Says, line.Proof)
	}
}
