package word

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// Missing are the words that mean no target of a look, live sessions included.
func Missing(g *graph.Graph, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return len(Targets(g, word)) > 0 })
}

// Unread says which sources did not answer that may have what a word means: "docker could not
// be read: permission denied". It is empty if all did. An engine has nothing that a PID means.
func Unread(s *inventory.Snapshot, word string) string {
	pid, _, _ := strings.Cut(word, ":")
	_, err := strconv.Atoi(pid)
	isProcess := err == nil && len(pid) < leastDigits
	var unread []string
	for _, source := range s.Sources {
		if source.Status == inventory.StatusError && (!isProcess || source.Name == inventory.SourceProcesses) {
			unread = append(unread, fmt.Sprintf("%s could not be read: %s", source.Name, source.Reason))
		}
	}
	return strings.Join(unread, "; ")
}

// NotSeen is the error that words mean nothing in a look. If a source did not answer, it
// says that this may be why. A program names targets by their ids: those were there.
func NotSeen(g *graph.Graph, missing []string) error {
	if slices.Contains(missing, "") {
		return advice.Misused("reaperd scan   shows what there is", "an empty name means nothing: is a variable of the command line not set?")
	}
	s, why := g.Snapshot, ""
	for _, word := range missing {
		if unread := Unread(s, word); unread != "" {
			why = "; " + unread
		}
	}
	if ended := handles(missing); len(ended) == len(missing) && why == "" {
		return advice.Failed("reaperd history   shows what was reaped", "%s %s meanwhile", human.List(ended), human.Verb(len(ended), "has ended", "have ended"))
	}
	hint := "reaperd scan   shows what there is"
	if like := Alike(g, missing[0]); like != "" {
		hint = "reaperd scan " + like + "   is what " + human.Safe(missing[0]) + " is called here"
	}
	return advice.Failed(hint, "%s: no such MCP server, container or session here%s", human.Safe(strings.Join(missing, ", ")), why)
}

// Alike is the name here of what a word that means nothing may mean: the program of a
// session, or the beginning of a name; "" if there is none.
func Alike(g *graph.Graph, word string) string {
	if word == "" || IsGlob(word) {
		return ""
	}
	for _, session := range g.Sessions {
		if session.Process != nil && strings.EqualFold(session.Process.Comm, word) {
			return human.Safe(redact.Name(session.Name))
		}
	}
	begun := func(name string) bool { return len(name) > len(word) && strings.EqualFold(name[:len(word)], word) }
	for _, session := range g.Sessions {
		if begun(session.Name) {
			return human.Safe(redact.Name(session.Name))
		}
	}
	for _, t := range g.Targets {
		if begun(t.Name) {
			return human.Safe(redact.Name(t.Name))
		}
	}
	return ""
}

// handles are those of the words that are ids.
func handles(words []string) (found []string) {
	for _, word := range words {
		if _, err := inventory.ParseID(word); err == nil {
			found = append(found, human.Handle(word))
		}
	}
	return found
}
