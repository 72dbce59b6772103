package pins

import (
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

// Keeping is something that keeps targets which have no pin of their own.
type Keeping struct {
	Why     string   // in a sentence: "gitlab 603 is pinned"
	Unpin   string   // the command that ends that; empty if no pin does it
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

// keeping is what keeps a target that something pinned or marked keeps; the zero value if the
// look shows no such thing.
func (s *Seen) keeping(target string) Keeping {
	for i := range s.Verdicts {
		v := &s.Verdicts[i]
		if v.Target.ID != target {
			continue
		}
		vetoes := append(slices.Clone(v.Target.Vetoes), v.Vetoes...)
		if at := slices.IndexFunc(vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardPinned }); at >= 0 {
			return s.of(v.Target, vetoes[at])
		}
	}
	return Keeping{}
}

// of is what keeps a target by a veto.
func (s *Seen) of(target *graph.Target, veto graph.Veto) Keeping {
	keeper, shown := s.Graph.Target(veto.For)
	switch {
	case veto.By != "" && veto.For == "":
		return Keeping{Why: redact.Text(veto.Text), Unpin: veto.Unpin(target.Handle()), By: veto.By}
	case !shown, veto.Marked:
		return Keeping{Why: redact.Text(veto.Text)}
	}
	by := Keeping{Why: human.Safe(redact.Name(keeper.Name)+" "+keeper.Handle()) + " is pinned", Unpin: veto.Unpin(keeper.Handle())}
	if keeper.Container != nil && veto.By == "" {
		by.Box = keeper.Handle()
	}
	return by
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
// that only their pins kept are returned as others. Where root's daemon runs beside, it does not go by a
// user's pin of a container.
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
	return notes, others
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
