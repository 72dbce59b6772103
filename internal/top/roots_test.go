package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// theRoots is what is told of root's daemon.
const theRoots = "Root's daemon runs (process 12), and looks after your servers too"

// TestWhatRootsDaemonDecidesIsNotToldAsIfNobodyActed: it goes by a policy of its own, and tells only root
// when it stops what.
func TestWhatRootsDaemonDecidesIsNotToldAsIfNobodyActed(t *testing.T) {
	for _, row := range []struct {
		name         string
		from         Source
		mode         policy.Mode
		pause        overview.Pause
		roots        string
		shows, hides []string
	}{
		{"root's daemon alone runs", BesideDaemon, policy.ModeEnforce, overview.Pause{}, theRoots,
			[]string{"1 leaked, 40 MB: up to root's daemon", "lark-mcp 21700", theRoots + ".", "sudo reaperd top."}, []string{"would stop", "in 43s", "now"}},
		{"one of the reader's own only reports beside it", Daemon, policy.ModeReport, overview.Pause{}, theRoots,
			[]string{"1 leaked, 40 MB: up to root's daemon", theRoots}, []string{"would stop", "only reports"}},
		{"the reader has paused reaperd", BesideDaemon, policy.ModeEnforce, overview.Pause{On: true}, theRoots,
			[]string{"up to root's daemon", "Paused for you alone: x stops"}, []string{"nothing is stopped"}},
		{"one of the reader's own acts all the same", Daemon, policy.ModeEnforce, overview.Pause{}, theRoots,
			[]string{"stops in 43s", "The daemon stops"}, []string{"root"}},
		{"root has none", NoDaemon, policy.ModeEnforce, overview.Pause{}, "", []string{"would stop in 43s", "No daemon"}, []string{"root"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := ordinary()
			w.Mode, w.Pause = row.mode, row.pause
			w.Verdicts[len(w.Verdicts)-1].Target.Owner.Since = at.Add(-8 * time.Hour)
			r := reads(t, w)
			r.sends(Seen{Tree: w.tree(), From: row.from, Roots: row.roots})
			wantOn(t, r.screen(), row.shows, row.hides)
			if row.roots != "" && !r.model.acting() {
				if got := r.model.Wakes(); !got.Equal(at.Add(time.Minute)) { // when ages in hours change
					t.Errorf("it wakes at %v for a countdown that nobody sees", got)
				}
				r.types("n enter")
				wantOn(t, r.screen(), []string{"lark-mcp 21700: up to root's daemon", "next       up to root's daemon\n", "sudo reaperd top"}, []string{"would stop", "SIGTERM"})
				r.types("esc ? G")
				wantOn(t, r.screen(), []string{"up to root"}, []string{"nobody acts"})
			}
		})
	}
}

// TestAPinThatRootsDaemonDoesNotGoByIsToldInItsRow: the daemon stops what the reader takes for kept.
func TestAPinThatRootsDaemonDoesNotGoByIsToldInItsRow(t *testing.T) {
	w := ordinary()
	r := reads(t, w)
	const note = "the system daemon (process 12) goes by a user's pins of processes, not of containers: sudo reaperd pin lark"
	r.sends(Seen{Tree: w.tree(), From: BesideDaemon, Roots: theRoots, Pins: []string{"21700:1"}, Unheeded: map[string]string{"21700:1": note}})
	wantOn(t, r.screen(), []string{"pinned, root decides", "1 leaked, 40 MB: up to root's daemon"}, []string{"1 pinned"})
	r.types("n enter")
	wantOn(t, r.screen(), []string{"not of containers"}, nil)
	r.types("esc e")
	wantOn(t, r.screen(), []string{"sudo reaperd history"}, nil)
	r.types("esc enter")
	r.sends(Seen{Tree: w.tree(), From: NoDaemon, Pins: []string{"21700:1"}})
	wantOn(t, r.screen(), []string{"lark-mcp 21700: pinned\n"}, []string{"root"})
}

