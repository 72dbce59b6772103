package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAnOrphanBesideARunnerThatIsLeaving: the container of another docker run of its class
// ends, and that docker run is about to exit, or hangs. What a look has seen of whose the
// containers are still holds: the orphan goes on to be one.
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
		{"that container ends",
			[]string{before, before, leaving}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 3"},
		{"at once",
			[]string{before, leaving, leaving}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 3"},
		{"the docker run exits",
			[]string{before, leaving, left}, []time.Duration{0, minute, minute + second}, orphaned + " for 1m1s, looks 3"},
		{"the docker run stays",
			[]string{before, leaving, leaving}, []time.Duration{0, minute, minute + 11*second}, orphaned + " for 1m11s, looks 3"},
		{"no look saw whose the orphan was: it may be that of the docker run",
			[]string{without(before, orphan), leaving}, []time.Duration{0, minute}, "ambiguous live unproven"},
		{"the engine did not tell of every container",
			[]string{before, leaving + "\nsource docker partial"}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"a docker run that was seen with none",
			[]string{left, leaving}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"another docker run has its own container",
			[]string{before + another + anothers, leaving + another + anothers}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"another docker run has none",
			[]string{before, leaving + another}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"they run different servers of one image",
			[]string{different.Replace(before), different.Replace(leaving)}, []time.Duration{0, minute}, orphaned + " for 1m0s, looks 2"},
		{"different servers, and the docker run stays",
			[]string{different.Replace(before), different.Replace(leaving), different.Replace(leaving)}, []time.Duration{0, minute, minute + 11*second}, orphaned + " for 1m11s, looks 3"},
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
