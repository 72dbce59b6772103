package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAnOrphanBesideARunnerThatIsLeaving: the container of another docker run of its class
// ends, and that docker run is about to exit. Who could have the orphan has not changed: it
// goes on to be one, and nothing is done on the word of that look.
func TestAnOrphanBesideARunnerThatIsLeaving(t *testing.T) {
	const (
		people = `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
			50 1  43 2 sa!  sb!  docker run -i --rm x-mcp`
		runner = `
			60 44 44 100 sc@44 sd@44 docker run -i --rm x-mcp`
		orphan = `
			container c1 x-mcp 3 stdin=closed`
		its = `
			container c2 x-mcp 101 stdin=open`
		before  = people + runner + orphan + its
		leaving = people + runner + orphan
		left    = people + orphan
		another = `
			61 44 44 50 se@44 sf@44 docker run -i --rm x-mcp`
		anothers = `
			container c3 x-mcp 51 stdin=open`
	)
	without := func(world, line string) string { return strings.Replace(world, line, "", 1) }
	different := strings.NewReplacer("sb!  docker run -i --rm x-mcp", "sb!  docker run -i --rm x-mcp one", "c1 x-mcp 3", "c1 x-mcp 3 command=one",
		"sd@44 docker run -i --rm x-mcp", "sd@44 docker run -i --rm x-mcp two", "c2 x-mcp 101", "c2 x-mcp 101 command=two")
	const (
		orphaned = "orphaned gone"
		minute   = time.Minute
		second   = time.Second
	)
	for _, c := range []struct {
		name   string
		worlds []string
		at     []time.Duration
		want   string
	}{
		{"it is orphaned beside a docker run that has another container",
			[]string{before, before}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"that container ends: the orphan's time goes on, and this look does not settle it",
			[]string{before, before, leaving}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 1"},
		{"nor does the next",
			[]string{before, leaving, leaving}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 1"},
		{"the docker run exits: a look without it does",
			[]string{before, leaving, left}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 2"},
		{"the docker run stays: it may be the orphan's after all",
			[]string{before, leaving, leaving}, []time.Duration{0, minute, minute + 11*second}, "none live"},
		{"it was no orphan before",
			[]string{without(before, orphan), leaving}, []time.Duration{0, minute}, "none live"},
		{"the engine did not tell of every container",
			[]string{before, leaving + "\nsource docker partial"}, []time.Duration{0, minute}, "none live"},
		{"a docker run that never had a container is not leaving",
			[]string{left, leaving}, []time.Duration{0, minute}, "none live"},
		{"another docker run has its own container",
			[]string{before + another + anothers, leaving + another + anothers}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 1"},
		{"another docker run has none",
			[]string{before, leaving + another}, []time.Duration{0, minute}, "none live"},
		{"they run different servers of one image",
			[]string{different.Replace(before), different.Replace(leaving)}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 1"},
		{"different servers, and the docker run stays",
			[]string{different.Replace(before), different.Replace(leaving), different.Replace(leaving)}, []time.Duration{0, minute, minute + 11*second}, "ambiguous unknown unproven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var g *Graph
			for i, world := range c.worlds {
				snapshot := look(t, world)
				snapshot.TakenAt = noon.Add(c.at[i])
				g = Correlate(g, snapshot, Options{Catalogue: simple{}})
			}
			target, _ := g.Target("c1")
			got := says(target)
			if target.Finding == FindingOrphaned {
				got = fmt.Sprintf("%s for %s, looks %d", got, target.Held, target.Looks)
			}
			if got != c.want {
				t.Errorf("%s; want %s: %s", got, c.want, target.Evidence[0].Text)
			}
		})
	}
}
