package graph

import (
	"testing"
	"time"
)

// TestWhoseAContainerWasIsKnownAfterItsEngineWasAway: the session dies while the engine is
// not to be read. When it is, the container is known as that session's; how long it has been
// orphaned counts from then on.
func TestWhoseAContainerWasIsKnownAfterItsEngineWasAway(t *testing.T) {
	const (
		live = `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp`
		died = `
			1  0  1  0 null null init`
		box = `
			container c1 x-mcp 3`
	)
	for _, status := range []string{"absent", "error", "partial"} {
		var g *Graph
		for i, world := range []string{live + box, live + "\nsource docker " + status, died + "\nsource docker " + status, died + box} {
			snapshot := look(t, world)
			snapshot.TakenAt = noon.Add(time.Duration(i) * time.Minute)
			g = Correlate(g, snapshot, Options{Catalogue: simple{}})
		}
		target, _ := g.Target("c1")
		if says(target) != "orphaned gone" || target.Owner.Name != "claude" || target.Owner.ID.PID != 44 {
			t.Errorf("%s: %s, of %s %s", status, says(target), target.Owner.Name, target.Owner.ID)
		}
		if target.Held != 0 || target.Looks != 1 {
			t.Errorf("%s: held for %s in %d looks, want none in one", status, target.Held, target.Looks)
		}
	}
}

// TestASessionBelowATreeIsNotForgottenWhereItsRowIsMissing: an adapter that its editor left has a
// session below it, which the table lacks at one look. The adapter stays.
func TestASessionBelowATreeIsNotForgottenWhereItsRowIsMissing(t *testing.T) {
	const (
		before = `
			1  0  1  0 null null init
			50 1  43 2 sa! sb! x-mcp
			52 50 43 3 sc@50 sd@50 codex`
		without = `
			1  0  1  0 null null init
			50 1  43 2 sa! sb! x-mcp`
	)
	for _, c := range []struct{ name, then, want string }{
		{"it lives", before, "50 orphaned gone live-session"},
		{"its row is missing, as rows of others are", without + "\n" + "source processes partial", "50 orphaned gone incomplete"},
		{"it has ended", without, "50 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, before, c.then), c.want) })
	}
}
