package history

import (
	"cmp"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/word"
)

// ownerOf returns the owner that an entry names, for comparison with what a person
// typed. If the entry names none, the result is empty and matches nothing.
func ownerOf(entry *journal.Entry) word.Thing {
	name, id := journal.Named(entry.Owner)
	return word.Thing{Name: name, ID: id}
}

// holdToo adds the acts on what a gateway had, or what went with it, to those on the gateway, or on that of a
// session: the gateway was its owner. A gateway may have had another.
func (f *Fate) holdToo(source *journal.History) error {
	known := map[string]bool{}
	for {
		gateways := map[string]bool{}
		for _, held := range slices.Concat(f.Entries, f.Held) {
			if held.Kind == string(graph.KindGateway) && !known[held.TargetID] {
				gateways[held.TargetID], known[held.TargetID] = true, true
			}
		}
		if len(gateways) == 0 {
			break
		}
		if err := f.holdOf(source, gateways); err != nil {
			return err
		}
	}
	slices.SortStableFunc(f.Held, func(a, b journal.Entry) int { return a.Time.Compare(b.Time) })
	return nil
}

// HoldLeft adds the acts on what gateways had that a session left and that still run: no act on these names the session.
func (f *Fate) HoldLeft() error {
	gateways := map[string]bool{}
	for _, left := range f.Left {
		if string(left.Kind) == string(graph.KindGateway) {
			gateways[left.ID] = true
		}
	}
	if len(gateways) == 0 {
		return nil
	}
	source := journal.History{Path: f.from}
	if err := f.holdOf(&source, gateways); err != nil {
		return err
	}
	return f.holdToo(&source)
}

// holdOf adds the acts on what some gateways had.
func (f *Fate) holdOf(source *journal.History, gateways map[string]bool) error {
	isHeld := func(entry *journal.Entry) bool {
		return slices.ContainsFunc(f.Held, func(held journal.Entry) bool { return held.ID == entry.ID })
	}
	for entry, err := range source.Read(journal.Filter{}) {
		if err != nil {
			return err
		}
		_, head := journal.Named(entry.With)
		isTheirs := gateways[ownerOf(&entry).ID] || gateways[head]
		if isTheirs && entry.Phase == journal.PhaseOutcome && !ownerOf(&entry).IsMeant(f.Subject) && !ThingOf(&entry).IsMeant(f.Subject) && !isHeld(&entry) {
			f.Held = append(f.Held, entry)
		}
	}
	return nil
}

// Acted are the ids of what reaperd has acted on, or has begun to, each with the id of its session:
// "" if it is none's.
func (f *Fate) Acted() map[string]string {
	acted := map[string]string{}
	for _, entry := range slices.Concat(f.Entries, f.begun, f.Held) {
		session := ownerOf(&entry).ID
		for _, part := range entry.Parts() { // a look meanwhile may have shown what was left of it
			acted[part] = session
		}
		acted[entry.TargetID] = session
	}
	return acted
}

// mostHeld is how many acts on what sessions had are listed, the last ones.
const mostHeld = 10

// toldOfHeld explains sessions which are gone, each by the acts of reaperd on its servers and
// containers.
func (f *Fate) toldOfHeld() (told []paragraph) {
	acts := f.Held
	if more := len(acts) - mostHeld; more > 0 {
		acts = acts[more:]
		told = append(told, paragraph{"", human.Number(more) + " more before these: reaperd history"})
	}
	var owners []string
	byOwner := map[string][]paragraph{}
	for _, act := range acts {
		owner := act.Owner
		if _, head := journal.Named(act.With); slices.ContainsFunc(f.Entries, func(e journal.Entry) bool { return e.TargetID == head }) {
			owner = act.With // the gateway that was asked for
		}
		if byOwner[owner] == nil {
			owners = append(owners, owner)
		}
		byOwner[owner] = append(byOwner[owner], inBrief(act, ""))
	}
	slices.SortStableFunc(owners, func(a, b string) int { return cmp.Compare(f.rank(a), f.rank(b)) })
	for _, owner := range owners {
		name := human.Safe(journal.Called(owner))
		head := name + " is not running here. What reaperd did to what it had:"
		if f.Ended != "" || len(f.Entries) > 0 { // which tell its end
			head = "What reaperd did to what " + name + " had:"
		}
		told = append(append(told, paragraph{"", head}), byOwner[owner]...)
	}
	return told
}

// rank puts the owner that was asked for before the gateways that it had.
func (f *Fate) rank(owner string) int {
	if name, id := journal.Named(owner); (word.Thing{Name: name, ID: id}).IsMeant(f.Subject) {
		return 0
	}
	return 1
}
