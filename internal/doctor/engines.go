package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/serve"
)

// unseenContainers tells of containers whose engine the daemon's last look could not read; empty if there
// are none.
func unseenContainers(is *serve.State, tool own) (text, remedy string) {
	n := unseen(is.Containers)
	if n == 0 {
		return "", ""
	}
	text = human.Count(n, "container") + " that it saw before cannot be seen now, and " + human.Verb(n, "stays", "stay") + " as " + human.Verb(n, "it is", "they are")
	if hasReturned(is, tool) {
		return text, "ask again: the engine answers by now, and the daemon's next look reads it"
	}
	return text, "start the container engine again"
}

// hasReturned reports that this tool reads an engine that the daemon's last look could not.
func hasReturned(is *serve.State, tool own) bool {
	read := answering(is.Sources)
	return unseen(is.Containers) > 0 && slices.ContainsFunc(answering(tool.sources), func(endpoint string) bool { return !slices.Contains(read, endpoint) })
}

// goneEngine tells of an engine that is gone since the daemon's last look; empty if there is none.
func goneEngine(is *serve.State, tool own, now time.Time) (text, remedy string) {
	gone := gone(is, tool)
	if len(gone) == 0 || is.LastSweep == nil {
		return "", ""
	}
	text = fmt.Sprintf("its engine %s answered at its last look, %s ago, and nothing listens there now", strings.Join(gone, ", "), human.Span(now.Sub(is.LastSweep.At)))
	return text, "start the container engine again, if it is to run; the daemon's next look sees what is there by then"
}

// gone are the engines that answered at the daemon's last look and that nobody serves now. To look for an
// engine elsewhere is another difference between the two.
func gone(is *serve.State, tool own) []string {
	return slices.DeleteFunc(answering(is.Sources), func(endpoint string) bool {
		return tool.unserved == nil || knowsAll(tool.sources, []string{endpoint}) || !tool.unserved(endpoint)
	})
}

// withoutGone are the daemon's sources but for engines that are gone.
func withoutGone(is *serve.State, tool own) []inventory.Source {
	gone := gone(is, tool)
	return slices.DeleteFunc(slices.Clone(is.Sources), func(s inventory.Source) bool { return slices.Contains(gone, s.Endpoint) })
}

// unseen counts the containers whose engine no longer tells of them.
func unseen(containers []serve.SeenContainer) (n int) {
	for _, c := range containers {
		if !c.UnseenSince.IsZero() {
			n++
		}
	}
	return n
}

// sameEngines reports that each side knows the engines that the other reads. An engine that
// does not answer is known too: that it hangs makes no difference between the two.
func sameEngines(its, ours []inventory.Source) bool {
	return knowsAll(its, answering(ours)) && knowsAll(ours, answering(its))
}

func knowsAll(sources []inventory.Source, endpoints []string) bool {
	return !slices.ContainsFunc(endpoints, func(endpoint string) bool {
		return !slices.ContainsFunc(sources, func(s inventory.Source) bool { return s.Name == inventory.SourceDocker && s.Endpoint == endpoint })
	})
}

// answering are the endpoints of the engines that answer, in order.
func answering(sources []inventory.Source) []string {
	var endpoints []string
	for _, source := range sources {
		if source.Name == inventory.SourceDocker && (source.Status == inventory.StatusOK || source.Status == inventory.StatusPartial) {
			endpoints = append(endpoints, source.Endpoint)
		}
	}
	slices.Sort(endpoints)
	return endpoints
}