// TestAPinOfRootsThatAUsersDaemonDoesNotGoByIsToldInItsRow, and is not counted: that daemon stops the thing.
func TestAPinOfRootsThatAUsersDaemonDoesNotGoByIsToldInItsRow(t *testing.T) {
	w := ordinary()
	w.Verdicts[len(w.Verdicts)-1].Target.User = "dev"
	r := reads(t, w)
	const note = "dev's daemon (process 12) does not go by your pin of lark-mcp 21700, which is another user's: su dev -c 'reaperd pin 21700'"
	r.sends(Seen{Tree: w.tree(), From: NoDaemon, Beside: beside.Daemons{{User: "dev", UID: 1000, PID: 12}}, Pins: []string{"21700:1"}, Unheeded: map[string]string{"21700:1": note}})
	wantOn(t, r.screen(), []string{"pinned, dev decides", "1 leaked, 40 MB: up to dev's daemon"}, []string{"1 pinned", "root"})
}

// TestTheEventsBesideRootsDaemonSayThatItsActsAreElsewhere: those of the reader's own daemon are here.
func TestTheEventsBesideRootsDaemonSayThatItsActsAreElsewhere(t *testing.T) {
	const elsewhere = "Root's daemon keeps a journal of its own: sudo reaperd history"
	r := reads(t, ordinary())
	r.types("e")
	wantOn(t, r.screen(), []string{"Nothing was reaped"}, []string{elsewhere})
	r.sends(Seen{Tree: ordinary().tree(), From: Daemon, Roots: theRoots})
	wantOn(t, r.screen(), []string{elsewhere}, []string{"Nothing was reaped", "Only what x stops"})
}

// TestASessionThatARuleSoonStopsIsUpToRootsDaemonToo: it goes by the same policy as the reader's, as a rule.
func TestASessionThatARuleSoonStopsIsUpToRootsDaemonToo(t *testing.T) {
	for _, row := range []struct {
		world        string
		in           time.Duration
		pins         []string
		shows, hides []string
	}{
		{"it goes on doing nothing", 90 * time.Second, nil, []string{"Nothing leaks.  1 session up to root's daemon if it goes on doing nothing\n", "live, up to root  ", "github 5110", "up to root's daemon  "}, []string{"1m 30s"}},
		{"its time has come", -time.Second, nil, []string{"Nothing leaks.  1 session up to root's daemon if it goes on doing nothing\n"}, []string{"soon"}},
		{"that is far ahead", time.Hour, nil, []string{"Nothing leaks.\n"}, []string{"up to root"}},
		{"it is pinned", 90 * time.Second, []string{"5100:1"}, []string{"Nothing leaks.  1 pinned\n", "pinned with session"}, []string{"up to root"}},
	} {
		t.Run(row.world, func(t *testing.T) {
			w := ordinary()
			w.Mode, w.Verdicts = policy.ModeReport, w.Verdicts[:len(w.Verdicts)-1]
			tree := w.tree()
			n := tree.Find("session:5100:1")
			n.IdleSince, n.Next.AheadAt, n.Next.AheadRule = at.Add(-time.Minute), at.Add(row.in), "idle-sessions"
			r := reads(t, w)
			r.sends(Seen{Tree: tree, From: Daemon, Roots: theRoots, Pins: row.pins})
			wantOn(t, r.screen(), row.shows, row.hides)
			if row.in > 0 && row.in < time.Hour && row.pins == nil {
				r.types("/ 5 1 0 0 enter esc enter")
				wantOn(t, r.screen(), []string{"next       up to root's daemon if it goes on doing nothing (rule idle-sessions),", "keep it    p pins it"}, []string{"would stop"})
			}
		})
	}
}

// TestRootsDaemonThatStopsNothingIsToldAsThat.
func TestRootsDaemonThatStopsNothingIsToldAsThat(t *testing.T) {
	w := ordinary()
	r := reads(t, w)
	r.sends(Seen{Tree: w.tree(), From: BesideDaemon, Roots: theRoots, RootsRests: "is paused: it reaps nothing"})
	wantOn(t, r.screen(), []string{"servers too, but is", "paused: it reaps nothing. Looked", "up to root's daemon"}, []string{"Only root is told"})
}

