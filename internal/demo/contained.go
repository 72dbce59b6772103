package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/demo/containers"
	"github.com/reaperd/reaperd/internal/human"
)

// aboutContainers is what the first step says about containers: that their image was
// built here, or why there are none.
func (s *story) aboutContainers() string {
	if s.Demo == "" {
		return fmt.Sprintf("There are no containers in it: %s.\n", human.Line(s.NoContainers))
	}
	return `Its containers are real: the engine of this machine runs them, from an image made of
reaperd's own program. The world is shown no others, and they are removed at the end.
`
}

func (s *story) aboutServers() string {
	if s.Demo == "" {
		return "three MCP servers, two of them behind npm, one with a browser below it."
	}
	return "four MCP servers: one alone, two behind npm, of which one has a browser below it,\n   and one in a container."
}

// aboutLeft counts what claude leaves behind: "5 processes and a container".
func (d *director) aboutLeft() string {
	return human.Count(len(d.left), "process") + d.ifContained(" and a container")
}

// ifContained returns text if the demo has containers, else "".
func (s *story) ifContained(text string) string {
	if s.Demo == "" {
		return ""
	}
	return text
}

// allAnswer is the answer of a client whose servers all answer.
func (s *story) allAnswer() string {
	if s.Demo == "" {
		return "3 of 3"
	}
	return "4 of 4"
}

// hasContainers checks with the engine that exactly the containers of some clients run.
func (d *director) hasContainers(clients ...string) error {
	if d.Demo == "" {
		return nil
	}
	var want []string
	for _, client := range clients {
		want = append(want, "/"+containerOf(client, d.Demo)+" running")
	}
	return d.becomes("of the containers only those of a living client are there", func() (bool, error) {
		found, err := containers.At(place.engine()).Containers(context.Background(), d.Demo)
		var have []string
		for _, one := range found {
			have = append(have, fmt.Sprintf("%s %s", slices.Concat(one.Names, []string{one.ID})[0], one.State))
		}
		slices.Sort(have)
		return slices.Equal(have, want), err
	})
}
