package top

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestTheWholeScreen shows the first screen of a new user.
func TestTheWholeScreen(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{80, 16})
	const want = `reaperd top  devbox  2 sessions, 4 servers, 1 container, 860 MB
1 leaked, 40 MB: stops in 43s
The daemon stops what its rules say. Looked 14:02:11, again by 14:02:41.
NAME                               STATE                      UP  MEMORY     CPU
▾ LEAKED: nobody alive owns these  1 server                        40 MB
└ ▾ codex 21655  ~/src  1 server   ended 8m ago                –   40 MB    0.1%
  └ ▸ lark-mcp 21700  npm exec @…  stops in 43s               2h   40 MB    0.1%
▾ LIVE SESSIONS  3 servers and 1 container                        820 MB
├ ▾ claude-code 4711  ~/src  pts…  live                       5h  480 MB       –
│ ├ ▹ docker 4730  npm exec @acm…  in use                     2h  140 MB    0.1%
│ │ └ fetch fetch-1  mcp/fetch     in use                     1h  100 MB       –
│ └ ▸ playwright 4720              in use                     2h   40 MB    0.1%
└ ▾ codex 5100  ~/src  pts/3       live                       5h  340 MB       –
  └ ▸ github 5110  npm exec @acm…  idle 5h                    2h   40 MB    0.1%

? help  q quit  enter fold  p pin all  x stop all  / filter  n next  e events
`
	if got := r.screen(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAFolderIsShortenedInFront(t *testing.T) {
	m := New(Options{UTF8: true, Home: "/home/dev"}, at)
	for _, row := range []struct {
		path  string
		width int
		want  string
	}{
		{"~/src/shop", 10, "~/src/shop"},
		{"~/work/clients/acme/src/shop", 12, "…/src/shop"},
		{"/srv/a-very-long-name-of-a-folder", 12, "…/a-very-long-name-of-a-folder"}, // the column cuts it
		{"~/src", 3, "~/src"},                                                       // …/src is no shorter
		{"", 12, ""},
	} {
		if got := m.tail(row.path, row.width); got != row.want {
			t.Errorf("%s in %d cells: %q, want %q", row.path, row.width, got, row.want)
		}
	}
}

// hostile is a world whose names, arguments and folders try to steer the terminal.
func hostile() *world {
	const evil = "\x1b[2J\x1b]0;owned\x07a\u202eb\u2066\u200bc\td\ne\u0085f\u00a0\ue000 漢字漢字 \u0301\u0301 👩\u200d👩\u200d👧 \xff"
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 8)
	w.Graph.Snapshot.Host.Hostname = evil
	w.Graph.Snapshot.Sources = []inventory.Source{{Name: evil, Status: inventory.StatusError, Reason: evil}}
	owner := w.session(evil, 7)
	w.Graph.Sessions[0].Process.Cwd, w.Graph.Sessions[0].Process.TTY = evil, evil
	for pid := range 4 {
		v := w.server(evil, 100+10*pid, owner)
		v.Target.Root.Argv, v.Target.Members[1].Argv = []string{evil, strings.Repeat(evil, 30)}, []string{evil}
		v.Reason, v.Target.Evidence[0].Text = evil, strings.Repeat(evil, 9)
	}
	w.container(evil, &w.Verdicts[0])
	orphaned(w.server(evil, 300, gone(evil, 299)), time.Minute)
	return w
}

// TestEveryScreenFitsAndIsInert shows every page at every size.
func TestEveryScreenFitsAndIsInert(t *testing.T) {
	for _, size := range []Resized{{80, 24}, {200, 50}, {110, 24}, {60, 12}, {40, 10}, {24, 6}, {9, 3}, {1, 1}} {
		for _, keys := range []string{"", "G", "n right enter", "?", "e", "/ x", "- n x", "n p", "+ G enter pgdn", "s s s"} {
			for _, utf8 := range []bool{true, false} {
				r := reads(t, hostile())
				r.model.options.UTF8 = utf8
				r.sends(size)
				r.types(keys)
				what := fmt.Sprintf("%v after %q, UTF-8 %v", size, keys, utf8)
				checkFrame(t, what, r.model.Frame(), size, utf8)
				r.sends(Question{Plan: []string{"\x1b[2J" + strings.Repeat("x", 300)}, Asks: "\x1b[2JStop?"})
				checkFrame(t, what+" when asked", r.model.Frame(), size, utf8)
				r.sends(Said{Err: errors.New("\x1b[2J\u202e")})
				checkFrame(t, what+" when told", r.model.Frame(), size, utf8)
			}
		}
	}
}

