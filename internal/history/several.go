package history

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// mostSeveral is how many acts on things of one name are listed, the last ones.
const mostSeveral = 10

// areSeveral reports acts on things that each have a word of their own: together they have
// only a name.
func areSeveral(acts []journal.Entry) bool {
	return slices.ContainsFunc(acts, func(entry journal.Entry) bool { return ThingOf(&entry).Handle() != ThingOf(&acts[0]).Handle() })
}

// toldBriefly has a line for each of several acts, and the command that tells all of one.
func (f *Fate) toldBriefly(acts []journal.Entry) []paragraph {
	var told []paragraph
	if more := len(acts) - mostSeveral; more > 0 {
		acts = acts[more:]
		told = append(told, paragraph{"", human.Number(more) + " more before these: reaperd history --name " + human.Shell(f.Subject)})
	}
	for _, entry := range acts {
		told = append(told, inBrief(entry, journal.Called(entry.Owner)))
	}
	last := ThingOf(&acts[len(acts)-1]).Handle()
	return append(told, paragraph{"", "What was seen of one of them: reaperd explain " + human.Shell(last)})
}

// inBrief is an act in one line: "fetch 22 of codex 12: exited (rule orphaned-servers)". An
// empty owner is not said.
func inBrief(entry journal.Entry, owner string) paragraph {
	a := Act{Entry: entry}
	text := human.Safe(Style{}.what(&a))
	if owner != "" {
		text += " of " + human.Safe(owner)
	}
	return paragraph{"  " + whenOf(entry), text + ": " + human.Safe(cmp.Or(entry.Result, "begun, and no outcome was written")) + " (rule " + human.Safe(done.By(entry.Rule, entry.ByHand)) + ")"}
}
