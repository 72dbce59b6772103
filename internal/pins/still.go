package pins

import (
	"os"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// Look looks at what runs, with the pins that hold then; nil if that cannot be seen.
type Look func() *Seen

// Seen is what a look has shown, and how it was judged.
type Seen struct {
	Graph    *graph.Graph
	Verdicts []policy.Verdict
}

// Keeping is all that keeps targets which have no pin of their own.
type Keeping struct {
	Why     string   // in a sentence: "gitlab 603 is pinned"
	Unpin   string   // the line of commands that ends that; empty if no pin does it
	By      string   // the other user who has pinned the target itself; empty if none has
	Box     string   // the container whose pin by this user keeps them; empty if another thing does
	Targets []string // ids
}

// StillKept returns what keeps the targets of ended pins all the same, such as the pin of their
// session, and the targets that the look does not show.
func (s *Seen) StillKept(ended []state.Pin) (kept []Keeping, unseen []string) {
	for i := range ended {
		id := ended[i].ID
		if _, shown := s.Graph.Target(id); !shown {
			unseen = append(unseen, id)
			continue
		}
		by := s.keeping(id)
		if by.Why == "" {
			continue
		}
		at := slices.IndexFunc(kept, func(k Keeping) bool { return k.Why == by.Why })
		if at < 0 {
			kept, at = append(kept, by), len(kept)
		}
		kept[at].Targets = append(kept[at].Targets, id)
	}
	return kept, unseen
}

// keeping is what keeps a target that something pinned or marked keeps, all of it; the zero value if the
// look shows no such thing.
func (s *Seen) keeping(target string) Keeping {
	for i := range s.Verdicts {
		if v := &s.Verdicts[i]; v.Target.ID == target {
			return together(v.Target, s.holds(v))
		}
	}
	return Keeping{}
}

// hold is one pin or mark that keeps a target.
type hold struct {
	veto  graph.Veto
	thing *graph.Target // what is pinned or marked; nil if that is the target itself, or is not shown
	ends  bool          // the thing would end with the target
}

// name is what people call the thing.
func (h hold) name() string { return human.Safe(redact.Name(h.thing.Name) + " " + h.thing.Handle()) }

// isPinOfAnother reports a person's pin of another thing.
func (h hold) isPinOfAnother() bool { return h.thing != nil && !h.veto.Marked }

// endsToo says, after the name of a thing that keeps a target, why it does.
const endsToo = ", which would end with it,"

// reason says in a sentence what keeps the target. The vetoes of the target name the thing; those of the
// thing itself do not.
func (h hold) reason() string {
	text := redact.Text(h.veto.Text)
	switch {
	case h.thing == nil || h.veto.For != "":
		return text
	case h.ends:
		return h.name() + endsToo + " is kept: " + text
	}
	return h.name() + " is kept: " + text
}

// holds are the pins and marks that keep a target: its own, those of what has it, and those of what would
// end with it. Each thing is there once.
func (s *Seen) holds(v *policy.Verdict) (holds []hold) {
	add := func(h hold) {
		isSame := func(other hold) bool {
			return h.thing == other.thing && (h.thing != nil || h.veto.Text == other.veto.Text)
		}
		if h.veto.Guard == graph.GuardPinned && !slices.ContainsFunc(holds, isSame) {
			holds = append(holds, h)
		}
	}
	for _, veto := range v.Target.Vetoes {
		thing, _ := s.Graph.Target(veto.For)
		add(hold{veto: veto, thing: thing})
	}
	for _, id := range v.Target.KeptFor {
		if thing, shown := s.Graph.Target(id); shown {
			add(hold{veto: ownPin(thing), thing: thing})
		}
	}
	for _, thing := range policy.EndsWith(s.Verdicts, v.Target) {
		add(hold{veto: ownPin(thing), thing: thing, ends: true})
	}
	for _, veto := range v.Vetoes {
		thing, _ := s.Graph.Target(veto.For)
		add(hold{veto: veto, thing: thing})
	}
	return holds
}

// ownPin is the pin or mark that a target has for its own sake; the zero value if it has none.
func ownPin(t *graph.Target) graph.Veto {
	at := slices.IndexFunc(t.Vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardPinned && veto.For == "" })
	if at < 0 {
		return graph.Veto{}
	}
	return t.Vetoes[at]
}

