package page

import (
	"strings"

	"github.com/reaperd/reaperd/internal/overview"
)

// isOfSeveral reports that the sessions and servers of a tree are of more than one user, or of another than the reader:
// then each is shown with the user's name.
func isOfSeveral(t *overview.Tree) bool {
	users := map[string]bool{}
	t.Walk(func(n *overview.Node, _ int) bool {
		switch n.Kind {
		case overview.KindSession, overview.KindServer, overview.KindGateway:
			users[n.User] = true
		case overview.KindContainer, overview.KindProcess, overview.KindOwner, overview.KindService, overview.KindGone:
		}
		return true
	})
	delete(users, "")
	return len(users) > 1
}

// userOf returns the user whose a node is; of an ended session, that of all that it left. Empty if
// that is not known, or if there are several.
func userOf(n *overview.Node) string {
	if n.Kind != overview.KindGone {
		return n.User
	}
	user := ""
	for i := range n.Children {
		switch child := n.Children[i].User; {
		case child == "" && n.Name == "": // no session tells whose it is
			return ""
		case child == "":
		case user == "":
			user = child
		case child != user:
			return ""
		}
	}
	return user
}

// userText is "user ann" for the row of a node, unless the node above or the text behind it names
// that user.
func (b builder) userText(n *overview.Node, behind string) string {
	if user := userOf(n); user == b.told || strings.HasPrefix(behind, "~"+user) {
		return ""
	}
	return b.user(n)
}

// user is "user ann"; empty if that is not known, or if all nodes are of one user.
func (c clock) user(n *overview.Node) string {
	if user := userOf(n); c.several && user != "" {
		return "user " + user
	}
	return ""
}