func checkFrame(t *testing.T, what string, frame Frame, size Resized, utf8 bool) {
	t.Helper()
	if len(frame.Lines) > size.Height {
		t.Fatalf("%s: %d lines", what, len(frame.Lines))
	}
	for _, line := range frame.Lines {
		text := line.String()
		if width := human.Width(text); width > size.Width {
			t.Errorf("%s: %d cells: %q", what, width, text)
		}
		for _, r := range text {
			if r < ' ' || r >= 0x7f && (human.IsInvisible(r) || !utf8) {
				t.Fatalf("%s: %U in %q", what, r, text)
			}
		}
	}
	if c := frame.Cursor; c.Shown && (c.X >= size.Width || c.Y >= size.Height || c.X < 0 || c.Y < 0) {
		t.Errorf("%s: the cursor is at %v", what, c)
	}
}

func TestCountdowns(t *testing.T) {
	w := ordinary()
	w.Verdicts[len(w.Verdicts)-1].Target.Owner.Since = time.Time{} // else that counts too
	r := reads(t, w)
	for _, row := range []struct {
		after time.Duration
		shows string
		wakes time.Duration // after the look
	}{
		{0, "stops in 43s", time.Second},
		{400 * time.Millisecond, "stops in 43s", time.Second},
		{time.Second, "stops in 42s", 2 * time.Second},
		{41500 * time.Millisecond, "stops in 2s", 42 * time.Second},
		{42 * time.Second, "stops in 1s", 43 * time.Second},
		{43 * time.Second, "stops now", time.Minute}, // when ages in hours change
		{time.Hour, "stops now", time.Hour + time.Minute},
	} {
		r.now = at.Add(row.after)
		r.sends(Moment(r.now))
		wantOn(t, r.screen(), []string{row.shows}, nil)
		if got := r.model.Wakes().Sub(at); got != row.wakes {
			t.Errorf("after %s it wakes at %v, want %v", row.after, got, row.wakes)
		}
	}
}

// TestAPassedTimeIsNotPromised: the next look is late.
func TestAPassedTimeIsNotPromised(t *testing.T) {
	r := reads(t, ordinary())
	wantOn(t, r.screen(), []string{"Looked 14:02:11, again by 14:02:41."}, nil)
	r.now = at.Add(30 * time.Second)
	r.sends(Moment(r.now))
	wantOn(t, r.screen(), []string{"Looked 14:02:11."}, []string{"again by"})
}

func TestALongCountdownWakesOnceAMinute(t *testing.T) {
	w := newWorld()
	orphaned(w.server("lark-mcp", 9, gone("codex", 5)), 2*time.Hour+30*time.Second).Target.Owner.Since = time.Time{}
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"stops in 2h 1m"}, nil)
	if got := r.model.Wakes().Sub(at); got != 30*time.Second {
		t.Errorf("it wakes after %s", got)
	}
}

func TestNothingWakesWhereNothingCounts(t *testing.T) {
	w := ordinary()
	w.Verdicts = w.Verdicts[:len(w.Verdicts)-1]
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"Nothing leaks."}, []string{"LEAKED"})
	r.sends(Resized{40, 24}) // without the column UP; an idle time in hours stays
	if got := r.model.Wakes().Sub(at); got != time.Minute {
		t.Errorf("it wakes after %v", got)
	}
	r.types("/ p l a y enter")
	if got := r.model.Wakes(); !got.IsZero() {
		t.Errorf("it wakes at %v", got)
	}
}

// TestTenseTellsTheTruth: if nobody acts, the words say only what would happen.
// TestALongCountdownHasRoom: minutes are enough for a reader who waits that long.
func TestALongCountdownHasRoom(t *testing.T) {
	for left, want := range map[time.Duration]string{
		9*time.Minute + 59*time.Second: "9m 59s", 28*time.Minute + 56*time.Second: "29m", 3*time.Hour + 2*time.Minute: "3h 2m",
	} {
		m := Model{now: at}
		if got := m.countdown(at.Add(left)); got != want {
			t.Errorf("%s: %q, want %q", left, got, want)
		}
	}
}