// together is what keeps a target by all of its holds.
func together(target *graph.Target, holds []hold) Keeping {
	var have, end, others []string
	for _, h := range holds {
		switch {
		case !h.isPinOfAnother():
			others = append(others, h.reason())
		case h.ends:
			end = append(end, h.name())
		default:
			have = append(have, h.name())
		}
	}
	reasons := append(append(arePinned(have, ""), arePinned(end, endsToo)...), others...)
	k := Keeping{Why: strings.Join(reasons, ", and "), Unpin: unpinAll(target, holds)}
	if len(holds) != 1 {
		return k
	}
	switch only := holds[0]; {
	case only.thing == nil:
		k.By = only.veto.By
	case only.isPinOfAnother() && only.thing.Container != nil && only.veto.By == "":
		k.Box = only.thing.Handle()
	}
	return k
}

// arePinned says that things are pinned, in one clause; none if there are none. why goes on after their names.
func arePinned(names []string, why string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{human.List(fewest(names)) + why + " " + human.Verb(len(names), "is", "are") + " pinned"}
}

// unpinAll is the line of commands that ends all holds of a target, one for each user who has pinned
// something; empty if no command ends one of them.
func unpinAll(target *graph.Target, holds []hold) string {
	var users []string
	words := map[string][]string{}
	for _, h := range holds {
		thing := target
		switch {
		case h.isPinOfAnother():
			thing = h.thing
		case h.veto.By == "" || h.veto.Marked:
			return ""
		}
		by := h.veto.By
		if !slices.Contains(users, by) {
			users = append(users, by)
		}
		words[by] = append(words[by], thing.Handle())
	}
	var commands []string
	for _, user := range users {
		commands = append(commands, graph.UnpinAs(user, strings.Join(words[user], " ")))
	}
	return strings.Join(commands, "; ")
}

// Sentence says that the targets stay, of some pins that have ended: "it stays: gitlab 603 is
// pinned".
func (k Keeping) Sentence(ended int) string {
	who := "it"
	if ended > 1 {
		who = human.Number(len(k.Targets)) + " of them"
	}
	return who + " " + human.Verb(len(k.Targets), "stays", "stay") + ": " + k.Why
}

// StillKeptNotes tell what keeps the targets of ended pins all the same, one line each. Those
// that only their pins kept, and that are not gone, are returned as others. Where root's daemon runs beside, it does
// not go by a user's pin of a container, nor of what is another user's.
func StillKeptNotes(ended []state.Pin, look Look, daemons beside.Daemons) (notes []string, others []state.Pin) {
	seen := look()
	if seen == nil || len(ended) == 0 {
		return nil, ended
	}
	kept, _ := seen.StillKept(ended)
	others = slices.Clone(ended)
	for _, by := range kept {
		isIts := func(p state.Pin) bool { return slices.Contains(by.Targets, p.ID) }
		others = slices.DeleteFunc(others, isIts)
		if roots, runs := daemons.Of(0); runs && by.Box != "" {
			notes = append(notes, "note: "+roots.IsKeptFrom("your pin of "+human.Safe(by.Box))+"; "+roots.IgnoresPin(by.Box))
			continue
		}
		note := "note: " + by.Sentence(len(ended))
		if by.Unpin != "" {
			note += "; " + by.Unpin + "   ends that"
		}
		notes = append(notes, note)
	}
	gone, others := endedGone(seen.Graph, others)
	strangers, others := endedStrangers(seen.Graph, others, daemons, os.Geteuid())
	unheeded, others := endedUnheeded(seen.Graph, others, daemons)
	return slices.Concat(notes, gone, strangers, unheeded), others
}

// notPinned is the error that some of the words which were asked for name nothing pinned. What
// another's pin keeps, such as that of its session, is told by that one.
func notPinned(missing, asked []string, look Look) error {
	unchanged := ""
	if len(asked) > len(missing) {
		unchanged = "; nothing is unpinned"
	}
	if seen := look(); seen != nil {
		for _, name := range missing {
			for _, t := range word.Targets(seen.Graph, name) {
				if by := seen.keeping(t.ID); by.Why != "" {
					return advice.Failed(by.ends(t), "%s %s %s%s", human.Safe(redact.Name(t.Name)), t.Handle(), by.instead(), unchanged)
				}
			}
		}
	}
	return advice.Failed(listsThem, "%s: not pinned%s", human.Safe(strings.Join(missing, ", ")), unchanged)
}

// instead says what keeps a target that the present user has not pinned.
func (k Keeping) instead() string {
	if k.By != "" {
		return "is pinned by " + human.Safe(k.By) + ", and not by this user; it stays"
	}
	return "has no pin of its own; it stays: " + k.Why
}

// listsThem is the advice to look at the pins.
const listsThem = "reaperd pins   lists them"

// ends is the advice that ends the keeping of a target, or tells more of it where no pin does it.
func (k Keeping) ends(t *graph.Target) string {
	if k.Unpin == "" {
		return "reaperd explain " + t.Handle() + "   says more"
	}
	return k.Unpin + "   ends that"
}
