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
			unread = append(unread, fmt.Sprintf("%s could not be read: %s", source.Called(), source.Reason))
		}
	}
	return strings.Join(unread, "; ")
}

// NoEngine says why a look shows no container: "docker is absent: no engine socket found". It
// is empty if the engines were read, or not looked for.
func NoEngine(s *inventory.Snapshot) string {
	engine, listed := s.Source(inventory.SourceDocker)
	switch {
	case listed && engine.Status == inventory.StatusAbsent:
		return engine.Name + " is absent: " + engine.Reason
	case listed && engine.Status == inventory.StatusError:
		return Unread(s, "")
	}
	return ""
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
	for _, word := range missing {
		if near := Near(g, word); len(near) > 0 {
			hint = NearHint("reaperd scan", near)
			break
		}
	}
	return advice.Failed(hint, "%s: no such MCP server, container or session here%s", human.Safe(strings.Join(missing, ", ")), why)
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
