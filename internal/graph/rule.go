package graph

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
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
// owner of the tree, and the answers in this order are its evidence. Those about
// channels are in channels.go.
func witnesses() []witness {
	return []witness{
		askService,    // the service manager, of a unit's main process
		askAncestor,   // the process that started it
		askStdin,      // who holds the other end of its stdin
		askStdout,     // who reads its stdout
		askInner,      // who holds an end of an inner member's stdio
		askShares,     // who has the other end of another descriptor
		askConnects,   // which session or gateway it is connected to
		askExecRunner, // the docker exec that started it in a container
		askMemory,     // the session it was last seen with
		askOrigin,     // who forked it, as the system remembers
		askDeclared,   // whom its environment names
		askListening,  // who is connected to what it listens on
	}
}

// answer is what one witness says about a tree. The zero value says nothing.
type answer struct {
	check Check
	says  Says
	proof bool
	text  human.Sentence // the zero value gives no line of evidence
	// owner is the process that the witness names: live, or gone if it only explains
	// whose the tree was.
	owner Owner
	// keeps: the tree is not leaked, whatever the other witnesses say.
	keeps bool
	// near: the owner is an ancestor, or was seen with the tree before. If such an
	// owner closes the tree's stdio, the tree is disconnected.
	near bool
	// by are processes each of which keeps the tree unless it is leaked itself. speak
	// is the witness's answer if one of them keeps it.
	by    []*node
	speak func(by *node) answer
	inner bool      // the answer is about inner members of the tree
	end   endState  // CheckStdin and CheckStdout: the state of the other end
	since time.Time // zero: dated by the first of the looks in a row that got this answer
	// doubt is why the finding that follows may be reported but not acted on.
	doubt    human.Sentence
	stranger Stranger // whom the doubt is about
	after    []*tree  // leaked trees that had it
}

// judge asks every witness once about each of these trees, marks the trees that are
// not leaked, and concludes.
func (c *correlation) judge(trees []*tree) {
	all := witnesses()
	var said []answer // of one tree
	for _, t := range trees {
		said = said[:0]
		for _, ask := range all {
			if a := ask(c, t); a.check != "" {
				said = append(said, a)
			}
		}
		t.live, t.answers = false, slices.Clone(said)
	}
	c.mark(trees)
	for _, t := range trees {
		t.hear()
		t.nameOwner()
	}
	c.findLetGo(trees)
	for _, t := range trees {
		c.conclude(t)
		c.addTarget(t)
	}
	c.followLeaked(trees)
}

// mark sets live on the trees that are not leaked. It starts from those that a
// witness keeps by itself or that a root keeps, and goes on to the trees that these
// keep. No tree may be live before.
func (c *correlation) mark(trees []*tree) {
	keeps := map[*tree][]*tree{}
	var kept []*tree
	for _, t := range trees {
		for _, a := range t.answers {
			t.live = t.live || a.keeps
			for _, by := range a.by {
				t.live = t.live || by.isLive()
				keeps[by.tree] = append(keeps[by.tree], t)
				if isChannel(a) {
					c.holds[by.tree] = append(c.holds[by.tree], t)
				}
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

// hear replaces the answer of each witness that named processes, now that it is known
// which of them are leaked.
func (t *tree) hear() {
	for i, a := range t.answers {
		for _, by := range a.by {
			if by.isLive() {
				t.answers[i] = a.speak(by)
				t.answers[i].check, t.answers[i].end, t.answers[i].inner, t.answers[i].by = a.check, a.end, a.inner, a.by
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

// conclude gives a tree its finding.
func (c *correlation) conclude(t *tree) {
	switch {
	case !t.live:
		t.finding = FindingOrphaned
	case t.users != "":
	case c.isLeftListening(t):
		t.finding, t.owner = FindingAmbiguous, c.leaver(t.root)
		t.doubt = human.Say("%s started it, and has ended; it is spoken to over its port alone, and may serve by itself", t.owner.Named())
		t.owner.Liveness = LivenessGone
	case t.owner.Liveness == LivenessLive:
		if t.letGo {
			t.finding = FindingDisconnected
		}
	default:
		t.concludeUntold()
	}
}

// isLeftListening reports what a session that has ended was seen to start by a tool, and that listens. That nobody is
// connected to it proves nothing, so it is only reported.
func (c *correlation) isLeftListening(t *tree) bool {
	isOthers := func(a answer) bool {
		return a.says == SaysOwned && (a.check != CheckAncestor || a.owner.Kind != OwnerProcess)
	}
	return !slices.ContainsFunc(t.answers, isOthers) && t.listening().Or(false) && t.answerOf(CheckStdin).end == endUnconnected && c.isLeft(c.leaver(t.root))
}

// concludeUntold decides about a tree without a known owner. If the ends of its stdio
// were looked for without a result, that is reported and never acted on.
func (t *tree) concludeUntold() {
	stdin, stdout := t.answerOf(CheckStdin), t.answerOf(CheckStdout)
	for _, a := range t.answers {
		if !a.doubt.IsZero() && a.check == CheckContainer {
			t.finding, t.doubt, t.stranger = FindingAmbiguous, a.doubt, a.stranger
			return
		}
	}
	switch {
	case t.root.lineage == lineageUnknown:
	case stdin.end == endGone && stdout.end == endUntold:
		t.finding, t.doubt = FindingOrphaned, human.Say("whether anybody reads its stdout could not be told")
	case stdin.end == endUntold && stdout.end != endUnconnected:
		t.finding, t.doubt = FindingAmbiguous, human.Say("whether anybody holds its stdin could not be told")
	}
}

// findLetGo finds the trees whose owner lives and of which every channel is closed to all but other
// trees of that kind: what only they have of each other keeps none of them.
func (c *correlation) findLetGo(trees []*tree) {
	for _, t := range trees {
		t.letGo = t.live && t.near && t.root.Stdin.Or(inventory.Stdio{}).Connected() && c.isOwnersOwn(t)
	}
	for changed := true; changed; {
		changed = false
		for _, t := range trees {
			if t.letGo && slices.ContainsFunc(t.answers, t.isOpenChannel) {
				t.letGo, changed = false, true
			}
		}
	}
}

// isOwnersOwn reports a tree that has no other channels than those of its owner: the owner is no
// server, which could be let go of together with it.
func (c *correlation) isOwnersOwn(t *tree) bool {
	owner := c.byPID[t.owner.ID.PID]
	return owner == nil || owner.tree == nil || !slices.ContainsFunc(t.answers, func(a answer) bool {
		return isChannel(a) && (a.keeps || a.says == SaysOwned)
	})
}

func isChannel(a answer) bool {
	return a.check == CheckStdin || a.check == CheckStdout || a.check == CheckClients
}

// isOpenChannel reports an answer by which somebody has a channel to the tree who was not let go
// of himself.
func (t *tree) isOpenChannel(a answer) bool {
	if !isChannel(a) || !a.keeps && a.says != SaysOwned {
		return false
	}
	return len(a.by) == 0 || slices.ContainsFunc(a.by, func(by *node) bool {
		return by.isLive() && (by.tree == nil || !by.tree.letGo)
	})
}
