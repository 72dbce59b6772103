package account

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/word"
)

// explainGone tells what the journal says of something that is not here: acts on it, and acts on what it
// had, if it was a session.
func (e *explainer) explainGone(entries []journal.Entry) {
	subject := e.out.Word
	gone, left := &Absent{Subject: subject, Journal: []journal.Entry{}}, []string(nil)
	e.out.Gone = gone
	for _, entry := range entries {
		switch {
		case thingOf(&entry).IsMeant(subject):
			gone.Journal = append(gone.Journal, entry)
		case isOwnedBy(&entry, subject):
			gone.Held = append(gone.Held, entry)
		}
	}
	for i := range e.account.Things {
		if t := &e.account.Things[i]; t.Owner.PID != 0 && t.Owner.isMeant(subject) {
			gone.Left, left = append(gone.Left, *t), append(left, t.ID)
		}
	}
	gone.Touched = len(gone.Journal)+len(gone.Held) > 0
	own, held := recorded(gone.Journal), recorded(gone.Held)
	switch unread := word.Unread(e.Graph.Snapshot, subject); {
	case len(own) > 0:
		last := &own[len(own)-1]
		e.out.Answer = Words(called(last.Name, thingOf(&last.Entry).Handle())).say(" is not here: ").Then(ending(last)...).say(".")
	case len(gone.Held) > 0:
		e.out.Answer = Words(human.Safe(journal.Called(gone.Held[0].Owner)) + " is not here any more.")
	case len(gone.Left) > 0:
		owner := gone.Left[0].Owner
		e.out.Answer = Words(called(owner.Name, pidText(owner.PID)) + " is not here any more.")
	case unread != "":
		e.out.Answer = Words(human.Safe(subject) + " is nowhere to be seen, and not everything could be looked at: " + unread + ".")
	default:
		e.out.Answer = Words(human.Safe(subject) + " is not here, and reaperd never touched it.")
		if near := word.NearestHint("reaperd explain", subject, e.Graph, names(entries)); near != "" {
			e.out.Commands = []Command{{"maybe", near}}
		}
	}
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
}

// isOwnedBy reports an entry about what a session had that a word means.
func isOwnedBy(entry *journal.Entry, subject string) bool {
	name, id := journal.Named(entry.Owner)
	return name != "" && policy.MatchesName(subject, name) || id != "" && (word.Thing{ID: id}).Is(subject)
}

func names(entries []journal.Entry) (all []string) {
	for _, entry := range entries {
		if !slices.Contains(all, entry.Name) {
			all = append(all, entry.Name)
		}
	}
	return all
}

// ending is what became of something by an act: "you stopped it at 01:08".
func ending(act *RecordedAct) Text {
	who := cmp.Or(map[bool]string{true: "you"}[act.ByHand != ""], "reaperd")
	switch result := done.Result(act.Result); {
	case act.Unfinished:
		return Text{words(who + " began to stop it at "), clock(act.At()), words(", and no outcome was written")}
	case result == done.AlreadyGone:
		return Text{words("it had ended before " + who + " came to it at "), clock(act.At())}
	case !result.Reaped():
		return Text{words(who + " left it at "), clock(act.At()), words(" (" + result.With(act.Detail) + ")")}
	}
	return Text{words(who + " stopped it at "), clock(act.At())}
}

// recordedAct tells one act: when, by which rule, what came of it, and the evidence for it.
func (e *explainer) recordedAct(act *RecordedAct) {
	outcome := cmp.Or(done.Result(act.Result).With(act.Detail), "no outcome")
	e.part()
	e.say("act", Text{clock(act.At()), words(", rule " + act.Rule + ": " + outcome + size(", ", act.FreedBytes))})
	e.say("whose", Words(journal.Called(act.Owner)))
	e.say("what", command(act.argv(), "").And(" ", Words("")))
	for _, line := range act.Evidence {
		e.out.Facts = append(e.out.Facts, Fact{About: line.Check, Text: Words(line.Text), SpeaksFor: spokeFor(line)})
	}
}

func (r *RecordedAct) argv() []string {
	if len(r.Tree) == 0 {
		return nil
	}
	return r.Tree[0].Argv
}

func spokeFor(e journal.Evidence) string {
	switch {
	case e.Says == "" || e.Says == "silent":
		return "–"
	case e.Proof:
		return e.Says + ", proof"
	}
	return e.Says
}
