package serve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/graph"
)

// How many distinct values a label may have that others name; any further one is "other".
const (
	maxClients = 50
	maxRules   = 200
)

// Labels that stand for more than one name.
const (
	labelNone    = "none"    // nobody is known
	labelOther   = "other"   // a program that is no client, or one name too many
	labelService = "service" // systemd or launchd
	labelGateway = "gateway" // a gateway whose own owner is not known
)

// longestName is how long a name may be to stand in a label, in characters.
const longestName = 63

// isPlain reports a name that may be a label: no path, no control characters. (A
// regular expression for this would take four megabytes.)
func isPlain(name string) bool {
	for i, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsNumber(r)
		if !letter && (i == 0 || !strings.ContainsRune(" ._@+-", r)) {
			return false
		}
	}
	return name != "" && utf8.RuneCountInString(name) <= longestName && utf8.ValidString(name)
}

// anyText accepts every name.
func anyText(string) bool { return true }

// names limits the distinct values of a label.
type names struct {
	limit  int
	admits func(string) bool
	seen   map[string]bool
}

// boundedNames accepts the known values, and up to limit others for which admits is
// true.
func boundedNames(limit int, admits func(string) bool, known ...string) *names {
	n := &names{limit: limit + len(known), admits: admits, seen: map[string]bool{}}
	for _, value := range known {
		n.seen[value] = true
	}
	return n
}

// label is the name, or "other" if it may not be a label.
func (n *names) label(name string) string {
	switch {
	case n.seen[name]:
		return name
	case name == "":
		return labelNone
	case len(n.seen) >= n.limit, !n.admits(name):
		return labelOther
	}
	n.seen[name] = true
	return name
}

// deepest is the most gateways above each other; no real chain is longer.
const deepest = 8

// clients finds the client a target belongs to.
type clients struct {
	names   *names
	targets map[string]*graph.Target
}

// of is the client at the end of a target's chain of owners: a gateway belongs to the
// client that started it.
func (c clients) of(target *graph.Target) string {
	if target.Kind == graph.KindSession {
		return c.names.label(target.Name)
	}
	return c.label(c.ownerOf(target))
}

// ownerOf is the owner at the end of a target's chain of owners.
func (c clients) ownerOf(target *graph.Target) graph.Owner {
	owner := target.Owner
	for range deepest {
		above := c.targets[owner.ID.String()]
		if owner.Kind != graph.OwnerGateway || above == nil {
			break
		}
		owner = above.Owner
	}
	return owner
}

func (c clients) label(owner graph.Owner) string {
	switch owner.Kind {
	case graph.OwnerGateway:
		return labelGateway
	case graph.OwnerService:
		return labelService
	case graph.OwnerProcess:
		return labelOther
	}
	return c.names.label(owner.Name)
}
