package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// UnreadOf says which sources did not answer that may have what a word means: "docker could not
// be read: permission denied". It is empty if all did. An engine has nothing that a PID means.
func UnreadOf(s *inventory.Snapshot, word string) string {
	pid, _, _ := strings.Cut(word, ":")
	_, err := strconv.Atoi(pid)
	isProcess := err == nil && len(pid) < leastDigits
	var unread []string
	for _, source := range s.Sources {
		if source.Status == inventory.StatusError && (!isProcess || source.Name == inventory.SourceProcesses) {
			unread = append(unread, fmt.Sprintf("%s could not be read: %s", source.Called(), source.Reason))
		}
	}
	return strings.Join(unread, "; ")
}

// NotSeen is the error that words mean nothing in a look. If a source did not answer, it says that this may be why.
func NotSeen(g *graph.Graph, missing []string) error {
	const scan = "reaperd scan"
	hint, why := scan+"   shows what there is", ""
	if slices.Contains(missing, "") {
		return human.Misused(hint, "an empty name means nothing: is a variable of the command line not set?")
	}
	for _, word := range missing {
		if unread := UnreadOf(g.Snapshot, word); unread != "" {
			why = "; " + unread
		}
		if near := nearHint(scan, word, namesIn(g)); near != "" {
			hint = near
		}
	}
	return human.Failed(hint, "%s: no such MCP server, container or session here%s", human.Safe(strings.Join(missing, ", ")), why)
}

// namesIn are the names of the sessions and targets of a look, and the first digits of containers.
func namesIn(g *graph.Graph) (names []string) {
	for _, session := range g.Sessions {
		names = append(names, session.Name)
	}
	for _, t := range g.Targets {
		names = append(names, t.Name)
		if t.Container != nil {
			names = append(names, t.Container.Called(), human.Handle(t.ID))
		}
	}
	return names
}

// leastPart is how much of a name a word must have to be taken for a part of it.
const leastPart = 3

// nearHint is a command with the name that the user may have meant: a name that contains the word, else one that
// differs from it by a typing mistake. It is empty if there is no such name, and for a number.
func nearHint(command, word string, names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isTypable(name) })
	near := human.Nearest(word, names)
	for _, name := range names {
		if len(word) >= leastPart && strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			near = name
			break
		}
	}
	if _, err := strconv.Atoi(word); err == nil || near == "" {
		return ""
	}
	return command + " " + human.Shell(near) + "   the nearest name"
}

// isTypable reports whether a name can be shown, and typed as it is shown.
func isTypable(name string) bool {
	return name != "" && redact.Name(name) == name && human.Safe(name) == name
}
