package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// MissingIn are the words that mean no target of a look, live sessions included.
func MissingIn(g *graph.Graph, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return len(TargetsMeant(g, word)) > 0 })
}

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

// UnreadAround says why it cannot be told what a process in a container is: "docker could not be read: permission
// denied". It is empty if the look shows the container, or every engine was read, or it runs in none or has exited.
func UnreadAround(g *graph.Graph, p *inventory.Process) string {
	_, isSeen := g.Target(p.ContainerID)
	if p.ContainerID == "" || !p.Alive() || isSeen || !g.Snapshot.Engines().Failed {
		return ""
	}
	return UnreadOf(g.Snapshot, p.ContainerID)
}

// NotSeen is the error that words mean nothing in a look, which the command scan shows. If a source did not
// answer, it says that this may be why. A program names targets by their ids: those were there.
func NotSeen(scan string, g *graph.Graph, missing []string) error {
	if slices.Contains(missing, "") {
		return human.Misused(scan+"   shows what there is", "an empty name means nothing: is a variable of the command line not set?")
	}
	s, why := g.Snapshot, ""
	for _, word := range missing {
		if unread := UnreadOf(s, word); unread != "" {
			why = "; " + unread
		}
	}
	if ended := handles(missing); len(ended) == len(missing) && why == "" {
		return human.Failed("reaperd history   shows what was reaped", "%s %s meanwhile", human.List(ended), human.Verb(len(ended), "has ended", "have ended"))
	}
	hint := scan + "   shows what there is"
	for _, word := range missing {
		if near := Near(g, word); len(near) > 0 {
			hint = NearHint(scan, near)
			break
		}
	}
	if id := beginsID(g, missing[0]); len(missing) == 1 && id != "" {
		return human.Failed(hint, "%s: too few digits of a container's id: %d of them name one (%s)", human.Safe(missing[0]), leastDigits, id[:leastDigits])
	}
	return human.Failed(hint, "%s: no such MCP server, container or session here%s", human.Safe(strings.Join(missing, ", ")), why)
}

// beginsID is the id of a container here that a word begins with too few digits to name it; empty
// if there is none. So few may be a name as well, and name nothing: a sweep would stop what is not meant.
// A number is a PID.
func beginsID(g *graph.Graph, word string) string {
	_, err := strconv.Atoi(word)
	for _, t := range g.Targets {
		if err != nil && t.Container != nil && isBeginning(word, t.ID) {
			return t.ID
		}
	}
	return ""
}

// isBeginning reports that an id begins with a word that may be meant for it.
func isBeginning(word, id string) bool { return len(word) >= leastPart && strings.HasPrefix(id, word) }

// handles are those of the words that are ids.
func handles(words []string) (found []string) {
	for _, word := range words {
		if _, err := inventory.ParseID(word); err == nil {
			found = append(found, human.Handle(word))
		}
	}
	return found
}
