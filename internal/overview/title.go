package overview

import (
	"strconv"
	"strings"
)

// PIDText is a PID as text; empty if it is unknown.
func PIDText(pid int) string {
	if pid == 0 {
		return ""
	}
	return strconv.Itoa(pid)
}

// Title is a node's name with a word that tells it from others of that name.
func (n *Node) Title() string {
	name := n.Name
	if name == "" && n.Kind == KindGone {
		name = "no known session"
	}
	return strings.TrimSpace(name + " " + n.Typed())
}

// Typed is the word that names a node on a command line: its handle, else its PID.
func (n *Node) Typed() string {
	if n.Handle != "" {
		return n.Handle
	}
	return PIDText(n.PID)
}