func TestTenseTellsTheTruth(t *testing.T) {
	for _, row := range []struct {
		name  string
		from  Source
		mode  policy.Mode
		pause overview.Pause
		shows []string
	}{
		{"a daemon acts", Daemon, policy.ModeEnforce, overview.Pause{}, []string{"stops in 43s", "The daemon stops what its rules say."}},
		{"a daemon reports", Daemon, policy.ModeReport, overview.Pause{}, []string{"would stop in 43s", "only reports (mode: report)"}},
		{"somebody paused it and said why", Daemon, policy.ModeEnforce, overview.Pause{On: true, Until: at.Add(time.Hour), Reason: "release day"}, []string{"Paused until 15:02:11 (release day): nothing is stopped. reaperd resume ends it."}},
		{"somebody paused it", Daemon, policy.ModeEnforce, overview.Pause{On: true, Until: at.Add(time.Hour)}, []string{"would stop in 1h", "Paused until 15:02:11: nothing is stopped."}},
		{"there is no daemon", NoDaemon, policy.ModeEnforce, overview.Pause{}, []string{"would stop in 43s", "No daemon: nothing stops by itself."}},
		{"there is one that does not tell", BesideDaemon, policy.ModeEnforce, overview.Pause{}, []string{"would stop in 43s", "A daemon runs beside"}},
		{"there is one that does not answer", HungDaemon, policy.ModeEnforce, overview.Pause{}, []string{"would stop in 43s", "The daemon does not answer (reaperd status): nothing stops by itself."}},
		{"there is one that has never looked", BlindDaemon, policy.ModeEnforce, overview.Pause{}, []string{"would stop in 43s", "The daemon has never looked (reaperd status says why): nothing stops by itself."}},
	} {
		w := ordinary()
		w.Mode, w.Pause = row.mode, row.pause
		r := reads(t, w)
		r.sends(Seen{Tree: w.tree(), From: row.from})
		wantOn(t, r.screen(), row.shows, nil)
	}
}

func TestDetailsTellHowASessionIsUsed(t *testing.T) {
	tree := ordinary().tree()
	n := tree.Find("session:5100:1")
	n.Use, n.IdleSince = "it reads or writes (process 5100)", at.Add(-2*time.Second)
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	r.types("/ 5 1 0 0 enter esc enter")
	wantOn(t, r.screen(), []string{"it is in use: it reads or writes (process 5100)"}, []string{"did nothing"})
}

func TestManyRowsScroll(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 500)
	owner := w.session("claude-code", 1)
	for pid := range 500 {
		w.server(fmt.Sprintf("server-%03d", pid), 1000+10*pid, owner)
	}
	r := reads(t, w)
	r.types("G")
	wantOn(t, r.screen(), []string{"server-499"}, []string{"server-400"})
	r.types("pgup")
	wantOn(t, r.screen(), []string{"server-480"}, nil)
	r.types("g")
	wantOn(t, r.screen(), []string{"LIVE SESSIONS", "claude-code", "server-016"}, []string{"server-017"})
	r.types("/ 4 9 9 enter")
	wantOn(t, r.screen(), []string{"server-499"}, []string{"server-498"})
}

func TestAWideScreenNamesOwners(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{120, 24})
	wantOn(t, r.screen(), []string{"OWNER", "stops in 43s              codex 21655"}, nil)
}

func TestALongListThatASessionLeftIsFolded(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 16)
	for i := range 7 {
		orphaned(w.server("lark-mcp", 100+10*i, gone("codex", 5)), time.Duration(9-i)*time.Minute)
	}
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"7 leaked, 280 MB: the first stops in 3m", "▸ codex 5  ~/src  7 servers", "first of 7 in 3m", "280 MB"}, []string{"lark-mcp 100"})
	r.types("n")
	if !strings.Contains(r.here(), "lark-mcp 100") {
		t.Errorf("n goes to %q", r.here())
	}
}