// TestWhatTheReaderCannotJudgeIsUpToRootsDaemon: that sees whose another user's server is, and may be about to stop it.
func TestWhatTheReaderCannotJudgeIsUpToRootsDaemon(t *testing.T) {
	for roots, want := range map[string][]string{
		theRoots: {"github 5110  of user ann", "github 5110 stays here: nothing that this user may read proves whose it is. Root's daemon sees more"},
		"":       {"github 5110 stays: nothing proves whose it is. x stops only what is proven"},
	} {
		tree := ordinary().tree()
		n := tree.Find("server:5110:1")
		n.Owner, n.State, n.Reason, n.User, n.RootSeesMore = overview.Owner{}, overview.StateKept, "", "ann", true
		r := reads(t, ordinary())
		r.sends(Resized{160, 24}, Seen{Tree: tree, From: BesideDaemon, Roots: roots, User: "dev"})
		r.types("/ 5 1 1 0 enter")
		screen := r.screen()
		r.types("x")
		wantOn(t, screen+r.screen(), want, nil)
		isOnRow := func(line string) bool {
			return strings.Contains(line, "github 5110 ") && strings.Contains(line, overview.UpTo(overview.RootsDaemon))
		}
		if got := slices.ContainsFunc(strings.Split(screen, "\n"), isOnRow); got != (roots != "") {
			t.Errorf("%q: its row says so: %v\n%s", roots, got, screen)
		}
	}
}

// TestWhatOnlyTheReadersOwnPolicyProtectsIsUpToRootsDaemon: that goes by root's policy, and may be about to stop it.
func TestWhatOnlyTheReadersOwnPolicyProtectsIsUpToRootsDaemon(t *testing.T) {
	const limit = " (for your own sweeps only)"
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	w.Mode, w.OwnPolicy = policy.ModeReport, true
	protects := func(v *policy.Verdict) {
		v.Decision, v.Rule, v.Protected, v.Reason = policy.Keep, "", &policy.Protect{Name: "mine"}, `protected by "mine": my notes`
	}
	left := gone("codex", 5)
	protects(orphaned(w.server("memory", 600, left), 0))
	gateway := orphaned(w.server("docker-mcp", 610, left), 0)
	gateway.Decision, gateway.Vetoes = policy.Keep, []graph.Veto{{Guard: graph.GuardProtected, Text: `git 7 would end with it and is protected by "mine"`}}
	protects(w.server("github", 620, w.session("claude-code", 4711)))
	for _, row := range []struct {
		page, keys, roots string
		own               bool
		shows, hides      []string
	}{
		{"the tree", "", theRoots, true, []string{"2 leaked, 80 MB: up to root's daemon"}, []string{"kept"}},
		{"the details", "n n enter", theRoots, true, []string{"memory 600: up to root's daemon", `why protected by "mine": my notes` + limit, "keep it p pins it"}, []string{"kept"}},
		{"the details of what would take it along", "n enter", theRoots, true, []string{"docker-mcp 610: up to root's daemon", `guard protected: git 7 would end with it and is protected by "mine"` + limit}, nil},
		{"why x does not stop it", "n n x", theRoots, true, []string{`memory 600 stays: protected by "mine"` + limit + ". x stops nothing that your policy protects; root's daemon goes by root's policy."}, nil},
		{"the events", "e", theRoots, true, []string{`undecided `, `is protected by "mine"` + limit + " (rule orphaned-servers)"}, []string{"kept "}},
		{"what is in use", "/ 6 2 0 enter", theRoots, true, []string{"github 620 npm exec @acme/github in use"}, []string{limit}},
		{"the host's policy", "n n enter", theRoots, false, []string{"memory 600: kept", `why protected by "mine": my notes `}, []string{limit, "up to"}},
		{"no daemon of root's runs", "n n enter", "", true, []string{"memory 600: kept", `why protected by "mine": my notes `}, []string{limit, "up to"}},
	} {
		t.Run(row.page, func(t *testing.T) {
			w.OwnPolicy = row.own
			r := reads(t, w)
			r.sends(Resized{200, 40}, Seen{Tree: w.tree(), From: Daemon, Roots: row.roots, User: "dev"})
			r.types(row.keys)
			wantOn(t, strings.Join(strings.Fields(r.screen()), " "), row.shows, row.hides)
		})
	}
}
