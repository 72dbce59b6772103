package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// besideRoots is a world of dev's that root's daemon decides on: a server that leaked, a gateway that stays for the
// server below it, of which nobody sees who uses it, a docker run with its container, which dev has pinned or not, and
// a server of ann's.
func besideRoots(isPinned bool) *world {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 8)
	left := gone("codex", 5)
	orphaned(w.server("memory", 600, left), time.Minute)
	gateway := kept(orphaned(w.server("docker-mcp", 610, left), 0), time.Minute)
	gateway.Target.Kind, gateway.Target.Below = graph.KindGateway, []string{"620:1"}
	gateway.Vetoes = []graph.Veto{{Guard: graph.GuardUnproven, Text: "fetch 620 below it may be in use"}}
	gateway.Target.Vetoes = nil
	w.server("fetch", 620, graph.Owner{Liveness: graph.LivenessLive})
	runner := orphaned(w.server("postgres", 630, left), time.Minute)
	container := orphaned(w.container("postgres", runner), time.Minute)
	if isPinned {
		kept(container, time.Minute)
		kept(runner, time.Minute)
		runner.Vetoes[0] = graph.Veto{Guard: graph.GuardPinned, Text: "its container postgres-1 is pinned", For: container.Target.ID}
	}
	orphaned(w.server("clock", 640, left), time.Minute).Target.User = "ann"
	return w
}

// TestWhatRootsDaemonDecidesIsNotToldAsKept: it goes by no user's pin of a container or of another user's things.
func TestWhatRootsDaemonDecidesIsNotToldAsKept(t *testing.T) {
	id := strings.Repeat("a", 64)
	const note = "root's daemon (process 12) goes by a user's pins of processes, not of containers: sudo reaperd pin postgres-1"
	const onlyRoots = "from root's daemon only a pin of root's does: sudo reaperd pin "
	const leavesIt = "reaperd leaves it alone"
	detailsOf := func(r *reader, name string, up int) {
		r.types("/")
		r.sends(Pasted(name))
		r.types("enter G" + strings.Repeat(" up", up) + " enter")
	}
	for _, row := range []struct {
		page, details string
		up            int // rows from the last one that the filter shows
		isPinned      bool
		shows, hides  []string
	}{
		{"the head, without what may be in use", "", 0, false, []string{"5 leaked, 260 MB: up to root's daemon  1 more may be in use, 40 MB", "LEAKED: nobody alive is seen to own these  4 servers and 1 container, 1 more may be in use", "fetch 620  npm", "may be in use, root decides"}, []string{"6 leaked"}},
		{"a container", "postgres-1", 0, false, []string{"keep it    p keeps it from your own sweeps; " + onlyRoots + "postgres-1"}, []string{leavesIt}},
		{"another user's server", "clock", 0, false, []string{"keep it    p keeps it from your own sweeps; " + onlyRoots + "640"}, []string{leavesIt}},
		{"one's own server", "memory", 0, false, []string{leavesIt + " (reaperd pin 600)"}, []string{"sudo reaperd pin"}},
		{"what is kept with the container that dev has pinned", "630", 1, true, []string{"postgres 630: up to root's daemon", "pinned     with postgres postgres-1, but " + note}, []string{"kept    "}},
	} {
		t.Run(row.page, func(t *testing.T) {
			r := readsBesideRoots(t, row.isPinned, map[bool]map[string]string{true: {id: note}}[row.isPinned])
			if row.details != "" {
				detailsOf(r, row.details, row.up)
			}
			wantOn(t, r.screen(), row.shows, row.hides)
		})
	}
	r := readsBesideRoots(t, false, nil)
	r.types("down enter")
	wantOn(t, r.screen(), []string{"root's daemon does not go by your pins of clock 640 and postgres postgres-1: sudo reaperd pin 640 postgres-1"}, nil)
	r = readsBesideRoots(t, false, nil)
	r.types("/")
	r.sends(Pasted("fetch"))
	wantOn(t, r.screen(), []string{"these  2 of 6 shown, 80 MB", "codex 5  2 of 6 shown", "may be in use, root decides"}, nil)
	r.sends(Resized{100, 60})
	wantOn(t, r.screen(), []string{" may be in use  "}, []string{"may be use"})
	r.types("enter ? G")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"may be in use, by a process that cannot be seen from here: it stays, unless root's daemon, which sees more, decides otherwise"}, []string{"the policy says that it goes"})
	r = readsBesideRoots(t, true, map[string]string{id: note})
	r.types("e")
	wantOn(t, r.screen(), []string{
		"undecided", "docker-mcp 610: fetch 620 below it may be in use; root's daemon sees more, and decides by that (rule", "postgres 630: " + note,
	}, []string{"kept    ", "refused  "})
	r.sends(Seen{Tree: besideRoots(true).tree(), From: NoDaemon, User: "dev"}, Key("esc"))
	detailsOf(r, "clock", 0)
	wantOn(t, r.screen(), []string{leavesIt + " (reaperd pin 640)"}, []string{overview.RootsDaemon})
}

// TestAPinOfItsGatewayKeepsAContainerFromRootsDaemonToo: that goes by dev's pin of the gateway, a process of dev's own.
func TestAPinOfItsGatewayKeepsAContainerFromRootsDaemonToo(t *testing.T) {
	w := besideRoots(false)
	gateway := w.Verdicts[1].Target
	gateway.Below = append(gateway.Below, "630:1")
	r := reads(t, w)
	r.sends(Resized{170, 60}, Seen{Tree: w.tree(), From: BesideDaemon, Roots: theRoots, User: "dev"})
	r.types("/")
	r.sends(Pasted("postgres-1"))
	r.types("enter G enter")
	wantOn(t, r.screen(), []string{"p keeps it from your own sweeps", "p on docker-mcp 610 keeps it from both (reaperd pin 610)"}, nil)
}

// readsBesideRoots returns dev as a reader of that world.
func readsBesideRoots(t *testing.T, isPinned bool, unheeded map[string]string) *reader {
	w := besideRoots(isPinned)
	r := reads(t, w)
	seen := Seen{Tree: w.tree(), From: BesideDaemon, Roots: theRoots, User: "dev", Unheeded: unheeded}
	for target := range unheeded {
		seen.Pins = append(seen.Pins, target)
	}
	r.sends(Resized{170, 60}, seen)
	return r
}

// TestAGatewayWithSomethingBelowItThatMayBeInUseSaysSo: the name of a guard is no reason.
func TestAGatewayWithSomethingBelowItThatMayBeInUseSaysSo(t *testing.T) {
	r := reads(t, besideRoots(false))
	for width, want := range map[int]string{160: " may be in use below it ", 100: " may be in use below it ", 80: " kept  "} {
		r.sends(Resized{width, 40})
		wantOn(t, r.screen(), []string{want}, []string{"unproven", "may be use"})
	}
	r.types("n enter")
	wantOn(t, r.screen(), []string{"docker-mcp 610: orphaned, kept: may be in use below it\n"}, nil)
}
