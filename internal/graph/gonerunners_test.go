package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestALeakedRunnerIsPairedWithTheOldestContainer: an engine lists the newest container
// first. A runner that is due would wait for each that is new if it were paired with that.
func TestALeakedRunnerIsPairedWithTheOldestContainer(t *testing.T) {
	const leaked = `
		1  0  1  0 null null init
		50 1  43 2 sa! sb! docker run -i --rm x-mcp`
	const oldest, newest = `
		container c1 x-mcp 3 label.y=z`, `
		container c2 x-mcp 9`
	for _, containers := range []string{oldest + newest, newest + oldest} {
		target, _ := correlate(t, time.Minute, leaked+containers).Target("50:200")
		if !slices.Equal(target.Containers, []string{"c1"}) {
			t.Errorf("listed as%s: it is paired with %v", containers, target.Containers)
		}
	}
}

// TestAnOrphansTimeGoesOnWhileOtherDockerRunsBegin: a docker run that has just begun has no
// container yet. That is no reason to take an orphan, whose stdin nobody holds, for the one of
// a live session, whose docker run holds its own: it would be the session's for one look, and
// in the next be told to be left by a session that lives.
func TestAnOrphansTimeGoesOnWhileOtherDockerRunsBegin(t *testing.T) {
	const (
		before = `
			1  0  1  0   null null init
			44 1  44 1   tty  tty  claude
			50 44 44 2   sa@44 sb@44 docker run -i --rm x-mcp
			container c1 x-mcp 3 stdin=open
			60 1  59 100 se!  sf!  docker run -i --rm x-mcp
			container c2 x-mcp 101 stdin=closed`
		begins = before + `
			45 1  45 3590 tty  tty  codex
			61 45 45 3602 sg@45 sh@45 docker run -i --rm x-mcp`
		has = begins + `
			container c3 x-mcp 3604 stdin=open`
		attached = begins + `
			container c3 x-mcp 3604 stdin=closed`
		later = 5 * time.Second
	)
	for _, row := range []struct {
		world  string
		worlds []string
		want   string // of c2
		others string // of c1, and of c3 if it is there
	}{
		{"it has no container yet", []string{before, begins}, "orphaned gone for 5s, looks 2", "none live"},
		{"and then it has", []string{before, begins, has}, "orphaned gone for 5s, looks 3", "none live, none live"},
		{"somebody attached to its container, and its stdin is closed: whose the others are is known",
			[]string{before, begins, attached}, "orphaned gone for 5s, looks 3", "none live, none live"},
	} {
		var g *Graph
		for i, world := range row.worlds {
			snapshot := look(t, world)
			if i > 0 {
				snapshot.TakenAt = noon.Add(later)
			}
			g = Correlate(g, snapshot, Options{Catalogue: simple{}})
		}
		target, _ := g.Target("c2")
		got := says(target)
		if target.Finding == FindingOrphaned {
			got = fmt.Sprintf("%s for %s, looks %d", got, target.Held, target.Looks)
		}
		if got != row.want || target.Finding == FindingOrphaned && target.Owner.ID.PID == 44 {
			t.Errorf("%s: %s, of %v; want %s", row.world, got, target.Owner, row.want)
		}
		var others []string
		for _, id := range []string{"c1", "c3"} {
			if other, there := g.Target(id); there {
				others = append(others, says(other))
			}
		}
		if got := strings.Join(others, ", "); got != row.others {
			t.Errorf("%s: the others are %s, want %s", row.world, got, row.others)
		}
	}
}

// TestWhoLeftAContainerIsNobodyThatLives: the docker run of a live session has ended, and its
// container runs on. While the session lives it is not told to be gone.
func TestWhoLeftAContainerIsNobodyThatLives(t *testing.T) {
	const (
		session = `
			44 1  44 1 tty  tty  claude`
		runner = `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp`
		rest = `
			1  0  1  0 null null init
			container c1 x-mcp 3 stdin=closed`
	)
	for _, row := range []struct {
		world string
		now   string
		want  int // the PID of who left it; 0 is nobody
	}{
		{"its session lives", rest + session, 0},
		{"its session has ended as well", rest, 44},
	} {
		before := Correlate(nil, look(t, strings.Replace(rest+session+runner, "stdin=closed", "stdin=open", 1)), Options{Catalogue: simple{}})
		g := Correlate(before, look(t, row.now), Options{Catalogue: simple{}})
		target, _ := g.Target("c1")
		if target.Finding != FindingOrphaned || target.Owner.Liveness != LivenessGone || target.Owner.ID.PID != row.want {
			t.Errorf("%s: %s, of %+v, want it orphaned, of %d", row.world, target.Finding, target.Owner, row.want)
		}
	}
}
