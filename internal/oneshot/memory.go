package oneshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/word"
)

// tree is what this user's daemon knows of the host. It is empty if no daemon answers in
// time.
func (s *Sight) tree(ctx context.Context) *overview.Tree {
	ctx, cancel := context.WithTimeout(ctx, recallWithin)
	defer cancel()
	tree, err := serve.Tree(ctx, s.state.Socket())
	if err != nil {
		return &overview.Tree{}
	}
	return &tree
}

// shown are verdicts of the sight as reports show them.
func (s *Sight) shown(verdicts []policy.Verdict) []policy.Verdict {
	if s.host == nil {
		return verdicts
	}
	return attributed(verdicts, s.tree(context.Background()))
}

// attributed are verdicts for a report, with the sessions that left their targets, where
// only the daemon has seen these. The targets are copies: nothing is judged by them.
func attributed(verdicts []policy.Verdict, tree *overview.Tree) []policy.Verdict {
	leavers := leaversIn(tree)
	verdicts = slices.Clone(verdicts)
	for i := range verdicts {
		t := verdicts[i].Target
		leaver, known := leavers[t.ID]
		if !known || t.Owner.Name != "" || t.Finding != graph.FindingOrphaned && t.Finding != graph.FindingExited {
			continue
		}
		copied := *t
		copied.Owner, verdicts[i].Target = leaver, &copied
	}
	return verdicts
}

// leaversIn are the sessions that have ended, by the targets that they left.
func leaversIn(tree *overview.Tree) map[string]graph.Owner {
	leavers := map[string]graph.Owner{}
	for _, gone := range goneIn(tree) {
		o := gone.Owner
		owner := graph.Owner{Name: gone.Name, Kind: o.Kind, ID: idOf(gone), Liveness: graph.LivenessGone, Since: o.Since}
		for _, child := range gone.Children {
			if child.Target != "" {
				leavers[child.Target] = owner
			}
		}
	}
	return leavers
}

// goneIn are the sessions of a tree that have ended and whose name is known.
func goneIn(tree *overview.Tree) []*overview.Node {
	leaked := tree.Branch(overview.BranchLeaked)
	if leaked == nil {
		return nil
	}
	var gone []*overview.Node
	for i := range leaked.Nodes {
		if n := &leaked.Nodes[i]; n.Kind == overview.KindGone && n.Name != "" && len(n.Children) > 0 {
			gone = append(gone, n)
		}
	}
	return gone
}

// idOf is the identity of a session that has ended; zero if it was never seen.
func idOf(gone *overview.Node) inventory.ID {
	id, err := inventory.ParseID(strings.TrimPrefix(gone.Key, string(overview.KindGone)+":"))
	if err != nil {
		return inventory.ID{}
	}
	return id
}

// Ended says of a session that has ended when it did and what it left behind: "claude-code
// 12 ended 10:06:45, left 2 servers: 22, 31". It is empty if the daemon knows no such
// session, or none that left anything.
func (s *Sight) Ended(ctx context.Context, subject string) string {
	if s.host == nil {
		return ""
	}
	return endedIn(s.tree(ctx), subject)
}

// EndedNotes are notes of [Sight.Ended] on each of some words, one line each.
func (s *Sight) EndedNotes(ctx context.Context, words []string) []string {
	if s.host == nil {
		return nil
	}
	return endedNotes(s.tree(ctx), words)
}

func endedNotes(tree *overview.Tree, words []string) []string {
	var notes []string
	for _, word := range words {
		for line := range strings.Lines(endedIn(tree, word)) {
			if note := "note: " + strings.TrimSuffix(line, "\n"); !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

func endedIn(tree *overview.Tree, subject string) string {
	var lines []string
	for _, gone := range goneIn(tree) {
		thing := word.Thing{Name: gone.Name}
		if id := idOf(gone); !id.IsZero() {
			thing.ID = id.String()
		}
		if thing.IsMeant(subject) {
			lines = append(lines, endedText(gone))
		}
	}
	return strings.Join(lines, "\n")
}

func endedText(n *overview.Node) string {
	text := human.Safe(n.Name)
	if n.PID != 0 {
		text += fmt.Sprintf(" %d", n.PID)
	}
	text += " ended"
	if !n.Owner.Since.IsZero() {
		text += " " + human.Moment(n.Owner.Since.Local())
	}
	var handles []string
	noun := n.Children[0].Kind
	for i := range n.Children {
		child := &n.Children[i]
		handles = append(handles, human.Safe(child.Handle))
		if child.Kind != noun {
			noun = "target"
		}
	}
	return text + ", left " + human.Count(len(handles), string(noun)) + ": " + strings.Join(handles, ", ") + "."
}