func TestTheDetailsOfAnIdleSession(t *testing.T) {
	tree := ordinary().tree()
	n := tree.Find("session:5100:1")
	n.State, n.IdleSince, n.ServersIdleSince, n.IdleAtLeast = overview.StateIdle, at.Add(-4*time.Hour), at.Add(-5*time.Hour), true
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"idle 4h+"}, nil)
	r.types("/ 5 1 0 0 enter enter")
	wantOn(t, r.screen(), []string{"codex 5100: idle 4h+", "with the 1 server below it 340 MB", "it did nothing since", "its servers did nothing since", "or longer: it was never", "on pts/3"}, []string{"(5h) or longer"})
	n.Children[len(n.Children)-1].IdleSince, n.Children[len(n.Children)-1].IdleAtLeast = at.Add(-5*time.Hour), true
	r.sends(Seen{Tree: tree, From: Daemon})
	wantOn(t, r.screen(), []string{"(5h) or longer"}, nil)
}

func TestAStopTakesTheSwitchOfSweepWhereThePolicyOnlyReports(t *testing.T) {
	for _, c := range []struct {
		name   string
		key    string
		change func(*overview.Node)
		want   policy.Switches
	}{
		{"an idle session", "session:5100:1", func(n *overview.Node) {
			n.State, n.IdleSince = overview.StateIdle, at.Add(-4*time.Hour-30*time.Second)
		}, policy.Switches{IdleOver: 4 * time.Hour}},
		{"a duplicate", "server:5110:1", func(n *overview.Node) {
			n.State, n.Finding, n.Next = overview.StateReported, graph.FindingDuplicate, overview.Next{Rule: "duplicates", Action: policy.ActionReport}
		}, policy.Switches{Duplicates: true}},
		{"a session that a rule names", "session:5100:1", func(n *overview.Node) { n.Next.Rule = "old-sessions" }, policy.Switches{}},
		{"a leak that is pending", "server:21700:1", func(*overview.Node) {}, policy.Switches{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := ordinary().tree()
			n := tree.Find(c.key)
			c.change(n)
			r := reads(t, ordinary())
			r.sends(Seen{Tree: tree, From: Daemon})
			r.model.mode, r.model.page = paging, page{shows: detailsPage, about: c.key}
			hint := "it only reports. An action in your policy"
			if c.want != (policy.Switches{}) {
				hint = "it only reports. x stops it all the same"
			}
			if n.Next.Action == policy.ActionReport && n.Next.Rule != "" {
				wantOn(t, r.screen(), []string{hint}, nil)
			}
			r.types("x")
			if !reflect.DeepEqual(r.did, []Effect{{Do: Stop, Targets: []string{n.Target}, Ends: c.want}}) {
				t.Errorf("it does %+v", r.did)
			}
		})
	}
}

func TestAStopThatWasGivenUpAsksNothing(t *testing.T) {
	r := reads(t, ordinary())
	r.types("n x esc")
	r.sends(Question{Plan: []string{"Would stop 1."}, Asks: "Stop this?"})
	wantOn(t, r.screen(), []string{"giving up"}, []string{"Stop this?"})
	r.sends(Said{Effect: Effect{Do: Stop}, Err: errors.New("context canceled"), GivenUp: true})
	wantOn(t, r.screen(), []string{"Given up: nothing was stopped."}, nil)
	r.types("s")
	wantOn(t, r.screen(), []string{"by memory"}, nil)
}

func TestAPinShowsBeforeTheDaemonLooksAgain(t *testing.T) {
	r := reads(t, ordinary())
	r.types("n n p")
	r.sends(Said{Effect: Effect{Do: Pin, Targets: []string{"21700:1"}}, Lines: []string{"Pinned lark-mcp 21700."}})
	if !strings.Contains(r.here(), "pinned") || !strings.HasPrefix(r.here(), "└ ▸ lark-mcp") {
		t.Errorf("the row is %q", r.here())
	}
	r.types("p")
	if len(r.did) != 2 || !reflect.DeepEqual(r.did[1], Effect{Do: Unpin, Targets: []string{"21700:1"}}) {
		t.Errorf("did %v", r.did)
	}
	r.sends(Said{Effect: Effect{Do: Unpin, Targets: []string{"21700:1"}}, Lines: []string{"Unpinned lark-mcp 21700."}})
	wantOn(t, r.here(), []string{"stops in"}, nil)
	r.sends(Said{Effect: Effect{Do: Pin, Targets: []string{"21700:1"}}})
	w := ordinary() // a later look, without the pin
	w.Graph.Snapshot.TakenAt = at.Add(time.Second)
	r.sends(Seen{Tree: w.tree(), From: Daemon})
	wantOn(t, r.here(), []string{"stops in"}, nil)
}

