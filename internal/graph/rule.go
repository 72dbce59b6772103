package graph

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/sentence"
)

// This file is the rule: whose a server is, and when it is nobody's.
//
//   - Every live process that is no MCP server is a root, known to the
//     catalogue or not: an owner that nobody knows is an owner.
//   - A tree is kept by a witness that speaks for it by itself, or by a process
//     that started it or holds an end of its stdio and is not leaked itself.
//   - What nothing keeps is leaked. Only the kernel can bring that about: both
//     ends of its stdio were looked for and are closed, or are held by nothing
//     but what is leaked. Whatever could not be told keeps.
//
// Names, arguments, labels, environment and configuration recognise a server
// and explain whose it was; they may keep, and never condemn.

// witness is one source of what is known about a tree's owner.
type witness func(*correlation, *tree) answer

// witnesses lists all of them. The first that names a live owner names the
// owner of the tree, and the answers in this order are its evidence.
func witnesses() []witness {
	return []witness{
		askService,     // the service manager, of a unit's main process
		askAncestor,    // the process that started it
		askStdin,       // who holds the other end of its stdin
		askStdout,      // who reads its stdout
		askInner,       // who holds an end of an inner member's stdio
		askExecClient,  // the client of what docker exec brought into a container
		askMemory,      // the session it was last seen with
		askOrigin,      // who forked it, as the system remembers
		askDeclared,    // whom its environment names
		askConnections, // who is connected to what it listens on
	}
}

// answer is what one witness says about a tree. The zero value says nothing.
type answer struct {
	check Check
	says  Says
	proof bool
	text  sentence.S // the zero value gives no line of evidence
	// owner is whom the witness names: live, or gone where it only explains.
	owner Owner
	// keeps: the tree is not leaked, whatever the other witnesses say.
	keeps bool
	// near: what the owner lets go of below itself is disconnected.
	near bool
	// by are processes of which each keeps the tree unless it is leaked itself.
	// speak is what the witness says where one of them does.
	by    []*node
	speak func(by *node) answer
	inner bool      // it is about inner members of the tree
	end   endState  // of stdin and stdout: what became of the other end
	since time.Time // zero: since the first look in a row that saw it so
	// doubt is why the finding that follows may be reported and not acted on.
	doubt sentence.S
}

// judge asks every witness about some trees, once each, lets marks pass between
// the trees, and concludes.
func (c *correlation) judge(trees []*tree) {
	all := witnesses()
	for _, t := range trees {
		t.live, t.answers = false, make([]answer, len(all))
		for i, ask := range all {
			t.answers[i] = ask(c, t)
		}
	}
	mark(trees)
	for _, t := range trees {
		t.hear()
		t.nameOwner()
		c.conclude(t)
		c.addTarget(t)
	}
}

// mark finds the trees, none of which is live yet, that are not leaked: those that
// a witness keeps by itself and those that a root keeps, and from there on what a
// kept tree keeps.
func mark(trees []*tree) {
	keeps := map[*tree][]*tree{}
	var kept []*tree
	for _, t := range trees {
		for _, a := range t.answers {
			t.live = t.live || a.keeps
			for _, by := range a.by {
				t.live = t.live || by.isLive()
				keeps[by.tree] = append(keeps[by.tree], t)
			}
		}
		if t.live {
			kept = append(kept, t)
		}
	}
	for len(kept) > 0 {
		next := kept[len(kept)-1]
		kept = kept[:len(kept)-1]
		for _, t := range keeps[next] {
			if !t.live {
				t.live = true
				kept = append(kept, t)
			}
		}
	}
}

// isLive reports that a process is a root or part of a tree that is not leaked.
func (n *node) isLive() bool { return n.tree == nil || n.tree.live }

// hear lets each witness that named processes say what it says now that it is
// known which of them are leaked.
func (t *tree) hear() {
	for i, a := range t.answers {
		for _, by := range a.by {
			if by.isLive() {
				t.answers[i] = a.speak(by)
				t.answers[i].check, t.answers[i].end, t.answers[i].inner = a.check, a.end, a.inner
				break
			}
		}
		t.answers[i].proof = t.answers[i].proof && (t.answers[i].says != SaysOrphaned || !t.live)
	}
}

// nameOwner takes the owner from the first witness that names a live one, else
// from the first that names one that is gone.
func (t *tree) nameOwner() {
	for _, a := range t.answers {
		switch {
		case a.owner.Liveness == LivenessLive && a.says == SaysOwned:
			t.owner, t.near, t.seen = a.owner, a.near, a.proof
			return
		case a.owner.Liveness == LivenessGone && t.owner.Liveness == LivenessUnknown:
			t.owner = a.owner
		}
	}
	if !t.live {
		t.owner.Liveness = LivenessGone
	}
}

// conclude decides what is wrong with a tree.
func (c *correlation) conclude(t *tree) {
	switch {
	case !t.live:
		t.finding = FindingOrphaned
	case t.isUsed():
	case t.owner.Liveness == LivenessLive:
		if t.near && c.isLetGo(t) {
			t.finding = FindingDisconnected
		}
	default:
		t.concludeUntold()
	}
}

// concludeUntold: nobody is known to own the tree, and whether anybody holds its
// stdio was looked for and could not be told. That is reported, never acted on.
func (t *tree) concludeUntold() {
	stdin, stdout := t.answerOf(CheckStdin), t.answerOf(CheckStdout)
	for _, a := range t.answers {
		if !a.doubt.IsZero() && a.check == CheckContainer {
			t.finding, t.doubt = FindingAmbiguous, a.doubt
			return
		}
	}
	switch {
	case t.root.lineage == lineageUnknown:
	case stdin.end == endGone && stdout.end == endUntold:
		t.finding, t.doubt = FindingOrphaned, sentence.Of("whether anybody reads its stdout could not be told")
	case stdin.end == endUntold && stdout.end != endUnconnected:
		t.finding, t.doubt = FindingAmbiguous, sentence.Of("whether anybody holds its stdin could not be told")
	}
}

// isLetGo reports that both ends of a tree's stdio are closed although its owner
// lives. An end that only younger siblings inherited does not count as held.
func (c *correlation) isLetGo(t *tree) bool {
	stdin, seen := t.root.Stdin.Get()
	isHeldInside := func(a answer) bool { return a.inner && a.says == SaysOwned }
	if !seen || !stdin.Connected() || slices.ContainsFunc(t.answers, isHeldInside) {
		return false
	}
	out := t.outlet().Stdout
	return c.heldBySiblings(t, t.root.Stdin) && (out.IsZero() || c.heldBySiblings(t, out))
}

// heldBySiblings reports that an end of a tree's stdio is closed, or open only
// because siblings of the tree inherited it.
func (c *correlation) heldBySiblings(t *tree, stream inventory.Fact[inventory.Stdio]) bool {
	e := c.endOf(t.holds, stream)
	if e.state != endHeld {
		return e.state == endGone
	}
	for _, holder := range e.by {
		if holder.isLive() && !isSibling(t, holder.tree) {
			return false
		}
	}
	return c.everyHolderSeen
}

// isSibling reports a server that has nothing to say over this one: no gateway,
// not above it, and not started before it. An end is inherited by what is forked
// after the pipe was made; an older server that holds one made it itself, and
// may be what started this one (a proxy whose wrapper died).
func isSibling(t, other *tree) bool {
	if other == nil || other.gateway || other.root.Start < t.root.Start {
		return false
	}
	sibling := true
	above(t.root, func(ancestor *node) bool {
		sibling = sibling && ancestor.tree != other
		return sibling
	})
	return sibling
}
