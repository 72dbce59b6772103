package page

import (
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
)

// commandsOf returns the commands for a node of a tree.
func commandsOf(t *overview.Tree, n *overview.Node) []overview.Command {
	if word := wordOf(n); word != "" {
		return append(deedsOf(t, n), overview.Command{What: "explain it", Line: "reaperd explain " + word})
	}
	return nil
}

// deedsOf returns the commands that keep or stop a node.
func deedsOf(t *overview.Tree, n *overview.Node) []overview.Command {
	word := wordOf(n)
	if word == "" || n.State == overview.StateReaping { // its end has begun: nothing changes that
		return nil
	}
	commands := keeps(t, n, word)
	stop := t.StopCommand(n, word)
	switch {
	case stop.Line == "" || n.State == overview.StateDue && t.Acts():
	case len(commands) > 0 && commands[0].Line == stop.Line: // status tells why both are refused
		commands[0].What = "see why nothing can be pinned or stopped"
	default:
		commands = append(commands, stop)
	}
	return commands
}

// keeps returns the command that keeps a node, or that no longer keeps it. On a full disk both
// are refused: then it is the one that says why.
func keeps(t *overview.Tree, n *overview.Node, word string) []overview.Command {
	switch {
	case t.NoRoomIn != "":
		return []overview.Command{{What: "see why nothing can be pinned", Line: "reaperd status"}}
	case n.State == overview.StatePinned || n.KeptWith.Target != "":
		return unpins(t, n)
	}
	return []overview.Command{{What: "keep it", Line: "reaperd pin " + word}}
}

// unpins returns the command that ends the pin of a node, which may be that of its session,
// or of a thing for whose sake it is kept; nil if there is no such command.
func unpins(t *overview.Tree, n *overview.Node) []overview.Command {
	pinned, what := n, "no longer keep it"
	if t.PlaceOf(n.Key).Pinned {
		pinned, what = t.Top(n.Key), "no longer keep its session"
	} else if n.KeptWith.Target != "" {
		pinned, what = t.OfTarget(n.KeptWith.Target), "no longer keep "+n.KeptWith.Title
	}
	if n.Marked || pinned == nil || wordOf(pinned) == "" {
		return nil
	}
	return []overview.Command{{What: what, Line: graph.UnpinAs(pinned.PinnedBy, wordOf(pinned))}}
}

// wordOf is the word for a node in a command; empty if it has none. People paste commands
// into a shell, so a name with special characters is replaced by the id.
func wordOf(n *overview.Node) string {
	for _, word := range []string{n.Handle, n.Target} {
		if isPlain(word) {
			return word
		}
	}
	return ""
}

// isPlain reports whether neither a shell nor a flag parser gives a word a special
// meaning.
func isPlain(word string) bool {
	for i, r := range word {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.:", r)) {
			return false
		}
	}
	return word != ""
}
