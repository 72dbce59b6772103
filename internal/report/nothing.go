package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// Nothing is the answer of a report that has no row.
type Nothing struct {
	Text string // a sentence: "No session here was seen idle for 8h."
	// Seen means that it tells what was seen. Else it denies that there is something, and what
	// could not be read makes that less certain.
	Seen bool
}

// nothing is the answer if there is no target. It mentions gaps where they make it less
// certain.
func (v *view) nothing() []string {
	none, lost := v.none(), v.lost()
	text := strings.TrimSuffix(none.Text, ".")
	switch {
	case lost != "" && none.Seen:
		return []string{text + ".", lost}
	case lost != "":
		return []string{text + ", but not everything could be looked at.", lost}
	case v.isPartial() && !none.Seen:
		text += "; not everything could be read"
	}
	return []string{text + ". Nothing to do."}
}

// none returns the sentence of a report without rows: that nothing was found of what was asked for
// or, if nothing in particular was, that no MCP servers were seen.
func (v *view) none() Nothing {
	isSomething := func(t *graph.Target) bool { return !t.Incidental && !isIdle(t) }
	named := v.nothingOfNames()
	switch {
	case named.Text != "":
		return named
	case v.in.Graph != nil && slices.ContainsFunc(v.in.Graph.Targets, isSomething) && v.in.Nothing.Text != "":
		return v.in.Nothing
	case v.in.Graph != nil && slices.ContainsFunc(v.in.Graph.Targets, isSomething):
		return Nothing{Text: "Nothing here of the kind asked for."}
	case v.lost() != "" || v.isPartial():
		return Nothing{Text: "No MCP servers seen."}
	}
	return Nothing{Text: "No MCP servers running."}
}

// isPartial reports that a source could not be read whole.
func (v *view) isPartial() bool {
	return slices.ContainsFunc(v.sources(), func(s inventory.Source) bool { return s.Status == inventory.StatusPartial })
}

// nothingOfNames is what there is of the names that choose rows, and has none: live sessions
// without servers, and containers that are no MCP servers. It is empty if no names choose, or
// there is nothing to choose from.
func (v *view) nothingOfNames() Nothing {
	names := v.options.Names
	if len(names) == 0 {
		return Nothing{}
	}
	if seen := v.namedWithoutRow(); len(seen) > 0 {
		return Nothing{Text: strings.Join(seen, "; ") + ".", Seen: true}
	}
	if len(v.all) == 0 {
		return Nothing{}
	}
	return Nothing{Text: fmt.Sprintf("No MCP server, container or session here is called %s, or belongs to it.", human.Safe(human.Or(names)))}
}

// namedWithoutRow returns a sentence, without its full stop, for each named thing that has no row, such
// as a session without servers.
func (v *view) namedWithoutRow() (told []string) {
	chosen, live := newChoice(v.in, v.options.Names), []*graph.Session{}
	sessions := v.sessions()
	for i := range sessions {
		if s := &sessions[i]; s.Target != nil && s.Process != nil && len(v.held[s.Process.ID()]) == 0 && chosen.shows(s.Target) {
			live = append(live, s)
		}
	}
	if len(live) > 0 {
		told = append(told, v.livesText(live...))
	}
	for i := range v.in.Verdicts {
		if t := v.in.Verdicts[i].Target; t.Kind == graph.KindContainer && !v.in.Verdicts[i].Reported() && chosen.shows(t) {
			told = append(told, incidentalText(t))
		}
	}
	return firstFew(told)
}

// livesText says of live sessions what they hold, the same each: "goose 12 is a live session with
// no MCP servers".
func (v *view) livesText(sessions ...*graph.Session) string {
	var names []string
	for _, s := range sessions {
		names = append(names, fmt.Sprintf("%s %d", human.Safe(redact.Name(s.Name)), s.Process.PID))
	}
	return human.List(firstFew(names)) + human.Verb(len(names), " is a live session with ", " are live sessions with ") + mcpServersText(v.held[sessions[0].Process.ID()])
}

// incidentalText says of a container why reaperd ignores it.
func incidentalText(t *graph.Target) string {
	return called(t) + " is no MCP server, and no rule names it"
}
