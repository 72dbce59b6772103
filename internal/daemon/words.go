package daemon

import (
	"errors"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// called is a word or, if that means nothing in a look, and is the program of a client that does,
// the name of that client: claude is claude-code.
func called(l account.Look, subject string) string {
	for _, client := range catalogue.Clients() {
		isProgram := slices.ContainsFunc(client.Programs, func(program string) bool { return strings.EqualFold(program, subject) })
		if isProgram && !means(l, subject) && means(l, client.Name) {
			return client.Name
		}
	}
	return subject
}

// means reports that a word means something in a look: a thing, a session, or what one has left.
func means(l account.Look, subject string) bool {
	g := l.Graph
	isSession := func(session graph.Session) bool { return strings.EqualFold(session.Name, subject) }
	return len(leftIn(l).Missing(g, []string{subject})) == 0 || slices.ContainsFunc(g.Sessions, isSession)
}

// leftIn are the sessions that have ended, by what they left in a look.
func leftIn(l account.Look) account.LeftBehind {
	left := account.LeftBehind{}
	for _, t := range l.Graph.Targets {
		if !isLeft(t) || t.Owner.Liveness == graph.LivenessLive {
			continue
		}
		owner := t.Owner
		if owner.Name == "" && l.LeftBy != nil {
			owner, _ = l.LeftBy(t.ID)
		}
		if owner.Name != "" {
			left[t.ID] = owner
		}
	}
	return left
}

// isLeft reports a target whose owner is gone by its finding.
func isLeft(t *graph.Target) bool {
	return t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingExited
}

// missing is the error that some words mean nothing in a look; nil if all do.
func missing(l account.Look, words []string) error {
	if unknown := leftIn(l).Missing(l.Graph, words); len(unknown) > 0 {
		return account.NotSeen(l.Graph, unknown)
	}
	return nil
}

// isAdvised reports an error that tells a person what to do.
func isAdvised(err error) bool {
	var advised *human.Error
	return errors.As(err, &advised)
}