func TestWhatWasTriedInVainIsSaid(t *testing.T) {
	w := ordinary()
	w.Outcomes = map[string]overview.Tried{"21700:1": {Result: "it has changed since"}}
	w.Verdicts[1].EndsWith = strings.Repeat("a", 64)
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"not stopped", "ends with container"}, nil)
	r.types("n n enter")
	wantOn(t, r.screen(), []string{"tried      it has changed since"}, nil)
}

func TestEvents(t *testing.T) {
	w := ordinary()
	w.Ended = []overview.Ended{{At: at.Add(-time.Minute), Kind: graph.KindServer, Name: "lark-mcp", Handle: "5555", Owner: "codex 50", Rule: "orphaned-servers", Outcome: "exited", FreedBytes: 49_000_000},
		{At: at.Add(-2 * time.Minute), Kind: graph.KindServer, Name: "git", Handle: "126", Rule: "duplicates", Outcome: "exited", ByHand: "sweep --duplicates"},
		{At: at.Add(-3 * time.Minute), Kind: graph.KindSession, Name: "codex", Handle: "70", Rule: "idle-end", Outcome: "changed"}}
	w.Verdicts[0].Rule = "mine"
	w.Verdicts[0].Vetoes = []graph.Veto{{Guard: graph.GuardInUse, Text: "it listens and has clients"}}
	r := reads(t, w)
	r.types("e")
	wantOn(t, r.screen(), []string{"2026-11-22 14:01:11  lark-mcp 5555 of codex 50 exited, 49 MB (rule", "git 126 exited (rule duplicates, by hand: sweep\n           --duplicates)", "left alone 2026-11-22 13:59:11  codex 70 changed (rule idle-end)", "playwright 4720: it listens and has clients\n           (rule mine)"}, nil)
}

func TestTheDetailsOfADeadSessionNameWhatItLeft(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 2)
	w.container("lark", orphaned(w.server("lark-mcp", 21700, gone("codex", 21655)), 43*time.Second))
	r := reads(t, w)
	r.types("g down enter")
	wantOn(t, r.screen(), []string{"codex 21655: ended 8m ago", "a session that has ended", "2026-11-22 13:54:11 (8m ago)", "~/src, by what it left",
		"1 server and 1 container, 140 MB", "lark-mcp 21700: stops in 43s", "lark lark-1: "}, []string{"whose", "node"})
	r.now = at.Add(50 * time.Second)
	r.sends(Moment(r.now))
	wantOn(t, r.screen(), []string{"codex 21655: ended 8m 50s ago", "2026-11-22 13:54:11 (8m 50s ago)"}, nil)
}

func TestAPinIsNoRefusal(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 2)
	for i, veto := range []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}, {Guard: graph.GuardInUse, Text: "it has a client"}} {
		v := orphaned(w.server("lark-mcp", 21700+10*i, gone("codex", 5)), 0)
		v.Decision, v.Vetoes = policy.Keep, []graph.Veto{veto}
	}
	w.Held = map[overview.Hold]time.Time{{Target: "21710:1", Guard: graph.GuardInUse}: at.Add(-7 * time.Minute)}
	r := reads(t, w)
	r.sends(Seen{Tree: w.tree(), From: Daemon, Pins: []string{"21700:1"}, PinTexts: map[string]string{"21700:1": "pinned 2026-11-22 14:00:00, demo"}})
	r.types("e")
	screen := strings.Join(strings.Fields(r.screen()), " ")
	wantOn(t, screen, []string{
		"pinned lark-mcp 21700: pinned 2026-11-22 14:00:00, demo (rule orphaned-servers)",
		"refused 2026-11-22 13:55:11 lark-mcp 21710: it has a client",
	}, []string{"13:54:11", "lark-mcp 21700: pinned 2026-11-22 13"})
}

// TestAContainerThatNeverStartedIsToldWhenItWasCreated: it has not run since then.
func TestAContainerThatNeverStartedIsToldWhenItWasCreated(t *testing.T) {
	for state, want := range map[string]string{"created": "created 2026-11-22 14:00:11 (2m ago)", "running": "started 2026-11-22 13:02:11 (1h ago)"} {
		w := ordinary()
		box := w.Verdicts[2].Target.Container
		if box.State = state; state == "created" {
			box.CreatedAt, box.StartedAt = at.Add(-2*time.Minute), time.Time{}
		}
		r := reads(t, w)
		r.types("/ m c p / enter g down down down enter")
		wantOn(t, r.screen(), []string{"fetch fetch-1", want}, nil)
	}
}

// TestAContainerThatDoesNotRunIsNotUp, however long ago it was started.
func TestAContainerThatDoesNotRunIsNotUp(t *testing.T) {
	for state, want := range map[string]string{"exited": "–", "created": "–", "running": "1h"} {
		w := ordinary()
		w.Verdicts[2].Target.Container.State = state
		r := reads(t, w)
		r.types("/ m c p / enter")
		for line := range strings.Lines(r.screen()) {
			if words := strings.Fields(line); strings.Contains(line, "fetch fetch-1") && words[len(words)-4] != want {
				t.Errorf("%s: want %s for up in %q", state, want, line)
			}
		}
		wantOn(t, r.screen(), []string{"fetch fetch-1"}, nil)
	}
}

// TestWhatGoesWithAGatewayDoesNotSumUpItself: it has the state of what stops with that.
func TestWhatGoesWithAGatewayDoesNotSumUpItself(t *testing.T) {
	w := newWorld()
	codex := w.session("codex", 100)
	hub := w.server("mcp-hub", 110, codex)
	hub.Target.Kind = graph.KindGateway
	hub.Decision, hub.Rule, hub.Action, hub.DueAt = policy.Pending, "zombie-gateways", policy.ActionTerminate, at.Add(100*time.Second)
	gateway := hub.Target
	below := w.server("fetch", 120, graph.Owner{Name: "mcp-hub", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive})
	below.Decision, below.Rule, below.Action, below.DueAt, below.With = policy.Pending, hub.Rule, hub.Action, hub.DueAt, gateway.ID
	gateway.Below = []string{below.Target.ID}
	r := reads(t, w)
	if screen := r.screen(); !strings.Contains(screen, "stops with gateway") || strings.Contains(screen, "1 is") || !strings.Contains(screen, "2 servers: stop in 1m 40s") {
		t.Errorf("got\n%s", screen)
	}
}

// TestTheDetailsOfASessionTellWhatGoesOfIt: it stays itself, and its gateway goes with what that holds.
func TestTheDetailsOfASessionTellWhatGoesOfIt(t *testing.T) {
	w := newWorld()
	codex := w.session("codex", 100)
	hub := w.server("mcp-hub", 110, codex)
	hub.Target.Kind = graph.KindGateway
	hub.Decision, hub.Rule, hub.Action, hub.DueAt = policy.Pending, "zombie-gateways", policy.ActionTerminate, at.Add(100*time.Second)
	for i, name := range []string{"fetch", "git"} {
		below := w.server(name, 120+i, graph.Owner{Name: "mcp-hub", Kind: graph.OwnerGateway, ID: hub.Target.Root.ID(), Liveness: graph.LivenessLive})
		below.Decision, below.Rule, below.Action, below.DueAt, below.With = policy.Pending, hub.Rule, hub.Action, hub.DueAt, hub.Target.ID
		hub.Target.Below = append(hub.Target.Below, below.Target.ID)
	}
	w.server("memory", 130, codex)
	r := reads(t, w)
	for _, row := range []struct{ keys, has, lacks string }{
		{"/ c o d e x enter enter", "of it      mcp-hub 110 stops in 1m 40s", "with it  "},
		{"esc esc / m c p - h u b enter enter", "with it    fetch 120 and git 121", "of it  "},
		{"esc esc / g i t enter enter", "it goes with mcp-hub 110: stops in 1m 40s", "of it  "},
	} {
		r.types(row.keys)
		wantOn(t, r.screen(), []string{row.has}, []string{row.lacks})
	}
}
